#include "image/sift_features.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace benzer {
namespace {

std::uint64_t limited(float value, std::uint64_t most) {
  return static_cast<std::uint64_t>(std::clamp(std::lround(value), 0L, static_cast<long>(most)));
}

std::uint64_t pack(const KeyPoint& point, const VisualWords::Word& word) {
  const float turns = point.angle / (2 * std::numbers::pi_v<float>);
  const std::uint64_t angle = limited(turns * kAngleSteps, kAngleSteps) % kAngleSteps;
  return std::uint64_t{word.number} << 48 | std::uint64_t{word.side} << 32 |
         limited(point.x, kLongestWithPoints - 1) << 23 |
         limited(point.y, kLongestWithPoints - 1) << 14 |
         limited(std::log2(point.size) * kSizeSteps, kMostSizeSteps) << 9 | angle << 3 |
         static_cast<std::uint64_t>(word.weight - 1);
}

VisualWord unpack(std::uint64_t feature) noexcept {
  const auto bits = [feature](int from, int count) {
    return static_cast<int>(feature >> from & ((std::uint64_t{1} << count) - 1));
  };
  VisualWord out;
  out.number = static_cast<std::uint16_t>(bits(48, 16));
  out.side = static_cast<std::uint16_t>(bits(32, 16));
  out.x = static_cast<float>(bits(23, 9));
  out.y = static_cast<float>(bits(14, 9));
  out.size = static_cast<float>(bits(9, 5)) / kSizeSteps;
  out.angle = static_cast<float>(bits(3, 6)) / kAngleSteps;
  out.weight = bits(0, 3) + 1;
  return out;
}

}  // namespace

void add_sift_features(const Picture& grey, const VisualWords& vocabulary,
                       std::vector<std::uint64_t>& out) {
  for (const KeyPoint& point : key_points(grey, kMostPoints))
    out.push_back(pack(point, vocabulary.word(point.descriptor)));
}

std::vector<VisualWord> read_sift_features(std::span<const std::uint64_t> features) {
  std::vector<std::uint64_t> sorted;
  if (!std::is_sorted(features.begin(), features.end())) {  // those that are kept are
    sorted.assign(features.begin(), features.end());
    std::sort(sorted.begin(), sorted.end());
    features = sorted;
  }
  std::vector<VisualWord> out;
  out.reserve(features.size());
  for (const std::uint64_t feature : features) out.push_back(unpack(feature));
  return out;
}

}  // namespace benzer
