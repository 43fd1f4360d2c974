#include "image/sift_match.h"

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

namespace benzer {
namespace {

// The most bits in which the sides of points with the same word may differ, and of points whose
// words have one half in common.
constexpr int kMostSideBits = 5;
constexpr int kMostSideBitsOfHalf = 3;
constexpr int kHalfIsWorse = 2;  // bits
// How many of the most similar pairs are used, and how many of these are tried as hypotheses.
constexpr std::size_t kMostPairs = 800;
constexpr std::size_t kHypotheses = 300;

constexpr float kSizeApart = 0.8f;   // octaves
constexpr float kAngleApart = 0.1f;  // turns
// How far a point may be from where the map takes it, in pixels. A hypothesis from one point has
// its turn and size only roughly.
constexpr float kFarAtFirst = 14;
constexpr float kFar = 5;
constexpr int kRounds = 4;  // of fitting, the first half with 2 * kFar
constexpr std::size_t kTooFew = 4;
constexpr double kByChance = 30;  // one in this many similar pairs agrees by chance
// Maps that squeeze an image to less than a fifth of its width are rejected.
constexpr double kMostSqueezed = 5.0 + 1 / 5.0;
constexpr std::uint32_t kPlace = 8;

// Two points that look alike, one of each image.
struct Pair {
  std::uint32_t a, b;
  int apart;          // bits
  float size, angle;  // the difference from a to b
};

Pair pair_of(std::span<const VisualWord> a, std::span<const VisualWord> b, std::uint32_t i,
             std::uint32_t j, int apart) {
  const float angle = b[j].angle - a[i].angle;
  return {i, j, apart, b[j].size - a[i].size, angle - std::floor(angle)};
}

std::vector<Pair> alike(std::span<const VisualWord> a, std::span<const VisualWord> b) {
  std::array<std::vector<std::uint32_t>, 256> by_first, by_second;
  for (std::uint32_t j = 0; j < b.size(); ++j) {
    by_first[b[j].number >> 8].push_back(j);
    by_second[b[j].number & 255].push_back(j);
  }
  std::vector<Pair> out;
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    const auto bits_apart = [&](std::uint32_t j) {
      return std::popcount(static_cast<std::uint16_t>(a[i].side ^ b[j].side));
    };
    for (const std::uint32_t j : by_first[a[i].number >> 8]) {
      const bool whole = a[i].number == b[j].number;
      const int bits = bits_apart(j);
      if (bits <= (whole ? kMostSideBits : kMostSideBitsOfHalf))
        out.push_back(pair_of(a, b, i, j, bits + (whole ? 0 : kHalfIsWorse)));
    }
    for (const std::uint32_t j : by_second[a[i].number & 255])
      if (const int bits = bits_apart(j); bits <= kMostSideBitsOfHalf && a[i].number != b[j].number)
        out.push_back(pair_of(a, b, i, j, bits + kHalfIsWorse));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Pair& x, const Pair& y) { return x.apart < y.apart; });
  if (out.size() > kMostPairs) out.resize(kMostPairs);
  return out;
}

class Places {
 public:
  void add(const VisualWord& word) {
    const auto column = static_cast<std::size_t>(word.x) / kPlace;
    places_.set(static_cast<std::size_t>(word.y) / kPlace * kSide + column);
  }
  std::size_t count() const { return places_.count(); }

 private:
  static constexpr std::size_t kSide = kLongestWithPoints / kPlace;
  std::bitset<kSide * kSide> places_;
};

// The map that takes the point of a to that of b, with the difference of their size and angle.
AffineMap map_of(const VisualWord& a, const VisualWord& b, const Pair& pair) {
  const float scale = std::exp2(pair.size), angle = 2 * std::numbers::pi_v<float> * pair.angle;
  const float c = scale * std::cos(angle), s = scale * std::sin(angle);
  return {.m = {c, -s, b.x - c * a.x + s * a.y, s, c, b.y - s * a.x - c * a.y}};
}

