#include "image/sift.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "image/scale_space.h"

namespace benzer {
namespace {

constexpr std::uint32_t kSmallestSide = 16;
constexpr float kPi = std::numbers::pi_v<float>;
// Only this many points of the highest contrast are considered.
constexpr std::size_t kConsidered = 2500;
// A point is clearly stronger than another if it has more than this many times its contrast.
constexpr float kShade = 1 / 0.9f;

struct Slope {
  float x, y;
};

Slope slope(const Plane& from, int x, int y) {
  return {from.at(x + 1, y) - from.at(x - 1, y), from.at(x, y + 1) - from.at(x, y - 1)};
}

// The direction in turns, [0, 1). The polynomial replaces std::atan2, which would take a fourth of
// the time of an image. It is off by 4e-5 at most, and a bin is an eighth.
float direction(Slope slope) {
  const float x = std::abs(slope.x), y = std::abs(slope.y), longer = std::max(x, y);
  if (longer == 0) return 0;
  const float t = std::min(x, y) / longer, t2 = t * t;
  const float radians = t * (1 + t2 * (-0.327622764f + t2 * (0.15931422f - t2 * 0.0464964749f)));
  float turns = radians / (2 * kPi);
  if (y > x) turns = 0.25f - turns;
  if (slope.x < 0) turns = 0.5f - turns;
  if (slope.y < 0) turns = 1 - turns;
  return turns < 1 ? turns : 0;
}

// Calls visit(x, y) for the pixels of a square with this reach, without the outermost pixels of the
// plane.
template <class Visit>
void for_each_around(const Plane& from, float x, float y, float reach, Visit visit) {
  const int left = std::max(1, static_cast<int>(std::floor(x - reach)));
  const int right = std::min(from.width - 2, static_cast<int>(std::ceil(x + reach)));
  const int top = std::max(1, static_cast<int>(std::floor(y - reach)));
  const int bottom = std::min(from.height - 2, static_cast<int>(std::ceil(y + reach)));
  for (int row = top; row <= bottom; ++row)
    for (int column = left; column <= right; ++column) visit(column, row);
}

// The directions, in turns, of the strongest slopes around the point: the strongest one, and others
// of at least four fifths of it.
std::vector<float> orientations(const Plane& from, const StandsOut& place, float blur) {
  constexpr std::size_t kBins = 36;
  std::array<float, kBins> bins{};
  const float deviation = 1.5f * blur;
  for_each_around(from, place.x, place.y, 3 * deviation, [&](int x, int y) {
    const float dx = static_cast<float>(x) - place.x, dy = static_cast<float>(y) - place.y;
    const Slope s = slope(from, x, y);
    const float weight = std::exp(-(dx * dx + dy * dy) / (2 * deviation * deviation));
    const auto bin = static_cast<std::size_t>(std::lround(direction(s) * kBins)) % kBins;
    bins[bin] += weight * std::sqrt(s.x * s.x + s.y * s.y);
  });
  const auto around = [](const std::array<float, kBins>& all, std::size_t i, std::size_t by) {
    return all[(i + by) % kBins] + all[(i + kBins - by) % kBins];
  };
  std::array<float, kBins> smooth;
  for (std::size_t i = 0; i < kBins; ++i)
    smooth[i] = (around(bins, i, 2) + 4 * around(bins, i, 1) + 6 * bins[i]) / 16;
  const float highest = *std::max_element(smooth.begin(), smooth.end());
  std::vector<float> out;
  for (std::size_t i = 0; i < kBins; ++i) {
    const float before = smooth[(i + kBins - 1) % kBins], after = smooth[(i + 1) % kBins];
    if (smooth[i] < 0.8f * highest || smooth[i] <= before || smooth[i] <= after) continue;
    const float top = 0.5f * (before - after) / (before - 2 * smooth[i] + after);
    const float turns = (static_cast<float>(i) + top) / kBins;
    out.push_back(turns - std::floor(turns));
  }
  return out;
}

// Collects the slopes around a point: shares the weight of each between the two nearest bins along
// each of three axes.
class Cells {
 public:
  void add(float x, float y, float turns, float weight) {
    const float left = std::floor(x), top = std::floor(y);
    const float direction = turns * kDirections, first = std::floor(direction);
    const std::array<float, 2> across = {1 - (x - left), x - left};
    const std::array<float, 2> down = {1 - (y - top), y - top};
    const std::array<float, 2> round = {1 - (direction - first), direction - first};
    for (int i = 0; i < 2; ++i) {
      const int row = static_cast<int>(top) + i;
      if (row < 0 || row >= kSide) continue;
      for (int j = 0; j < 2; ++j) {
        const int column = static_cast<int>(left) + j;
        if (column < 0 || column >= kSide) continue;
        const float share =
            weight * down[static_cast<std::size_t>(i)] * across[static_cast<std::size_t>(j)];
        for (int k = 0; k < 2; ++k) {
          const int bin = (static_cast<int>(first) + k) % kDirections;
          bins_[static_cast<std::size_t>((row * kSide + column) * kDirections + bin)] +=
              share * round[static_cast<std::size_t>(k)];
        }
      }
    }
  }

