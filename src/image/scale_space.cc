#include "image/scale_space.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace benzer {
namespace {

constexpr float kFirstBlur = 1.6f;
constexpr float kBlurOfFile = 0.5f;  // that an image is assumed to have
constexpr int kSmallestOctave = 16;  // the shortest side of an octave
constexpr float kEdgeRatio = 10;
constexpr int kMargin = 5;  // pixels at the sides of an octave without points
constexpr int kMoves = 5;   // of a point to a neighbour, at most

// The paper has 0.03 for all octaves. But skies, walls and abstract wallpapers have points only
// below that, and of other images the strongest points are used anyway. Larger octaves have less
// noise, and so a lower limit.
float least_contrast(std::size_t octave) {
  return std::max(0.001f, 0.0025f / static_cast<float>(1u << octave));
}

// Blurs with a Gaussian of this standard deviation, along x and then along y. Beyond its sides an
// image continues with its outermost pixels.
Plane blurred(const Plane& from, float deviation) {
  const int reach = std::max(1, static_cast<int>(std::ceil(4 * deviation)));
  std::vector<float> bell(static_cast<std::size_t>(2 * reach + 1));
  float sum = 0;
  for (int i = -reach; i <= reach; ++i) {
    const auto place = static_cast<float>(i);
    sum += bell[static_cast<std::size_t>(i + reach)] =
        std::exp(-place * place / (2 * deviation * deviation));
  }
  for (float& weight : bell) weight /= sum;
  Plane across(from.width, from.height);
  std::vector<float> padded(static_cast<std::size_t>(from.width + 2 * reach));
  for (int y = 0; y < from.height; ++y) {
    const float* row = from.row(y);
    std::fill_n(padded.begin(), reach, row[0]);
    std::copy_n(row, from.width, padded.begin() + reach);
    std::fill_n(padded.begin() + reach + from.width, reach, row[from.width - 1]);
    float* out = across.row(y);
    for (int i = 0; i <= 2 * reach; ++i) {
      const float weight = bell[static_cast<std::size_t>(i)];
      const float* shifted = padded.data() + i;
      for (int x = 0; x < from.width; ++x) out[x] += weight * shifted[x];
    }
  }
  Plane down(from.width, from.height);
  for (int y = 0; y < from.height; ++y) {
    float* out = down.row(y);
    for (int i = -reach; i <= reach; ++i) {
      const float weight = bell[static_cast<std::size_t>(i + reach)];
      const float* row = across.row(std::clamp(y + i, 0, from.height - 1));
      for (int x = 0; x < from.width; ++x) out[x] += weight * row[x];
    }
  }
  return down;
}

Plane halved(const Plane& from) {
  Plane out(from.width / 2, from.height / 2);
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x) out.row(y)[x] = from.at(2 * x, 2 * y);
  return out;
}

Octave octave_of(Plane first) {
  Octave out;
  out.blurred[0] = std::move(first);
  for (std::size_t i = 1; i < out.blurred.size(); ++i) {
    const float before = blur_of_step(static_cast<float>(i - 1));
    const float after = blur_of_step(static_cast<float>(i));
    const Plane& sharper = out.blurred[i - 1];
    out.blurred[i] = blurred(sharper, std::sqrt(after * after - before * before));
    Plane& taken = out.taken[i - 1] = Plane(sharper.width, sharper.height);
    for (std::size_t j = 0; j < taken.values.size(); ++j)
      taken.values[j] = out.blurred[i].values[j] - sharper.values[j];
  }
  return out;
}

// Whether the value is above, or below, all of its 26 neighbours.
bool stands_out(const Octave& octave, std::size_t step, int x, int y) {
  const float value = octave.taken[step].at(x, y);
  const auto all = [&](auto beyond) {
    for (std::size_t s = step - 1; s <= step + 1; ++s)
      for (int dy = -1; dy <= 1; ++dy) {
        const float* row = octave.taken[s].row(y + dy) + x;
        for (int dx = -1; dx <= 1; ++dx)
          if ((s != step || dx != 0 || dy != 0) && !beyond(value, row[dx])) return false;
      }
    return true;
  };
  return value > 0 ? all([](float a, float b) { return a > b; })
                   : all([](float a, float b) { return a < b; });
}

// The parabola through a point and its neighbours along x, y and the steps.
struct Parabola {
  float value;
  float gx, gy, gs;              // first derivatives
  float xx, yy, ss, xy, xs, ys;  // second derivatives
};