struct Point {
  float x, y;
};

Point mapped(const AffineMap& map, const VisualWord& word) {
  const auto& m = map.m;
  return {m[0] * word.x + m[1] * word.y + m[2], m[3] * word.x + m[4] * word.y + m[5]};
}

class Search {
 public:
  Search(std::span<const VisualWord> a, std::span<const VisualWord> b)
      : a_(a), b_(b), pairs_(alike(a, b)) {
    by_angle_.reserve(pairs_.size());
    for (std::uint32_t i = 0; i < pairs_.size(); ++i) by_angle_.push_back(i);
    std::sort(by_angle_.begin(), by_angle_.end(), [&](std::uint32_t x, std::uint32_t y) {
      return pairs_[x].angle != pairs_[y].angle ? pairs_[x].angle < pairs_[y].angle : x < y;
    });
  }

  SiftMatch best() {
    const Pair* from = nullptr;
    AffineMap map{};
    Agreeing found;
    for (std::size_t i = 0; i < std::min(pairs_.size(), kHypotheses); ++i) {
      const Pair& pair = pairs_[i];
      turned_like(pair);
      if (near_.size() <= found.places) continue;
      const AffineMap guess = map_of(a_[pair.a], b_[pair.b], pair);
      Agreeing now = agreeing(guess, kFarAtFirst);
      if (now.places <= found.places) continue;
      found = std::move(now);
      from = &pair;
    }
    if (found.places < kTooFew) return {};
    turned_like(*from);
    for (int round = 0; round < kRounds; ++round) {
      const auto better = fitted(found.pairs);
      if (!better) return {};
      map = *better;
      found = agreeing(map, round < kRounds / 2 ? 2 * kFar : kFar);
    }
    SiftMatch out;
    out.map = map;
    out.agree = found.places;
    out.visible =
        std::max(out.agree, std::min(visible(a_, map, b_), visible(b_, inverse(map), a_)));
    const auto agree = static_cast<double>(out.agree);
    const double chance =
        static_cast<double>(kTooFew) + static_cast<double>(near_.size()) / kByChance;
    if (agree > chance)
      out.score =
          std::sqrt(agree / static_cast<double>(out.visible)) * (agree - chance) / (agree + chance);
    return out;
  }

 private:
  struct Agreeing {
    std::vector<std::uint32_t> pairs;
    std::size_t places = 0;
  };

  // Sets near_ to the pairs that differ in angle and size about as much as this one.
  void turned_like(const Pair& pair) {
    near_.clear();
    const auto first = [&](float angle) {
      return static_cast<std::size_t>(
          std::lower_bound(by_angle_.begin(), by_angle_.end(), angle,
                           [&](std::uint32_t i, float a) { return pairs_[i].angle < a; }) -
          by_angle_.begin());
    };
    const auto add = [&](float low, float high) {
      for (std::size_t at = first(low); at < by_angle_.size(); ++at) {
        const Pair& other = pairs_[by_angle_[at]];
        if (other.angle > high) break;
        if (std::abs(other.size - pair.size) <= kSizeApart) near_.push_back(by_angle_[at]);
      }
    };
    const float low = pair.angle - kAngleApart, high = pair.angle + kAngleApart;
    if (low < 0) add(low + 1, 1);
    add(low, high);
    if (high >= 1) add(0, high - 1);
  }

  Agreeing agreeing(const AffineMap& map, float far) const {
    Agreeing out;
    Places of_a, of_b;
    far *= std::max(1.0f, std::sqrt(std::abs(area_of(map))));
    for (const std::uint32_t i : near_) {
      const VisualWord &x = a_[pairs_[i].a], &y = b_[pairs_[i].b];
      const Point there = mapped(map, x);
      const float dx = there.x - y.x, dy = there.y - y.y;
      if (dx * dx + dy * dy > far * far) continue;
      out.pairs.push_back(i);
      of_a.add(x);
      of_b.add(y);
    }
    out.places = std::min(of_a.count(), of_b.count());
    return out;
  }

