// What a run keeps of a document, and whether it would make a pair of two of them.
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

  // They share a band, and their cut signatures agree in enough places: what is left is the exact
  // comparison.
  bool finds(const RunSketch& a, const RunSketch& b) const noexcept;

 private:
  MinHasher minhasher_;
  Banding banding_;
  int least_equal_;
};

}  // namespace benzer
