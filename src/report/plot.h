// Draws plots of data as SVG, which it returns as strings.
//
// Colours are CSS variables with defaults, so that a page decides what they are in light and in
// dark: --plot-1 to --plot-6 for data, --plot-ink for text, --plot-quiet for what is less
// important, --plot-grid for grid lines. A plot says how wide it is meant to be; a page may scale
// it. The same data give the same bytes. Texts are escaped here.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace benzer::plot {

enum class Colour { kFirst, kSecond, kThird, kQuiet, kFourth, kFifth, kSixth };

struct Axis {
  std::string title;
  double from = 0;
  double to = 1;  // from + 1 is used if it is not above `from`
  // Powers of ten have equal distances. If `from` is not positive, the axis begins a little below
  // 1, which suits counts; smaller values are drawn at its beginning.
  //
  // A logarithmic y axis has no place for 0. lines() draws points at 0 or below as open marks in a
  // row of their own under a break of the axis, and joins no line to them.
  bool logarithmic = false;
};

// A line across the plot at x, such as a threshold.
struct Rule {
  double x = 0;
  std::string label;
};

struct Frame {
  std::string title;        // of the figure, for those who cannot see it
  std::string description;  // what it shows, in a sentence
  Axis x, y;
  std::vector<Rule> rules;
  double width = 560;
  double height = 220;
};

struct Line {
  std::string name;  // in the legend, which is drawn for two or more; empty: not in it
  std::vector<std::pair<double, double>> points;
  Colour colour = Colour::kFirst;
  bool dashed = false;
  bool joined = true;                                  // false: only marks
  bool marked = false;                                 // a dot at each point
  bool hollow = false;                                 // marks are rings, which dots fit into
  std::vector<std::pair<double, double>> ranges = {};  // from and to of each point, or none
};
std::string lines(const Frame& frame, const std::vector<Line>& lines);

// Values of bins or categories. Several are stacked, the first at the foot.
struct Bars {
  std::string name;
  std::vector<double> values;
  Colour colour = Colour::kFirst;
};

// edges: one more than bins, rising, within the x axis.
std::string histogram(const Frame& frame, const std::vector<double>& edges,
                      const std::vector<Bars>& bars);

// Draws one bar for each name, side by side; only the title of the x axis is used.
std::string categories(const Frame& frame, const std::vector<std::string>& names,
                       const std::vector<Bars>& bars);

// A table whose cells show their values, and are the darker the larger these are, on a logarithmic
// scale.
struct HeatMap {
  std::string title;
  std::string description;
  std::string row_title, column_title;
  std::vector<std::string> rows, columns;
  std::vector<std::vector<double>> values;  // by row
};
std::string heat_map(const HeatMap& map);

// Returns round numbers within an axis, at most about `wanted` of them.
std::vector<double> ticks(const Axis& axis, int wanted);

// A number for people: 0.25, 1,500, 12k, 3.4M.
std::string short_number(double value);

}  // namespace benzer::plot
