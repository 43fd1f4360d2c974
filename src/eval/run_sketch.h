// Computes what a run keeps of a document, and decides whether it would compare two documents.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benzer/dedup.h"
#include "benzer/sketch.h"

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

}  // namespace benzer
