#include "image/near.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "image/align.h"
#include "image/area.h"
#include "image/trimmed.h"

namespace benzer {
namespace {

constexpr std::size_t kWindows = 4;  // a side
constexpr double kSlopeShare = 0.1;
constexpr double kNoise = 0.7;
constexpr double kFaint = 2;
constexpr double kDropped = 0.2;
constexpr double kDoubt = 0.02 * kWindows * kWindows;
constexpr double kHopeless = 0.35;  // at half size, where copies of an image have far more

// The distance of two hashes, where the 8 x 8 lowest of the 16 x 16 frequencies count four times: a
// small move of the image hardly changes them.
int bits_apart(const ImageHash& a, const ImageHash& b) noexcept {
  constexpr std::uint64_t kLow = 0x00ff00ff00ff00ff;  // of four rows
  const int low = std::popcount((a.words[0] ^ b.words[0]) & kLow) +
                  std::popcount((a.words[1] ^ b.words[1]) & kLow);
  return distance(a, b) + 3 * low;
}
constexpr double kClear = 0.9;  // above this, no other map is tried

// The similarity that the published bounds of PDQ give: 1 at 0 bits, kNearThreshold at 31, and 0
// beyond that or for a quality below 50.
double by_hash(const ImageHash& a, const ImageHash& b) noexcept {
  const int bits = distance(a, b);
  if (bits > 31 || std::min(a.quality, b.quality) < 50) return 0;
  return 1 - (1 - kNearThreshold) * bits / 31;
}

using Levels = std::array<AlignLevel, 3>;

struct Window {
  double agreement;
  double evidence;
};

// Sums over the places of a window that both images cover.
struct Moments {
  double places = 0;
  std::array<double, 4> sum{};                     // of a, b, column and row
  std::array<std::array<double, 4>, 4> product{};  // the upper half

  void add(const std::array<double, 4>& terms) {
    places += 1;
    for (std::size_t i = 0; i < 4; ++i) {
      sum[i] += terms[i];
      for (std::size_t j = i; j < 4; ++j) product[i][j] += terms[i] * terms[j];
    }
  }
  double covariance(std::size_t i, std::size_t j) const {
    return product[i][j] / places - sum[i] / places * (sum[j] / places);
  }
  // The covariance without most of what a linear slope across the window explains. Many different
  // images are brightest in the middle or at the top, so a slope says little.
  double without_slope(std::size_t i, std::size_t j) const {
    double slopes = 0;
    for (const std::size_t axis : {2u, 3u})
      if (const double spread = covariance(axis, axis); spread > 0)
        slopes += covariance(i, axis) * covariance(j, axis) / spread;
    return covariance(i, j) - (1 - kSlopeShare) * slopes;
  }
};

Window window_of(const AlignLevel& base, const std::vector<float>& over, std::size_t x0,
                 std::size_t y0) {
  const std::size_t size = base.side / kWindows;
  Moments moments;
  for (std::size_t y = 0; y < size; ++y)
    for (std::size_t x = 0; x < size; ++x) {
      const std::size_t i = (y0 + y) * base.side + x0 + x;
      if (over[i] == kOutside) continue;
      moments.add({base.grey[i], over[i], static_cast<double>(x), static_cast<double>(y)});
    }
  if (2 * moments.places < static_cast<double>(size * size)) return {0, 0};
  const double variance_a = std::max(0.0, moments.without_slope(0, 0));
  const double variance_b = std::max(0.0, moments.without_slope(1, 1));
  const double most = std::max(variance_a, variance_b);
  return {moments.without_slope(0, 1) / (std::sqrt(variance_a * variance_b) + kNoise),
          most / (most + kFaint)};
}

double agreement(const AlignLevel& base, const AlignLevel& over, const AffineMap& map) {
  const std::vector<float> greys = laid(over, map);
  const auto outside = static_cast<double>(std::count(greys.begin(), greys.end(), kOutside));
  const double overlap = 1 - outside / static_cast<double>(greys.size());
  std::array<Window, kWindows * kWindows> windows;
  double all = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const std::size_t size = base.side / kWindows;
    windows[i] = window_of(base, greys, i % kWindows * size, i / kWindows * size);
    all += windows[i].evidence;
  }
  std::sort(windows.begin(), windows.end(), [](const Window& a, const Window& b) {
    return a.agreement != b.agreement ? a.agreement < b.agreement : a.evidence < b.evidence;
  });
  double to_drop = kDropped * all;
  double evidence = 0;
  double sum = 0;
  for (const Window& window : windows) {
    const double kept = std::max(0.0, window.evidence - to_drop);
    to_drop = std::max(0.0, to_drop - window.evidence);
    evidence += kept;
    sum += kept * window.agreement;
  }
  return sum / (evidence + kDoubt) * std::min(1.0, 0.4 + 0.8 * overlap);
}

struct Placed {
  AffineMap map;
  double value = -2;

