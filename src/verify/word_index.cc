#include "verify/word_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>

namespace benzer {
namespace {

constexpr std::size_t kWords = std::size_t{1} << 16;
constexpr int kMostSideBits = 3;
constexpr int kStepsAnAngle = 4;

bool is_near(std::uint16_t side, std::uint16_t other) {
  return std::popcount(static_cast<std::uint16_t>(side ^ other)) <= kMostSideBits;
}

// Returns which of the counted angles turns `angle` into `other`.
std::size_t turn(int angle, int other) {
  return static_cast<std::size_t>((other + kAngleSteps - angle) % kAngleSteps / kStepsAnAngle);
}

std::uint16_t added(std::uint16_t count, int weight) {
  constexpr int kMost = std::numeric_limits<std::uint16_t>::max() / 2;
  return static_cast<std::uint16_t>(std::min(kMost, count + weight));
}

// Returns the largest sum of two neighbouring counts, since an angle may be at the border of two.
template <class Counts>
int best_of(const Counts& counts, std::size_t angles) {
  int best = 0;
  for (std::size_t i = 0; i < angles; ++i)
    best = std::max(best, counts[i] + counts[(i + 1) % angles]);
  return best;
}

}  // namespace

int words_in_common(std::span<const VisualWord> a, std::span<const VisualWord> b) {
  std::array<std::uint16_t, kAngleSteps / kStepsAnAngle> counts{};
  std::size_t begin = 0;
  for (const VisualWord& x : a) {
    while (begin < b.size() && b[begin].number < x.number) ++begin;
    for (std::size_t j = begin; j < b.size() && b[j].number == x.number; ++j) {
      if (!is_near(x.side, b[j].side)) continue;
      std::uint16_t& count = counts[turn(angle_steps(x), angle_steps(b[j]))];
      count = added(count, x.weight);
    }
  }
  return best_of(counts, counts.size());
}

WordIndex::WordIndex(std::uint32_t pictures,
                     const std::function<std::vector<VisualWord>(std::uint32_t)>& words_of)
    : starts_(kWords + 1), sizes_(pictures) {
  for (std::uint32_t picture = 0; picture < pictures; ++picture) {
    const std::vector<VisualWord> words = words_of(picture);
    sizes_[picture] = static_cast<std::uint32_t>(words.size());
    for (const VisualWord& word : words) ++starts_[word.number + 1u];
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  postings_.resize(starts_.back());
  std::vector<std::uint64_t> next(starts_.begin(), starts_.end() - 1);
  for (std::uint32_t picture = 0; picture < pictures; ++picture)
    for (const VisualWord& word : words_of(picture))
      postings_[next[word.number]++] = {picture, word.side,
                                        static_cast<std::uint8_t>(angle_steps(word)),
                                        static_cast<std::uint8_t>(word.weight)};
}

void WordIndex::find(std::span<const VisualWord> words, LookedUp looked_up, Votes& votes,
                     std::vector<std::uint32_t>& out) const {
  const bool is_first = looked_up == LookedUp::kFirst;
  for (const VisualWord& word : words) {
    const int angle = angle_steps(word);
    for (std::uint64_t i = starts_[word.number]; i < starts_[word.number + 1u]; ++i) {
      const Posting& other = postings_[i];
      if (!is_near(word.side, other.side)) continue;
      const std::size_t turned = is_first ? turn(angle, other.angle) : turn(other.angle, angle);
      std::uint16_t& count = votes.counts_[std::size_t{other.picture} * kAngles + turned];
      if (count == 0) votes.touched_.push_back(other.picture);
      count = added(count, is_first ? word.weight : other.weight);
    }
  }
  std::sort(votes.touched_.begin(), votes.touched_.end());
  votes.touched_.erase(std::unique(votes.touched_.begin(), votes.touched_.end()),
                       votes.touched_.end());
  for (const std::uint32_t picture : votes.touched_) {
    std::uint16_t* counts = &votes.counts_[std::size_t{picture} * kAngles];
    if (enough_in_common(best_of(counts, kAngles), words.size(), sizes_[picture]))
      out.push_back(picture);
    std::fill_n(counts, kAngles, std::uint16_t{0});
  }
  votes.touched_.clear();
}

}  // namespace benzer
