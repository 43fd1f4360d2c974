#include "passages/shingle_sampler.h"

#include <algorithm>

#include "base/splitmix.h"

namespace benzer {
namespace {

constexpr std::size_t kLongestShingle = 32;
// Odd, so that no word is lost. The words are secret, so this need not be.
constexpr std::uint64_t kShingleBase = 0xD6E8FEB86659FD93;

}  // namespace

ShingleSampler::ShingleSampler(std::size_t shingle, std::size_t window) noexcept
    : shingle_(shingle), window_(window), leaving_(1) {
  for (std::size_t i = 0; i < shingle_; ++i) leaving_ *= kShingleBase;
}

ShingleSampler ShingleSampler::for_runs(std::uint32_t min_words) noexcept {
  const std::size_t shingle = std::min<std::size_t>((min_words + 2) / 3, kLongestShingle);
  return {shingle, min_words - shingle + 1};
}

ShingleSampler ShingleSampler::for_seeds(std::uint32_t min_words) noexcept {
  const std::size_t shingle = std::min<std::size_t>((3 * min_words + 3) / 4, kLongestShingle);
  return {shingle, min_words - shingle + 1};
}

void ShingleSampler::sample(std::span<const std::uint64_t> words,
                            std::vector<ShingleSample>& samples) {
  samples.clear();
  if (words.size() < shingle_ + window_ - 1) return;
  const std::size_t count = words.size() - shingle_ + 1;
  shingles_.resize(count);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    sum = sum * kShingleBase + words[i];
    if (i >= shingle_) sum -= words[i - shingle_] * leaving_;
    if (i + 1 >= shingle_) shingles_[i + 1 - shingle_] = splitmix64(sum);
  }
  std::size_t least = count;  // place of the choice of the window before; none yet
  for (std::size_t begin = 0; begin + window_ <= count; ++begin) {
    const std::size_t last = begin + window_ - 1;
    const std::size_t before = least;
    if (least >= count || least < begin) {
      least = begin;
      for (std::size_t i = begin + 1; i <= last; ++i)
        if (shingles_[i] <= shingles_[least]) least = i;
    } else if (shingles_[last] <= shingles_[least]) {
      least = last;
    }
    if (least != before) samples.push_back({shingles_[least], static_cast<std::uint32_t>(least)});
  }
}

}  // namespace benzer
