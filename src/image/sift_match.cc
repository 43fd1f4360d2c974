#include "image/sift_match.h"

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
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

// The numbers of words, listed by one half of the word, without a list for each.
class ByHalf {
 public:
  template <class HalfOf>
  ByHalf(std::span<const VisualWord> words, HalfOf half_of) : numbers_(words.size()) {
    for (const VisualWord& word : words) ++begins_[half_of(word) + 1u];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    std::array<std::uint32_t, 257> next = begins_;
    for (std::uint32_t i = 0; i < words.size(); ++i) numbers_[next[half_of(words[i])]++] = i;
  }
  std::span<const std::uint32_t> operator[](std::size_t half) const {
    return std::span(numbers_).subspan(begins_[half], begins_[half + 1] - begins_[half]);
  }

 private:
  std::array<std::uint32_t, 257> begins_{};
  std::vector<std::uint32_t> numbers_;
};

// As std::popcount(), which is a call of a function on processors of the lowest level.
int count_bits(std::uint16_t bits) {
  std::uint32_t x = bits;
  x -= x >> 1 & 0x5555u;
  x = (x & 0x3333u) + (x >> 2 & 0x3333u);
  x = (x + (x >> 4)) & 0x0f0fu;
  return static_cast<int>((x + (x >> 8)) & 0x1fu);
}

std::size_t first_half(const VisualWord& word) { return word.number >> 8; }
std::size_t second_half(const VisualWord& word) { return word.number & 255u; }

// Returns the kMostPairs that are the most alike; of pairs that are equally so, the first ones.
std::vector<Pair> alike(std::span<const VisualWord> a, std::span<const VisualWord> b) {
  constexpr int kMostApart = std::max(kMostSideBits, kMostSideBitsOfHalf + kHalfIsWorse);
  struct Both {
    std::uint32_t a, b;
  };
  const ByHalf by_first(b, first_half), by_second(b, second_half);
  std::array<std::vector<Both>, kMostApart + 1> found;  // by how far apart they are
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    const auto bits_apart = [&](std::uint32_t j) {
      return count_bits(static_cast<std::uint16_t>(a[i].side ^ b[j].side));
    };
    const auto add = [&](std::uint32_t j, int apart) {
      found[static_cast<std::size_t>(apart)].push_back({i, j});
    };
    for (const std::uint32_t j : by_first[first_half(a[i])]) {
      const bool whole = a[i].number == b[j].number;
      const int bits = bits_apart(j);
      if (bits <= (whole ? kMostSideBits : kMostSideBitsOfHalf))
        add(j, bits + (whole ? 0 : kHalfIsWorse));
    }
    for (const std::uint32_t j : by_second[second_half(a[i])])
      if (const int bits = bits_apart(j); bits <= kMostSideBitsOfHalf && a[i].number != b[j].number)
        add(j, bits + kHalfIsWorse);
  }
  std::vector<Pair> out;
  for (int apart = 0; apart <= kMostApart; ++apart) {
    for (const auto [i, j] : found[static_cast<std::size_t>(apart)]) {
      if (out.size() == kMostPairs) return out;
      const float angle = b[j].angle - a[i].angle;
      out.push_back({i, j, apart, b[j].size - a[i].size, angle - std::floor(angle)});
    }
  }
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

Point mapped(const AffineMap& map, float x, float y) {
  const auto& m = map.m;
  return {m[0] * x + m[1] * y + m[2], m[3] * x + m[4] * y + m[5]};
}

// Pairs in the order of their angles, each number in a row of its own, so that the compiler makes
// vectors of the loops over them.
class ByAngle {
 public:
  ByAngle(std::span<const VisualWord> a, std::span<const VisualWord> b,
          std::span<const Pair> pairs) {
    // Angles are not negative, so their bits are in the order of the numbers.
    std::vector<std::uint64_t> order(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i)
      order[i] = std::uint64_t{std::bit_cast<std::uint32_t>(pairs[i].angle)} << 32 | i;
    std::sort(order.begin(), order.end());
    for (const std::uint64_t one : order) pairs_.push_back(static_cast<std::uint32_t>(one));
    for (std::vector<float>* row : {&angle_, &size_, &ax_, &ay_, &bx_, &by_})
      row->reserve(pairs.size());
    for (const std::uint32_t i : pairs_) {
      angle_.push_back(pairs[i].angle);
      size_.push_back(pairs[i].size);
      ax_.push_back(a[pairs[i].a].x);
      ay_.push_back(a[pairs[i].a].y);
      bx_.push_back(b[pairs[i].b].x);
      by_.push_back(b[pairs[i].b].y);
    }
  }

  // Where the pairs are that are turned about as this one.
  struct Ranges {
    std::array<std::size_t, 2> begin{}, end{};
  };
  Ranges turned_like(const Pair& pair) const {
    const auto at = [&](auto found) { return static_cast<std::size_t>(found - angle_.begin()); };
    const auto from = [&](float low) {
      return at(std::lower_bound(angle_.begin(), angle_.end(), low));
    };
    const auto to = [&](float high) {
      return at(std::upper_bound(angle_.begin(), angle_.end(), high));
    };
    const float low = pair.angle - kAngleApart, high = pair.angle + kAngleApart;
    Ranges out{{from(low), 0}, {to(high), 0}};
    if (low < 0) {
      out = {{from(low + 1), from(low)}, {to(1), to(high)}};
    } else if (high >= 1) {
      out = {{from(low), from(0)}, {to(high), to(high - 1)}};
    }
    return out;
  }