  void prefer(const AffineMap& other, double other_value) {
    if (other_value <= value) return;
    map = other;
    value = other_value;
  }
};

// The best map of `over` onto `base`; if it is hopeless at half size, the result is that of half
// size.
Placed placed(const Levels& base, const Levels& over) {
  // Starts from three scales, since a crop, or a frame that trimmed() did not recognise, is further
  // away than one fit reaches.
  Placed coarse;
  for (const float scale : {1.0f, 0.86f, 1.16f}) {
    AffineMap map{.m = {scale, 0, 0, 0, scale, 0}};
    fit(base[2], over[2], 6, map);
    coarse.prefer(map, agreement(base[2], over[2], map));
    if (coarse.value > kClear) break;
  }
  // A watermark can lead the coarse level astray, so the identity is tried again.
  Placed half;
  for (AffineMap map : {coarse.map, AffineMap{}}) {
    fit(base[1], over[1], 5, map);
    half.prefer(map, agreement(base[1], over[1], map));
    if (half.value > kClear) break;
  }
  if (half.value < kHopeless) return half;
  AffineMap map = half.map;
  fit(base[0], over[0], 2, map);
  Placed full;
  full.prefer(map, agreement(base[0], over[0], map));
  full.prefer(AffineMap{}, agreement(base[0], over[0], AffineMap{}));
  return full;
}

// The agreement in the other direction, from the inverse of the map that was found.
double placed_back(const AlignLevel& base, const AlignLevel& over, const AffineMap& found) {
  AffineMap map = inverse(found);
  const double value = agreement(base, over, map);
  fit(base, over, 2, map);
  return std::max(value, agreement(base, over, map));
}

}  // namespace

NearFeatures near_features(const Picture& grey) {
  const Picture inner = trimmed(grey);
  NearFeatures features{.whole = pdq(grey)};
  features.inner = inner.pixels.size() == grey.pixels.size() ? features.whole : pdq(inner);
  const Picture small = area_resized(inner, kThumbnailSide, kThumbnailSide);
  std::copy(small.pixels.begin(), small.pixels.end(), features.thumbnail.begin());
  return features;
}

bool has_little_contrast(const NearFeatures& picture) {
  const AlignLevel thumbnail = align_levels(picture.thumbnail.data(), kThumbnailSide)[0];
  return std::max(agreement(thumbnail, thumbnail, AffineMap{}),
                  by_hash(picture.inner, picture.inner)) < kNearThreshold;
}

bool near_candidates(const NearFeatures& a, const NearFeatures& b) noexcept {
  return near_candidates(NearHashes{a.whole, a.inner}, NearHashes{b.whole, b.inner});
}

bool near_candidates(const NearHashes& a, const NearHashes& b) noexcept {
  return bits_apart(a.inner, b.inner) <= 166 || bits_apart(a.whole, b.whole) <= 140;
}

double near_similarity(const NearFeatures& a, const NearFeatures& b) {
  if (a == b) return 1;
  // The two directions are computed differently, so the order is fixed to make the result
  // symmetric.
  const bool swapped = b.thumbnail < a.thumbnail;
  const Levels first = align_levels((swapped ? b : a).thumbnail.data(), kThumbnailSide);
  const Levels second = align_levels((swapped ? a : b).thumbnail.data(), kThumbnailSide);
  const Placed best = placed(first, second);
  double similarity = best.value;
  if (similarity >= kHopeless)
    similarity = std::min(similarity, placed_back(second[0], first[0], best.map));
  return std::clamp(similarity, by_hash(a.inner, b.inner), 1.0);
}

}  // namespace benzer
