// Brings the cut signatures of some sets into memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dedup/distinct_sets.h"
#include "dedup/sketch_table.h"

namespace benzer {

// Copies those that are in the file of the table, which is read from front to back for each call.
class GatheredSignatures {
 public:
  GatheredSignatures(const SketchTable& table, const DistinctSets& sets)
      : table_(table), sets_(sets) {}

  // The memory for a set, with its number in the list that gather() gets, and for kNoSet.
  static std::size_t bytes_each(const SketchTable& table) noexcept {
    return kBytesOfNone + sizeof(std::uint32_t) + (table.workspace().limited() ? table.slots() : 0);
  }
  static constexpr std::size_t kBytesOfNone = sizeof(SetNumber) + sizeof(const std::uint8_t*);

  // Gathers the signatures of these sets, in any order, with repeats; kNoSet: none is needed.
  void gather(std::span<const SetNumber> wanted);
  // Returns the signature of the i-th of them. It is valid until the next call of gather().
  const std::uint8_t* operator[](std::size_t i) const noexcept { return signatures_[i]; }

 private:
  const SketchTable& table_;
  const DistinctSets& sets_;
  std::vector<const std::uint8_t*> signatures_;
  std::vector<std::uint8_t> copies_;
};

}  // namespace benzer