  // How many of these differ in size about as this pair does.
  std::size_t count_sized_like(const Pair& pair, const Ranges& ranges) const {
    std::uint32_t count = 0;
    for (std::size_t range = 0; range < 2; ++range)
      for (std::size_t k = ranges.begin[range]; k < ranges.end[range]; ++k)
        count += is_sized_like(pair, k);
    return count;
  }
  // How many of those the map takes near to where they should be.
  std::size_t count_agreeing(const Pair& pair, const Ranges& ranges, const AffineMap& map,
                             float far) const {
    std::uint32_t count = 0;
    for (std::size_t range = 0; range < 2; ++range)
      for (std::size_t k = ranges.begin[range]; k < ranges.end[range]; ++k)
        count += static_cast<std::uint32_t>(is_sized_like(pair, k)) &
                 static_cast<std::uint32_t>(agrees(map, far, k));
    return count;
  }
  // Calls visit(number of the pair) for those.
  template <class Visit>
  void for_each_agreeing(const Pair& pair, const Ranges& ranges, const AffineMap& map, float far,
                         Visit visit) const {
    for (std::size_t range = 0; range < 2; ++range)
      for (std::size_t k = ranges.begin[range]; k < ranges.end[range]; ++k)
        if (is_sized_like(pair, k) && agrees(map, far, k)) visit(pairs_[k]);
  }

 private:
  bool is_sized_like(const Pair& pair, std::size_t k) const {
    return std::abs(size_[k] - pair.size) <= kSizeApart;
  }
  bool agrees(const AffineMap& map, float far, std::size_t k) const {
    const Point there = mapped(map, ax_[k], ay_[k]);
    const float dx = there.x - bx_[k], dy = there.y - by_[k];
    return dx * dx + dy * dy <= far * far;
  }

  std::vector<std::uint32_t> pairs_;
  std::vector<float> angle_, size_, ax_, ay_, bx_, by_;
};

class Search {
 public:
  Search(std::span<const VisualWord> a, std::span<const VisualWord> b)
      : a_(a), b_(b), pairs_(alike(a, b)), by_angle_(a, b, pairs_) {}

  SiftMatch best() {
    const Pair* from = nullptr;
    AffineMap map{};
    Agreeing found;
    for (std::size_t i = 0; i < std::min(pairs_.size(), kHypotheses); ++i) {
      const Pair& pair = pairs_[i];
      const ByAngle::Ranges ranges = by_angle_.turned_like(pair);
      // Each place has at least one pair, so few pairs need not be looked at.
      if (by_angle_.count_sized_like(pair, ranges) <= found.places) continue;
      const AffineMap guess = map_of(a_[pair.a], b_[pair.b], pair);
      const float far = kFarAtFirst * widened(guess);
      if (by_angle_.count_agreeing(pair, ranges, guess, far) <= found.places) continue;
      Agreeing now = agreeing(pair, ranges, guess, far);
      if (now.places <= found.places) continue;
      found = std::move(now);
      from = &pair;
    }
    if (found.places < kTooFew) return {};
    const ByAngle::Ranges ranges = by_angle_.turned_like(*from);
    for (int round = 0; round < kRounds; ++round) {
      const auto better = fitted(found.pairs);
      if (!better) return {};
      map = *better;
      const float far = round < kRounds / 2 ? 2 * kFar : kFar;
      found = agreeing(*from, ranges, map, far * widened(map));
    }
    SiftMatch out;
    out.map = map;
    out.agree = found.places;
    out.visible =
        std::max(out.agree, std::min(visible(a_, map, b_), visible(b_, inverse(map), a_)));
    const auto agree = static_cast<double>(out.agree);
    const auto near = static_cast<double>(by_angle_.count_sized_like(*from, ranges));
    const double chance = static_cast<double>(kTooFew) + near / kByChance;
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

  // How much farther points of a larger picture may be from where the map takes them.
  static float widened(const AffineMap& map) {
    return std::max(1.0f, std::sqrt(std::abs(area_of(map))));
  }

  Agreeing agreeing(const Pair& pair, const ByAngle::Ranges& ranges, const AffineMap& map,
                    float far) const {
    Agreeing out;
    Places of_a, of_b;
    by_angle_.for_each_agreeing(pair, ranges, map, far, [&](std::uint32_t i) {
      out.pairs.push_back(i);
      of_a.add(a_[pairs_[i].a]);
      of_b.add(b_[pairs_[i].b]);
    });
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
      const Point there = mapped(map, word.x, word.y);
      if (there.x >= left - kFar && there.x <= right + kFar && there.y >= top - kFar &&
          there.y <= bottom + kFar)
        places.add(word);
    }
    return places.count();
  }

  std::span<const VisualWord> a_, b_;
  std::vector<Pair> pairs_;  // the most alike first
  ByAngle by_angle_;
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
