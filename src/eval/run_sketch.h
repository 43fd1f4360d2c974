// Computes what a run keeps of a document, and decides whether it would compare two documents.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benzer/dedup.h"
#include "benzer/sketch.h"

#include "dedup/anchors.h"

namespace benzer {

struct RunSketch {
  std::vector<std::uint64_t> keys;  // of the bands
  std::vector<std::uint8_t> cut;    // the low byte of every slot
};

// Threads: immutable; share freely.
class RunSketcher {
 public:
  explicit RunSketcher(const SimilarityOptions& options);  // with bands

  RunSketch sketch(std::span<const std::uint64_t> features) const;

  // Whether a run compares the two exactly: they share a band key, and enough slots of their cut
  // signatures agree.
  bool finds(const RunSketch& a, const RunSketch& b) const noexcept;

 private:
  MinHasher minhasher_;
  Banding banding_;
  int least_equal_;
};

// The same for containment. Threads: immutable; share freely.
class RunAnchors {
 public:
  explicit RunAnchors(const SimilarityOptions& options);

  // Whether a run compares two sets of unique features: the larger one has enough of the anchors of
  // the smaller one; of equally large ones each of the other. Cost: a look at all features.
  bool finds(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) const;

 private:
  bool has_anchors_of(std::span<const std::uint64_t> smaller,
                      std::span<const std::uint64_t> larger) const;

  AnchorPlan plan_;
  NeededAnchors needed_;
  std::uint64_t seed_;
};

}  // namespace benzer
