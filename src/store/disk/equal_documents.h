// Finds the documents of a sequence that may be equal to an earlier one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "store/store.h"

namespace benzer {

// A table of hashes of limited size. A full set forgets the entry with the fewest copies, and of
// those the oldest. So documents that come often are kept, and one that is forgotten has few
// copies. Threads: one. Hashes must have a key that nobody knows (secret.h).
class EqualDocuments {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  static constexpr DocumentNumber kFree = ~DocumentNumber{0};

  struct Entry {
    std::uint64_t hash = 0;
    DocumentNumber document = kFree;
    std::uint32_t copies = 0;
    bool is_free() const noexcept { return document == kFree; }
  };

  // most_bytes: tests lower it.
  explicit EqualDocuments(std::size_t most_bytes = kMostBytes);

  // Starts to load what find() of this hash looks at.
  void prefetch(std::uint64_t hash) noexcept { __builtin_prefetch(&set_of(hash)); }
  // The entry with this hash, or null. Valid until the next call.
  Entry* find(std::uint64_t hash) noexcept;
  // The hash must not be known yet.
  void add(std::uint64_t hash, DocumentNumber document);

 private:
  static constexpr std::size_t kWays = 4;
  struct alignas(64) Set : std::array<Entry, kWays> {};  // a cache line

  Set& set_of(std::uint64_t hash) noexcept { return sets_[hash & (sets_.size() - 1)]; }
  void grow();
  void put(const Entry& entry) noexcept;

  std::size_t most_sets_;
  std::vector<Set> sets_;  // a power of two
  std::size_t used_ = 0;
};

}  // namespace benzer
