#include "image/sift_match.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <tuple>
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

constexpr float kSizeApart = 0.8f * kSizeSteps;
constexpr int kAngleApart = kAngleSteps / 10;  // a tenth of a turn
constexpr int kAngleMask = kAngleSteps - 1;
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
  int size, angle;  // the difference from a to b, in steps
};

// Words, listed by one half of the word, without a list for each.
class ByHalf {
 public:
  struct One {
    std::uint16_t number, side;
    std::uint32_t place;  // in the list of all words
  };
  template <class HalfOf>
  ByHalf(std::span<const VisualWord> words, HalfOf half_of) : words_(words.size()) {
    for (const VisualWord& word : words) ++begins_[half_of(word) + 1u];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    std::array<std::uint32_t, 257> next = begins_;
    for (std::uint32_t i = 0; i < words.size(); ++i)
      words_[next[half_of(words[i])]++] = {words[i].number, words[i].side, i};
  }
  std::span<const One> operator[](std::size_t half) const {
    return std::span(words_).subspan(begins_[half], begins_[half + 1] - begins_[half]);
  }

 private:
  std::array<std::uint32_t, 257> begins_{};
  std::vector<One> words_;
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
  struct Found {
    std::uint32_t a, b;
    std::uint32_t apart;
  };
  const ByHalf by_first(b, first_half), by_second(b, second_half);
  std::vector<Found> found;
  found.reserve(kMostPairs);
  std::array<std::size_t, kMostApart + 2> begins{};  // by how far apart they are
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    const auto bits_apart = [&](const ByHalf::One& other) {
      return count_bits(static_cast<std::uint16_t>(a[i].side ^ other.side));
    };
    const auto add = [&](const ByHalf::One& other, int apart) {
      found.push_back({i, other.place, static_cast<std::uint32_t>(apart)});
      ++begins[static_cast<std::size_t>(apart) + 1];
    };
    for (const ByHalf::One& other : by_first[first_half(a[i])]) {
      const bool whole = a[i].number == other.number;
      const int bits = bits_apart(other);
      if (bits <= (whole ? kMostSideBits : kMostSideBitsOfHalf))
        add(other, bits + (whole ? 0 : kHalfIsWorse));
    }
    for (const ByHalf::One& other : by_second[second_half(a[i])])
      if (const int bits = bits_apart(other);
          bits <= kMostSideBitsOfHalf && a[i].number != other.number)
        add(other, bits + kHalfIsWorse);
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<Pair> out(std::min(found.size(), kMostPairs));
  for (const Found& one : found) {
    const std::size_t place = begins[one.apart]++;
    if (place >= out.size()) continue;
    const VisualWord &p = a[one.a], &q = b[one.b];
    out[place] = {one.a, one.b, size_steps(q) - size_steps(p),
                  (angle_steps(q) - angle_steps(p)) & kAngleMask};
  }
  return out;
}

class Places {
 public:
  void add(const VisualWord& word) {
    const auto column = static_cast<std::size_t>(word.x) / kPlace;
    auto place = places_[static_cast<std::size_t>(word.y) / kPlace * kSide + column];
    count_ += !place;
    place = true;
  }
  std::size_t count() const { return count_; }

 private:
  static constexpr std::size_t kSide = kLongestWithPoints / kPlace;
  std::bitset<kSide * kSide> places_;
  std::size_t count_ = 0;
};

// The linear parts of the maps that turn and scale by so many steps.
class Turns {
 public:
  Turns() {
    for (int i = 0; i < kAngleSteps; ++i) {
      const float angle = 2 * std::numbers::pi_v<float> * static_cast<float>(i) / kAngleSteps;
      cos_[at(i)] = std::cos(angle);
      sin_[at(i)] = std::sin(angle);
    }
    for (int i = -kMostSizeSteps; i <= kMostSizeSteps; ++i)
      scale_[at(i + kMostSizeSteps)] = std::exp2(static_cast<float>(i) / kSizeSteps);
  }

  // The map that takes the point of a to that of b, with the difference of their size and angle.
  AffineMap map_of(const VisualWord& a, const VisualWord& b, const Pair& pair) const {
    const float scale = scale_[at(pair.size + kMostSizeSteps)];
    const float c = scale * cos_[at(pair.angle)], s = scale * sin_[at(pair.angle)];
    return {.m = {c, -s, b.x - c * a.x + s * a.y, s, c, b.y - s * a.x - c * a.y}};
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  std::array<float, kAngleSteps> cos_, sin_;
  std::array<float, 2 * kMostSizeSteps + 1> scale_;
};

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
    for (const Pair& pair : pairs) ++begins_[static_cast<std::size_t>(pair.angle) + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    std::array<std::uint32_t, kAngleSteps + 1> next = begins_;
    pairs_.resize(pairs.size());
    for (std::uint32_t i = 0; i < pairs.size(); ++i)
      pairs_[next[static_cast<std::size_t>(pairs[i].angle)]++] = i;
    for (std::vector<float>* row : {&size_, &ax_, &ay_, &bx_, &by_}) row->resize(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const Pair& pair = pairs[pairs_[k]];
      size_[k] = static_cast<float>(pair.size);
      ax_[k] = a[pair.a].x, ay_[k] = a[pair.a].y;
      bx_[k] = b[pair.b].x, by_[k] = b[pair.b].y;
    }
  }

