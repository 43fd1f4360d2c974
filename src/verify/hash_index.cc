#include "verify/hash_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "benzer/runtime.h"

#include "sketch/kernels/kernels.h"

namespace benzer {
namespace {

constexpr std::size_t kValues = std::size_t{1} << kChunkBits;
// Fewer hashes than this are compared one after the other, without tables.
constexpr std::size_t kSmall = 4096;
// Reading a hash at a random place costs this many times as much as reading the next one.
constexpr std::size_t kFarHash = 4;

}  // namespace

bool HashIndex::is_near(const ImageHash& query, std::uint32_t number,
                        std::uint32_t distance) const noexcept {
  const Words& other = hashes_[number];
  return kernels_.count_different_bits(query.words.data(), other.data(), other.size()) <= distance;
}

int chunk_radius(int chunks, int place, int distance) noexcept {
  return distance / chunks - (place <= distance % chunks ? 0 : 1);
}

std::span<const std::uint16_t> chunk_flips(int radius) {
  struct Flips {
    std::vector<std::uint16_t> all;
    std::array<std::size_t, kLargestRadius + 1> counts;
  };
  static const Flips flips = [] {
    Flips out;
    for (int ones = 0; ones <= kLargestRadius; ++ones) {
      for (std::size_t value = 0; value < kValues; ++value)
        if (std::popcount(value) == ones) out.all.push_back(static_cast<std::uint16_t>(value));
      out.counts[static_cast<std::size_t>(ones)] = out.all.size();
    }
    return out;
  }();
  if (radius < 0) return {};
  return std::span(flips.all).first(flips.counts[static_cast<std::size_t>(radius)]);
}

HashIndex::HashIndex(std::vector<ImageHash> hashes, int bits)
    : kernels_(kernels_for(active_cpu_level())), chunks_(bits / kChunkBits) {
  hashes_.reserve(hashes.size());
  for (const ImageHash& hash : hashes) hashes_.push_back(hash.words);
  if (hashes_.size() < kSmall) return;
  starts_.resize(static_cast<std::size_t>(chunks_));
  numbers_.resize(static_cast<std::size_t>(chunks_));
  for (int place = 0; place < chunks_; ++place) {
    std::vector<std::uint32_t>& starts = starts_[static_cast<std::size_t>(place)];
    std::vector<std::uint32_t>& numbers = numbers_[static_cast<std::size_t>(place)];
    starts.assign(kValues + 1, 0);
    for (const ImageHash& hash : hashes) ++starts[chunk(hash, place) + std::size_t{1}];
    for (std::size_t value = 1; value <= kValues; ++value) starts[value] += starts[value - 1];
    numbers.resize(hashes.size());
    std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
    for (std::uint32_t i = 0; i < hashes.size(); ++i) numbers[next[chunk(hashes[i], place)]++] = i;
  }
}

void HashIndex::scan(const ImageHash& query, int distance, std::vector<std::uint32_t>& out) const {
  for (std::uint32_t i = 0; i < hashes_.size(); ++i)
    if (is_near(query, i, static_cast<std::uint32_t>(distance))) out.push_back(i);
}

void HashIndex::find(const ImageHash& query, int distance, std::vector<std::uint32_t>& out) const {
  if (starts_.empty() || distance / chunks_ > kLargestRadius) return scan(query, distance, out);
  // All places are collected first, to compare their cost with that of a scan.
  std::vector<std::pair<const std::uint32_t*, const std::uint32_t*>> places;
  std::size_t met = 0;
  for (int place = 0; place < chunks_; ++place) {
    const std::vector<std::uint32_t>& starts = starts_[static_cast<std::size_t>(place)];
    const std::uint32_t* numbers = numbers_[static_cast<std::size_t>(place)].data();
    const std::uint16_t value = chunk(query, place);
    for (const std::uint16_t flip : chunk_flips(chunk_radius(chunks_, place, distance))) {
      const std::size_t at = static_cast<std::size_t>(value ^ flip);
      if (starts[at] == starts[at + 1]) continue;
      places.emplace_back(numbers + starts[at], numbers + starts[at + 1]);
      met += starts[at + 1] - starts[at];
    }
  }
  if (met * kFarHash > hashes_.size()) return scan(query, distance, out);
  constexpr std::size_t kAhead = 8;  // places
  const auto before = static_cast<std::ptrdiff_t>(out.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i + kAhead < places.size()) {
      const auto& [begin, end] = places[i + kAhead];
      for (const std::uint32_t* number = begin; number != end; ++number)
        __builtin_prefetch(&hashes_[*number]);
    }
    for (const std::uint32_t* number = places[i].first; number != places[i].second; ++number)
      if (is_near(query, *number, static_cast<std::uint32_t>(distance))) out.push_back(*number);
  }
  std::sort(out.begin() + before, out.end());
  out.erase(std::unique(out.begin() + before, out.end()), out.end());
}

}  // namespace benzer