Parabola parabola_at(const Octave& octave, std::size_t step, int x, int y) {
  const Plane &below = octave.taken[step - 1], &here = octave.taken[step],
              &above = octave.taken[step + 1];
  const float value = here.at(x, y);
  return {
      .value = value,
      .gx = (here.at(x + 1, y) - here.at(x - 1, y)) / 2,
      .gy = (here.at(x, y + 1) - here.at(x, y - 1)) / 2,
      .gs = (above.at(x, y) - below.at(x, y)) / 2,
      .xx = here.at(x + 1, y) + here.at(x - 1, y) - 2 * value,
      .yy = here.at(x, y + 1) + here.at(x, y - 1) - 2 * value,
      .ss = above.at(x, y) + below.at(x, y) - 2 * value,
      .xy = (here.at(x + 1, y + 1) - here.at(x - 1, y + 1) - here.at(x + 1, y - 1) +
             here.at(x - 1, y - 1)) /
            4,
      .xs = (above.at(x + 1, y) - above.at(x - 1, y) - below.at(x + 1, y) + below.at(x - 1, y)) / 4,
      .ys = (above.at(x, y + 1) - above.at(x, y - 1) - below.at(x, y + 1) + below.at(x, y - 1)) / 4,
  };
}

struct Step {
  float x, y, s;
};

// Computes the step from the point to the parabola's extremum, by Cramer's rule. False if there is
// none nearby.
bool way_to_top(const Parabola& p, Step& out) {
  const float a = p.yy * p.ss - p.ys * p.ys, b = p.xy * p.ss - p.ys * p.xs,
              c = p.xy * p.ys - p.yy * p.xs;
  const float determinant = p.xx * a - p.xy * b + p.xs * c;
  if (determinant == 0) return false;
  const float d = p.xx * p.ss - p.xs * p.xs, e = p.xx * p.ys - p.xy * p.xs,
              f = p.xx * p.yy - p.xy * p.xy;
  out.x = -(p.gx * a - p.gy * b + p.gs * c) / determinant;
  out.y = -(-p.gx * b + p.gy * d - p.gs * e) / determinant;
  out.s = -(p.gx * c - p.gy * e + p.gs * f) / determinant;
  return std::abs(out.x) < 4 && std::abs(out.y) < 4 && std::abs(out.s) < 4;
}

// An edge bends in one direction only, and a point on it could be anywhere along it.
bool is_edge(const Parabola& p) {
  const float trace = p.xx + p.yy, product = p.xx * p.yy - p.xy * p.xy;
  return product <= 0 ||
         trace * trace * kEdgeRatio >= (kEdgeRatio + 1) * (kEdgeRatio + 1) * product;
}

// Locates a point between the pixels and the steps. False if its contrast is too low, it is on an
// edge, or there is no extremum nearby.
bool refine(const Octave& octave, int step, int x, int y, float least, StandsOut& out) {
  const int width = octave.taken[0].width, height = octave.taken[0].height;
  for (int move = 0; move < kMoves; ++move) {
    const Parabola p = parabola_at(octave, static_cast<std::size_t>(step), x, y);
    Step top{};
    if (!way_to_top(p, top)) return false;
    if (std::abs(top.x) <= 0.5f && std::abs(top.y) <= 0.5f && std::abs(top.s) <= 0.5f) {
      out.contrast = std::abs(p.value + (p.gx * top.x + p.gy * top.y + p.gs * top.s) / 2);
      out.x = static_cast<float>(x) + top.x;
      out.y = static_cast<float>(y) + top.y;
      out.step = static_cast<float>(step) + top.s;
      return out.contrast >= least && !is_edge(p);
    }
    x += static_cast<int>(std::lround(top.x));
    y += static_cast<int>(std::lround(top.y));
    step += static_cast<int>(std::lround(top.s));
    if (step < 1 || step > kSteps || x < kMargin || x >= width - kMargin || y < kMargin ||
        y >= height - kMargin)
      return false;
  }
  return false;
}

void find(const Octave& octave, std::size_t number, std::vector<StandsOut>& out) {
  const int width = octave.taken[0].width, height = octave.taken[0].height;
  const float least = least_contrast(number);
  for (int step = 1; step <= kSteps; ++step)
    for (int y = kMargin; y < height - kMargin; ++y) {
      const float* row = octave.taken[static_cast<std::size_t>(step)].row(y);
      for (int x = kMargin; x < width - kMargin; ++x) {
        if (std::abs(row[x]) < 0.8f * least ||
            !stands_out(octave, static_cast<std::size_t>(step), x, y))
          continue;
        StandsOut point{.octave = number};
        if (refine(octave, step, x, y, least, point)) out.push_back(point);
      }
    }
}

}  // namespace

float blur_of_step(float step) { return kFirstBlur * std::exp2(step / kSteps); }

ScaleSpace scale_space(const Picture& grey) {
  Plane picture(static_cast<int>(grey.width), static_cast<int>(grey.height));
  for (std::size_t i = 0; i < picture.values.size(); ++i)
    picture.values[i] = static_cast<float>(grey.pixels[i]) / 255;
  ScaleSpace out;
  Plane first = blurred(picture, std::sqrt(kFirstBlur * kFirstBlur - kBlurOfFile * kBlurOfFile));
  while (std::min(first.width, first.height) >= kSmallestOctave) {
    out.octaves.push_back(octave_of(std::move(first)));
    find(out.octaves.back(), out.octaves.size() - 1, out.points);
    first = halved(out.octaves.back().blurred[kSteps]);
  }
  return out;
}

}  // namespace benzer