  Descriptor finish() {
    const auto norm = [&] {
      float sum = 0;
      for (const float value : bins_) sum += value * value;
      return std::sqrt(sum);
    };
    // Limits each bin, so that no single edge dominates.
    const float most = 0.2f * norm();
    float sum = 0;
    for (float& value : bins_) sum += value = std::min(value, most);
    Descriptor out{};
    if (sum > 0)
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::uint8_t>(std::min(255.0f, 512 * std::sqrt(bins_[i] / sum)));
    return out;
  }

  static constexpr int kSide = 4;

 private:
  static constexpr int kDirections = 8;
  std::array<float, kSide * kSide * kDirections> bins_{};
};

Descriptor describe(const Plane& from, const StandsOut& place, float blur, float angle) {
  const float cell = 3 * blur;
  const float c = std::cos(angle) / cell, s = std::sin(angle) / cell;
  constexpr float kHalf = Cells::kSide / 2.0f;
  Cells cells;
  for_each_around(from, place.x, place.y, cell * std::numbers::sqrt2_v<float> * (kHalf + 0.5f),
                  [&](int column, int row) {
                    const float dx = static_cast<float>(column) - place.x;
                    const float dy = static_cast<float>(row) - place.y;
                    const float x = c * dx + s * dy, y = c * dy - s * dx;
                    if (std::abs(x) >= kHalf + 0.5f || std::abs(y) >= kHalf + 0.5f) return;
                    const Slope rises = slope(from, column, row);
                    const float turns = direction(rises) - angle / (2 * kPi);
                    const float weight = std::exp(-(x * x + y * y) / (2 * kHalf * kHalf));
                    cells.add(x + kHalf - 0.5f, y + kHalf - 0.5f, turns - std::floor(turns),
                              weight * std::sqrt(rises.x * rises.x + rises.y * rises.y));
                  });
  return cells.finish();
}

// Orders points so that they are spread over the image, since its strongest points may all be in
// one caption. Points are sorted by the distance to the next one that is clearly stronger: the
// strongest point is first, then those that are the strongest far around (M. Brown, R. Szeliski and
// S. Winder, "Multi-image matching using multi-scale oriented patches", CVPR 2005).
std::vector<StandsOut> spread(std::vector<StandsOut> points) {
  std::stable_sort(points.begin(), points.end(),
                   [](const StandsOut& a, const StandsOut& b) { return a.contrast > b.contrast; });
  if (points.size() > kConsidered) points.resize(kConsidered);
  struct Ranked {
    float reach;  // squared, in pixels of the image
    std::size_t point;
  };
  std::vector<Ranked> ranked;
  std::vector<std::pair<float, float>> places;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto scale = static_cast<float>(1u << points[i].octave);
    const auto [x, y] = places.emplace_back(points[i].x * scale, points[i].y * scale);
    float reach = std::numeric_limits<float>::max();
    for (std::size_t j = 0; j < i && points[j].contrast > kShade * points[i].contrast; ++j) {
      const float dx = places[j].first - x, dy = places[j].second - y;
      reach = std::min(reach, dx * dx + dy * dy);
    }
    ranked.push_back({reach, i});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.reach > b.reach; });
  std::vector<StandsOut> out;
  for (const Ranked& one : ranked) out.push_back(points[one.point]);
  return out;
}

}  // namespace

std::vector<KeyPoint> key_points(const Picture& grey, std::size_t most) {
  if (grey.width < kSmallestSide || grey.height < kSmallestSide) return {};
  ScaleSpace space = scale_space(grey);
  std::vector<KeyPoint> out;
  for (const StandsOut& place : spread(std::move(space.points))) {
    const auto nearest = static_cast<std::size_t>(std::lround(place.step));
    const Plane& from = space.octaves[place.octave].blurred[nearest];
    const float blur = blur_of_step(place.step);
    const auto scale = static_cast<float>(1u << place.octave);
    for (const float turns : orientations(from, place, blur)) {
      if (out.size() >= most) return out;
      KeyPoint& point = out.emplace_back();
      point.x = place.x * scale;
      point.y = place.y * scale;
      point.size = blur * scale;
      point.angle = 2 * kPi * turns;
      point.descriptor = describe(from, place, blur, point.angle);
    }
  }
  return out;
}

}  // namespace benzer
