// Provides a set of 64-bit keys that are hashes already. It grows, and takes 16 to 32 bytes a key.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace benzer {

class KeySet {
 public:
  std::uint64_t size() const noexcept { return size_ + has_zero_; }

  // True if the key was not in the set.
  bool insert(std::uint64_t key) {
    if (key == 0) return !std::exchange(has_zero_, true);
    if (2 * (size_ + 1) > places_.size()) grow();
    std::uint64_t& place = find(key);
    if (place == key) return false;
    place = key;
    ++size_;
    return true;
  }

 private:
  std::uint64_t& find(std::uint64_t key) noexcept {
    const std::size_t mask = places_.size() - 1;
    std::size_t at = key & mask;
    while (places_[at] != 0 && places_[at] != key) at = (at + 1) & mask;
    return places_[at];
  }

  void grow() {
    std::vector<std::uint64_t> old(2 * places_.size());
    old.swap(places_);
    for (const std::uint64_t key : old)
      if (key != 0) find(key) = key;
  }

  std::vector<std::uint64_t> places_ = std::vector<std::uint64_t>(1024);  // 0: free
  std::uint64_t size_ = 0;
  bool has_zero_ = false;
};

}  // namespace benzer