  // Where the pairs are that are turned about as this one.
  struct Ranges {
    std::array<std::size_t, 2> begin{}, end{};
    std::size_t count() const { return end[0] - begin[0] + end[1] - begin[1]; }
  };
  Ranges turned_like(const Pair& pair) const {
    const int low = pair.angle - kAngleApart, high = pair.angle + kAngleApart + 1;
    const auto at = [&](int angle) {
      return std::size_t{begins_[static_cast<std::size_t>(angle)]};
    };
    if (low < 0) return {{at(low + kAngleSteps), 0}, {at(kAngleSteps), at(high)}};
    if (high > kAngleSteps) return {{at(low), 0}, {at(kAngleSteps), at(high - kAngleSteps)}};
    return {{at(low), 0}, {at(high), 0}};
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
    return std::abs(size_[k] - static_cast<float>(pair.size)) <= kSizeApart;
  }
  bool agrees(const AffineMap& map, float far, std::size_t k) const {
    const Point there = mapped(map, ax_[k], ay_[k]);
    const float dx = there.x - bx_[k], dy = there.y - by_[k];
    return dx * dx + dy * dy <= far * far;
  }

  std::vector<std::uint32_t> pairs_;
  std::array<std::uint32_t, kAngleSteps + 1> begins_{};
  std::vector<float> size_, ax_, ay_, bx_, by_;
};

class Search {
 public:
  Search(std::span<const VisualWord> a, std::span<const VisualWord> b)
      : Search(a, b, alike(a, b)) {}

  SiftMatch best() const {
    static const Turns turns;
    const Pair* from = nullptr;
    Agreeing found;
    found.places = kTooFew - 1;
    for (std::size_t i = 0; i < std::min(pairs_.size(), kHypotheses); ++i) {
      const Pair& pair = pairs_[i];
      const ByAngle::Ranges ranges = by_angle_.turned_like(pair);
      // Each place has at least one pair, so few pairs need not be looked at.
      if (ranges.count() <= found.places) continue;
      const AffineMap guess = turns.map_of(a_[pair.a], b_[pair.b], pair);
      const float far = kFarAtFirst * widened(guess);
      if (by_angle_.count_agreeing(pair, ranges, guess, far) <= found.places) continue;
      Agreeing now = agreeing(pair, ranges, guess, far);
      if (now.places <= found.places) continue;
      found = std::move(now);
      from = &pair;
    }
    if (from == nullptr) return {};
    // A map that fits in one direction need not be the inverse of what fits in the other.
    SiftMatch there = refined(*from, found);
    const Search other = seen_from_b();
    SiftMatch back =
        other.refined(other.pairs_[static_cast<std::size_t>(from - &pairs_[0])], found);
    if (there.score >= back.score) return there;
    back.map = inverse(back.map);
    return back;
  }

 private:
  struct Agreeing {
    std::vector<std::uint32_t> pairs;
    std::size_t places = 0;
  };

  Search(std::span<const VisualWord> a, std::span<const VisualWord> b, std::vector<Pair> pairs)
      : a_(a), b_(b), pairs_(std::move(pairs)), by_angle_(a, b, pairs_) {}

  Search seen_from_b() const {
    std::vector<Pair> pairs = pairs_;
    for (Pair& pair : pairs)
      pair = {.a = pair.b, .b = pair.a, .size = -pair.size, .angle = -pair.angle & kAngleMask};
    return {b_, a_, std::move(pairs)};
  }

  // Fits a map to what agrees with a hypothesis, and again to what agrees with that map.
  SiftMatch refined(const Pair& from, Agreeing found) const {
    const ByAngle::Ranges ranges = by_angle_.turned_like(from);
    SiftMatch out;
    for (int round = 0; round < kRounds; ++round) {
      const auto better = fitted(found.pairs);
      if (!better) return {};
      out.map = *better;
      const float far = round < kRounds / 2 ? 2 * kFar : kFar;
      found = agreeing(from, ranges, out.map, far * widened(out.map));
    }
    out.agree = found.places;
    out.visible =
        std::max(out.agree, std::min(visible(a_, out.map, b_), visible(b_, inverse(out.map), a_)));
    const auto agree = static_cast<double>(out.agree);
    const auto near = static_cast<double>(by_angle_.count_sized_like(from, ranges));
    const double chance = static_cast<double>(kTooFew) + near / kByChance;
    if (agree > chance)
      out.score =
          std::sqrt(agree / static_cast<double>(out.visible)) * (agree - chance) / (agree + chance);
    return out;
  }

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

// An order of images, so that both orders of two give the same match.
bool comes_before(std::span<const VisualWord> a, std::span<const VisualWord> b) {
  if (a.size() != b.size()) return a.size() < b.size();
  const auto key = [](const VisualWord& word) {
    return std::tie(word.number, word.side, word.x, word.y, word.size, word.angle);
  };
  return std::ranges::lexicographical_compare(a, b, std::less(), key, key);
}

}  // namespace

SiftMatch match(std::span<const VisualWord> a, std::span<const VisualWord> b) {
  if (!comes_before(b, a)) return Search(a, b).best();
  SiftMatch back = Search(b, a).best();
  back.map = inverse(back.map);
  return back;
}

double sift_similarity(std::span<const VisualWord> a, std::span<const VisualWord> b) {
  if (same(a, b)) return a.empty() ? 0 : 1;
  return match(a, b).score;
}

}  // namespace benzer