  // The affine map that fits best, by least squares. Nothing if the points are on a line, or if the
  // map mirrors or squeezes more than a copy of an image would be.
  std::optional<AffineMap> fitted(const std::vector<std::uint32_t>& which) const {
    if (which.size() < kTooFew) return std::nullopt;
    double ax = 0, ay = 0, bx = 0, by = 0;
    for (const std::uint32_t i : which) {
      const VisualWord &p = a_[pairs_[i].a], &q = b_[pairs_[i].b];
      ax += p.x, ay += p.y, bx += q.x, by += q.y;
    }
    const auto count = static_cast<double>(which.size());
    ax /= count, ay /= count, bx /= count, by /= count;
    double xx = 0, xy = 0, yy = 0, xu = 0, yu = 0, xv = 0, yv = 0;
    for (const std::uint32_t i : which) {
      const VisualWord &p = a_[pairs_[i].a], &q = b_[pairs_[i].b];
      const double x = p.x - ax, y = p.y - ay, u = q.x - bx, v = q.y - by;
      xx += x * x, xy += x * y, yy += y * y;
      xu += x * u, yu += y * u, xv += x * v, yv += y * v;
    }
    const double determinant = xx * yy - xy * xy;
    constexpr double kOnALine = 2.5e-4;
    if (!(determinant > kOnALine * (xx + yy) * (xx + yy))) return std::nullopt;
    const double m0 = (xu * yy - yu * xy) / determinant, m1 = (yu * xx - xu * xy) / determinant;
    const double m3 = (xv * yy - yv * xy) / determinant, m4 = (yv * xx - xv * xy) / determinant;
    const double area = m0 * m4 - m1 * m3;  // below 0: mirrored
    if (!(area > 0) || m0 * m0 + m1 * m1 + m3 * m3 + m4 * m4 > kMostSqueezed * area)
      return std::nullopt;
    const auto number = [](double value) { return static_cast<float>(value); };
    return AffineMap{.m = {number(m0), number(m1), number(bx - m0 * ax - m1 * ay), number(m3),
                           number(m4), number(by - m3 * ax - m4 * ay)}};
  }

  // How many places of `words` the map takes into the rectangle around the others.
  static std::size_t visible(std::span<const VisualWord> words, const AffineMap& map,
                             std::span<const VisualWord> others) {
    constexpr float kMost = std::numeric_limits<float>::max();
    float left = kMost, right = -kMost, top = kMost, bottom = -kMost;
    for (const VisualWord& other : others) {
      left = std::min(left, other.x), right = std::max(right, other.x);
      top = std::min(top, other.y), bottom = std::max(bottom, other.y);
    }
    Places places;
    for (const VisualWord& word : words) {
      const Point there = mapped(map, word);
      if (there.x >= left - kFar && there.x <= right + kFar && there.y >= top - kFar &&
          there.y <= bottom + kFar)
        places.add(word);
    }
    return places.count();
  }

  std::span<const VisualWord> a_, b_;
  std::vector<Pair> pairs_;              // the most alike first
  std::vector<std::uint32_t> by_angle_;  // of pairs_
  std::vector<std::uint32_t> near_;      // of pairs_, by angle
};

bool same(std::span<const VisualWord> a, std::span<const VisualWord> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

SiftMatch match(std::span<const VisualWord> a, std::span<const VisualWord> b) {
  return Search(a, b).best();
}

SiftMatch better_match(std::span<const VisualWord> a, std::span<const VisualWord> b) {
  SiftMatch there = match(a, b), back = match(b, a);
  if (there.score >= back.score) return there;
  back.map = inverse(back.map);
  return back;
}

double sift_similarity(std::span<const VisualWord> a, std::span<const VisualWord> b) {
  if (same(a, b)) return a.empty() ? 0 : 1;
  return better_match(a, b).score;
}

}  // namespace benzer
