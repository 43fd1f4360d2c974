#include "research/experiments/made_pictures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "research/experiments/draws.h"

namespace benzer::experiments {
namespace {

// Paints grey(x, y) at each pixel, with x and y from 0 to 1.
template <class Grey>
Picture painted(std::uint32_t width, std::uint32_t height, const Grey& grey) {
  Picture out{.width = width, .height = height, .channels = 1, .pixels = {}};
  out.pixels.reserve(std::size_t{width} * height);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x)
      out.pixels.push_back(static_cast<std::uint8_t>(
          std::lround(std::clamp(grey((x + 0.5) / width, (y + 0.5) / height), 0.0, 255.0))));
  return out;
}

double between(Draws& draws, double from, double to) { return from + (to - from) * draws.unit(); }

// A sum of waves in all directions. sin(ax + (by + c)) is split so that sines are computed once for
// each column and each row.
Picture drawn_waves(Draws& draws, double height, std::uint32_t columns, std::uint32_t rows) {
  std::vector<double> sums(std::size_t{columns} * rows, 128);
  for (int i = 0; i < 12; ++i) {
    const double along_x = between(draws, -20, 20), along_y = between(draws, -20, 20);
    const double phase = between(draws, 0, 2 * std::numbers::pi);
    const double tall = height * between(draws, 0.3, 1);
    std::vector<std::pair<double, double>> of_x;
    for (std::uint32_t x = 0; x < columns; ++x) {
      const double angle = along_x * (x + 0.5) / columns;
      of_x.emplace_back(tall * std::sin(angle), tall * std::cos(angle));
    }
    for (std::uint32_t y = 0; y < rows; ++y) {
      const double angle = along_y * (y + 0.5) / rows + phase;
      const double sine = std::sin(angle), cosine = std::cos(angle);
      for (std::uint32_t x = 0; x < columns; ++x)
        sums[std::size_t{y} * columns + x] += of_x[x].first * cosine + of_x[x].second * sine;
    }
  }
  Picture out{.width = columns, .height = rows, .channels = 1, .pixels = {}};
  for (const double grey : sums)
    out.pixels.push_back(static_cast<std::uint8_t>(std::lround(std::clamp(grey, 0.0, 255.0))));
  return out;
}

// Overlapping discs and boxes on a slope.
class Shapes {
 public:
  explicit Shapes(Draws& draws) : slope_(between(draws, -80, 80)) {
    for (int i = 0; i < 30; ++i)
      shapes_.push_back({draws.unit(), draws.unit(), between(draws, 0.03, 0.2),
                         between(draws, 0.03, 0.2), between(draws, 0, 255), draws.below(2) == 0});
  }
  double operator()(double x, double y) const {
    double grey = 128 + slope_ * (x + y - 1);
    for (const Shape& shape : shapes_) {
      const double dx = (x - shape.x) / shape.width, dy = (y - shape.y) / shape.height;
      if (shape.round ? dx * dx + dy * dy < 1 : std::max(std::abs(dx), std::abs(dy)) < 1)
        grey = shape.grey;
    }
    return grey;
  }

 private:
  struct Shape {
    double x, y, width, height, grey;
    bool round;
  };
  std::vector<Shape> shapes_;
  double slope_;
};

// Random greys at the corners of smaller and smaller squares, like clouds, stones and grass.
class Texture {
 public:
  explicit Texture(Draws& draws) : slope_(between(draws, -60, 60)) {
    for (int octave = 0; octave < kOctaves; ++octave) {
      const std::size_t corners = (std::size_t{3} << octave) + 1;
      auto& grid = grids_.emplace_back(corners * corners);
      for (double& grey : grid) grey = between(draws, -1, 1);
    }
  }
  double operator()(double x, double y) const {
    double grey = 128 + slope_ * (y - 0.5), height = 90;
    for (const auto& grid : grids_) {
      const auto corners = static_cast<std::size_t>(std::lround(std::sqrt(grid.size())));
      const double u = x * static_cast<double>(corners - 1);
      const double v = y * static_cast<double>(corners - 1);
      const auto left = std::min(static_cast<std::size_t>(u), corners - 2);
      const auto top = std::min(static_cast<std::size_t>(v), corners - 2);
      const double a = u - static_cast<double>(left), b = v - static_cast<double>(top);
      const double* const row = grid.data() + top * corners + left;
      grey += height * ((1 - b) * ((1 - a) * row[0] + a * row[1]) +
                        b * ((1 - a) * row[corners] + a * row[corners + 1]));
      height /= 1.7;
    }
    return grey;
  }

 private:
  static constexpr int kOctaves = 6;
  double slope_;
  std::vector<std::vector<double>> grids_;
};

// Lines of dark words on white, and sometimes a box like a figure.
class Page {
 public:
  explicit Page(Draws& draws) : line_(between(draws, 0.035, 0.06)) {
    for (double y = 0.06; y < 0.92; y += line_) {
      if (draws.below(8) == 0) y += line_;  // a paragraph ends
      std::vector<Word>& words = lines_.emplace_back(Line{y, {}}).words;
      const double end = draws.below(4) == 0 ? between(draws, 0.3, 0.9) : 0.94;
      for (double x = 0.06; x < end;) {
        const double width = between(draws, 0.015, 0.12);
        words.push_back({x, std::min(width, 0.95 - x), draws.next()});
        x += width + 0.012;
      }
    }
    box_x_ = between(draws, 0.05, 0.6);
    box_y_ = between(draws, 0.05, 0.7);
    box_ = draws.below(2) == 0 ? 0.3 : 0;
    box_grey_ = between(draws, 60, 200);
  }
  double operator()(double x, double y) const {
    if (x > box_x_ && x < box_x_ + box_ && y > box_y_ && y < box_y_ + 0.7 * box_)
      return box_grey_ + 200 * (x - box_x_);
    for (const Line& line : lines_) {
      if (y < line.y || y > line.y + 0.55 * line_) continue;
      for (const Word& word : line.words) {
        if (x < word.x || x > word.x + word.width) continue;
        const auto stroke = static_cast<unsigned>((x - word.x) * 250);
        return (word.letters >> stroke % 64 & 1) != 0 ? 30 : 190;
      }
    }
    return 245;
  }

 private:
  struct Word {
    double x, width;
    std::uint64_t letters;
  };
  struct Line {
    double y;
    std::vector<Word> words;
  };
  double line_;
  std::vector<Line> lines_;
  double box_x_ = 0, box_y_ = 0, box_ = 0, box_grey_ = 0;
};

}  // namespace

Picture made_picture(std::uint64_t seed, std::uint64_t number) {
  Draws draws(seed, 0x91C7, number);
  const auto width = static_cast<std::uint32_t>(240 + draws.below(161));
  const auto height = static_cast<std::uint32_t>(240 + draws.below(161));
  switch (number % kMadeKinds.size()) {
    case 0:
      return drawn_waves(draws, 35, width, height);
    case 1:
      return painted(width, height, Shapes(draws));
    case 2:
      return painted(width, height, Texture(draws));
    case 3:
      return painted(width, height, Page(draws));
    default:
      return drawn_waves(draws, 8, width, height);
  }
}

}  // namespace benzer::experiments
