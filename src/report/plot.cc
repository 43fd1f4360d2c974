#include "report/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "benzer/internal/text.h"

#include "report/html_text.h"

namespace benzer::plot {
namespace {

using report::html_text;
using report::shortened;

constexpr double kLeft = 52, kRight = 14, kTop = 22, kBottom = 42;
constexpr double kLetter = 6.6;  // width, on average
constexpr double kLegend = 20;   // height of the row above the plot
constexpr double kZeroRow = 32;  // height of the row for 0 under a logarithmic axis
constexpr const char* kInk = "fill:var(--plot-ink,#222)";
constexpr const char* kGrid = "stroke:var(--plot-grid,#ddd)";

std::string_view colour(Colour which) {
  constexpr std::array<std::string_view, 7> kColours = {
      "var(--plot-1,#2563a8)",     "var(--plot-2,#c2570c)", "var(--plot-3,#4d7c0f)",
      "var(--plot-quiet,#8a8a8a)", "var(--plot-4,#8a3ea8)", "var(--plot-5,#0f8a83)",
      "var(--plot-6,#a8324a)"};
  return kColours[static_cast<std::size_t>(which)];
}

// Two decimals are less than a pixel; -0 and 0 must be the same bytes.
std::string place(double value) {
  std::string out = fmt::format("{:.2f}", value);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

struct Scale {
  Axis axis;
  double start, end;  // in pixels

  Scale(Axis a, double s, double e) : axis(std::move(a)), start(s), end(e) {
    // A bar for a count of 1 must be visible, so the axis begins below 1.
    if (axis.logarithmic && !(axis.from > 0)) axis.from = 0.6;
    if (!(axis.to > axis.from)) axis.to = axis.from + 1;
  }
  double at(double value) const {
    const double v = std::clamp(value, axis.from, axis.to);
    const double share = axis.logarithmic ? std::log(v / axis.from) / std::log(axis.to / axis.from)
                                          : (v - axis.from) / (axis.to - axis.from);
    return start + share * (end - start);
  }
};

class Drawing {
 public:
  Drawing(double width, double height, const std::string& title, const std::string& description)
      : out_(fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
            "viewBox=\"0 0 {0} {1}\" role=\"img\" "
            "aria-label=\"{2}\" font-family=\"system-ui,sans-serif\" font-size=\"12\">\n",
            place(width), place(height),
            html_text(description.empty() ? title : title + ": " + description))) {}

  void line(double x1, double y1, double x2, double y2, std::string_view style) {
    out_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" style=\"{}\"/>\n", place(x1),
                        place(y1), place(x2), place(y2), style);
  }
  // anchor: start, middle or end; degrees: turned around (x, y).
  void text(double x, double y, std::string_view anchor, std::string_view words,
            double degrees = 0) {
    const std::string turned = degrees == 0 ? ""
                                            : fmt::format(" transform=\"rotate({} {} {})\"",
                                                          place(degrees), place(x), place(y));
    out_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" style=\"{}\"{}>{}</text>\n",
                        place(x), place(y), anchor, kInk, turned, html_text(words));
  }
  void box(double x, double y, double width, double height, std::string_view style,
           const std::string& words) {
    out_ += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" style=\"{}\">"
        "<title>{}</title></rect>\n",
        place(x), place(y), place(width), place(height), style, html_text(words));
  }
  void dot(double x, double y, std::string_view style) {
    out_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"3\" style=\"{}\"/>\n", place(x), place(y),
                        style);
  }
  void ring(double x, double y, double radius, std::string_view stroke) {
    out_ += fmt::format(
        "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" style=\"fill:none;stroke-width:1.8;stroke:{}\"/>\n",
        place(x), place(y), place(radius), stroke);
  }
  void raw(const std::string& markup) { out_ += markup; }
  std::string finish() { return std::move(out_) + "</svg>\n"; }

 private:
  std::string out_;
};

struct Canvas {
  Drawing drawing;
  Scale x, y;
};

// Where the names of a legend are drawn: as many in a row as fit.
struct LegendPlace {
  double x, y;
};
template <class Items>
std::vector<LegendPlace> legend_places(const Frame& frame, const Items& items) {
  std::vector<LegendPlace> out;
  if (items.size() < 2) return out;
  double x = kLeft, y = kTop;
  for (const auto& item : items) {
    if (item.name.empty()) {
      out.push_back({x, y});
      continue;
    }
    const double width = 40 + kLetter * static_cast<double>(item.name.size());
    if (x > kLeft && x + width - 16 > frame.width) {
      x = kLeft;
      y += kLegend;
    }
    out.push_back({x, y});
    x += width;
  }
  return out;
}

// Draws frame, grid, axes and titles; the data are drawn over them.
Canvas start(const Frame& frame, const std::vector<LegendPlace>& legend, bool x_ticks,
             bool zero_row = false) {
  const double top = legend.empty() ? kTop : legend.back().y + kLegend;
  const double foot = frame.height - kBottom;
  Canvas canvas{Drawing(frame.width, frame.height, frame.title, frame.description),
                Scale(frame.x, kLeft, frame.width - kRight),
                Scale(frame.y, foot - (zero_row ? kZeroRow : 0), top)};
  Drawing& drawing = canvas.drawing;
  if (zero_row) {
    drawing.text(kLeft - 6, foot - 4, "end", "0");
    for (const double up : {18.0, 22.0})  // the break of the axis
      drawing.line(kLeft - 5, foot - up + 2, kLeft + 5, foot - up - 2,
                   "stroke:var(--plot-quiet,#8a8a8a)");
  }
  for (const double tick : ticks(canvas.y.axis, 5)) {
    drawing.line(kLeft, canvas.y.at(tick), frame.width - kRight, canvas.y.at(tick), kGrid);
    drawing.text(kLeft - 6, canvas.y.at(tick) + 4, "end", short_number(tick));
  }
  if (x_ticks) {
    for (const double tick : ticks(canvas.x.axis, 10)) {
      drawing.line(canvas.x.at(tick), foot, canvas.x.at(tick), foot + 4, kGrid);
      // At the right edge a long number would leave the drawing.
      const std::string number = short_number(tick);
      const double half = kLetter * static_cast<double>(number.size()) / 2;
      const bool beyond = canvas.x.at(tick) + half > frame.width;
      drawing.text(beyond ? frame.width - 1 : canvas.x.at(tick), foot + 17,
                   beyond ? "end" : "middle", number);
    }
  }
  drawing.line(kLeft, foot, frame.width - kRight, foot, "stroke:var(--plot-quiet,#8a8a8a)");
  drawing.text(frame.width - kRight, frame.height - 6, "end", frame.x.title);
  drawing.text(4, 12, "start", frame.y.title);
  return canvas;
}

std::string line_style(const Line& line) {
  return fmt::format("fill:none;stroke:{};stroke-width:2.5;stroke-linejoin:round{}",
                     colour(line.colour), line.dashed ? ";stroke-dasharray:6 4" : "");
}

void draw_sample(Drawing& drawing, const Line& line, double x, double y) {
  if (line.joined) drawing.line(x - 6, y + 5, x + 12, y + 5, line_style(line));
  if (line.hollow) {
    drawing.ring(x + 3, y + 5, 5, colour(line.colour));
  } else if (line.marked || !line.joined) {
    drawing.dot(x + 3, y + 5, fmt::format("fill:{}", colour(line.colour)));
  }
}
void draw_sample(Drawing& drawing, const Bars& bars, double x, double y) {
  drawing.box(x, y - 1, 11, 11, fmt::format("fill:{}", colour(bars.colour)), bars.name);
}

template <class Items>
void draw_legend(Canvas& canvas, const Items& items, const std::vector<LegendPlace>& places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (items[i].name.empty()) continue;
    draw_sample(canvas.drawing, items[i], places[i].x, places[i].y);
    canvas.drawing.text(places[i].x + 16, places[i].y + 9, "start", items[i].name);
  }
}

void draw_rules(Canvas& canvas, const Frame& frame) {
  for (const Rule& rule : frame.rules) {
    const double x = canvas.x.at(rule.x);
    canvas.drawing.line(x, canvas.y.start, x, canvas.y.end,
                        "stroke:var(--plot-ink,#222);stroke-dasharray:4 3");
    if (rule.label.empty()) continue;
    // The label is at the foot, to the right of the line if there is room for it.
    const double room = frame.width - x - 8;
    const bool left = room < kLetter * static_cast<double>(rule.label.size());
    canvas.drawing.text(x + (left ? -5 : 5), canvas.y.start - 8, left ? "end" : "start",
                        rule.label);
  }
}

// Draws one stack, with a part from each of the bars, between two places.
void draw_stack(Canvas& canvas, const std::vector<Bars>& bars, std::size_t bin, double left,
                double right, const std::string& name) {
  double sum = 0;
  for (const Bars& part : bars) {
    const double value = bin < part.values.size() ? part.values[bin] : 0;
    if (value <= 0) continue;
    const double foot = sum == 0 ? canvas.y.start : canvas.y.at(sum);
    sum += value;
    const double top = canvas.y.at(sum);
    canvas.drawing.box(
        left, top, right - left, foot - top, fmt::format("fill:{}", colour(part.colour)),
        fmt::format("{}: {}{}", name, bars.size() > 1 ? part.name + " " : "", short_number(value)));
  }
}

}  // namespace

std::vector<double> ticks(const Axis& axis, int wanted) {
  std::vector<double> out;
  if (!(axis.to > axis.from) || wanted < 1) return out;
  if (axis.logarithmic) {
    const int first = static_cast<int>(std::ceil(std::log10(std::max(axis.from, 1e-9)) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(axis.to) + 1e-9));
    const int step = std::max(1, (last - first + wanted) / wanted);
    // An axis of one or two powers of ten has ticks at their halves and fifths, too.
    const bool fine = last - first < 2;
    for (int power = fine ? first - 1 : first; power <= last; power += step) {
      for (const double times : {1.0, 2.0, 5.0}) {
        const double tick = times * std::pow(10.0, power);
        if ((times > 1 && !fine) || tick < axis.from * (1 - 1e-9) || tick > axis.to * (1 + 1e-9))
          continue;
        out.push_back(tick);
      }
    }
    return out;
  }
  const double rough = (axis.to - axis.from) / wanted;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double round : {1.0, 2.0, 5.0}) {
    if (round * power >= rough * (1 - 1e-9)) {
      step = round * power;
      break;
    }
  }
  const auto first = static_cast<long long>(std::ceil(axis.from / step - 1e-9));
  const auto last = static_cast<long long>(std::floor(axis.to / step + 1e-9));
  for (long long i = first; i <= last; ++i) out.push_back(static_cast<double>(i) * step);
  return out;
}

std::string short_number(double value) {
  const double size = std::fabs(value);
  if (size >= 10000) {
    constexpr std::array<std::string_view, 4> kUnits = {"k", "M", "G", "T"};
    double scaled = value / 1000;
    std::size_t unit = 0;
    for (; std::fabs(scaled) >= 999.5 && unit + 1 < kUnits.size(); scaled /= 1000) ++unit;
    std::string number = fmt::format("{:.1f}", scaled);
    if (std::fabs(scaled) >= 99.95 || number.ends_with(".0"))
      number = fmt::format("{:.0f}", scaled);
    return number + std::string(kUnits[unit]);
  }
  if (value >= 0 && value == std::floor(value))
    return with_separators(static_cast<std::uint64_t>(value));
  return fmt::format("{:.3g}", value);
}

std::string lines(const Frame& frame, const std::vector<Line>& lines) {
  const std::vector<LegendPlace> legend = legend_places(frame, lines);
  const auto has_no_place = [&](double y) { return frame.y.logarithmic && y <= 0; };
  bool zero_row = false;
  for (const Line& line : lines)
    for (const auto& [x, y] : line.points) zero_row = zero_row || has_no_place(y);
  Canvas canvas = start(frame, legend, true, zero_row);
  for (const Line& line : lines) {
    std::string path;
    bool joined = false;  // whether the path goes on from the point before
    const std::string thin = fmt::format("stroke:{}", colour(line.colour));
    for (std::size_t i = 0; i < line.points.size(); ++i) {
      const double x = canvas.x.at(line.points[i].first);
      if (has_no_place(line.points[i].second)) {
        canvas.drawing.ring(x, frame.height - kBottom - 8, 3.5, colour(line.colour));
        joined = false;
        continue;
      }
      const double y = canvas.y.at(line.points[i].second);
      path += fmt::format("{}{} {}", joined ? "L" : "M", place(x), place(y));
      joined = true;
      if (i < line.ranges.size()) {
        const double low = canvas.y.at(line.ranges[i].first);
        const double high = canvas.y.at(line.ranges[i].second);
        canvas.drawing.line(x, low, x, high, thin);
        for (const double end : {low, high}) canvas.drawing.line(x - 3, end, x + 3, end, thin);
      }
      if (line.hollow) {
        canvas.drawing.ring(x, y, 5, colour(line.colour));
      } else if (line.marked || !line.joined) {
        canvas.drawing.dot(x, y, fmt::format("fill:{}", colour(line.colour)));
      }
    }
    if (line.joined)
      canvas.drawing.raw(fmt::format("<path d=\"{}\" style=\"{}\"/>\n", path, line_style(line)));
  }
  draw_rules(canvas, frame);
  draw_legend(canvas, lines, legend);
  return canvas.drawing.finish();
}

std::string histogram(const Frame& frame, const std::vector<double>& edges,
                      const std::vector<Bars>& bars) {
  const std::vector<LegendPlace> legend = legend_places(frame, bars);
  Canvas canvas = start(frame, legend, true);
  for (std::size_t bin = 0; bin + 1 < edges.size(); ++bin) {
    draw_stack(canvas, bars, bin, canvas.x.at(edges[bin]) + 0.5, canvas.x.at(edges[bin + 1]) - 0.5,
               fmt::format("{} to {}", short_number(edges[bin]), short_number(edges[bin + 1])));
  }
  draw_rules(canvas, frame);
  draw_legend(canvas, bars, legend);
  return canvas.drawing.finish();
}

std::string categories(const Frame& frame, const std::vector<std::string>& names,
                       const std::vector<Bars>& bars) {
  Frame numbered = frame;
  numbered.x.from = 0;
  numbered.x.to = static_cast<double>(std::max<std::size_t>(names.size(), 1));
  const std::vector<LegendPlace> legend = legend_places(frame, bars);
  Canvas canvas = start(numbered, legend, false);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double left = canvas.x.at(static_cast<double>(i));
    const double right = canvas.x.at(static_cast<double>(i + 1));
    const double room = right - left;
    const double bar = std::min(room * 0.75, 60.0);
    const double middle = (left + right) / 2;
    draw_stack(canvas, bars, i, middle - bar / 2, middle + bar / 2, names[i]);
    double sum = 0;
    for (const Bars& part : bars) sum += i < part.values.size() ? part.values[i] : 0;
    if (sum > 0) canvas.drawing.text(middle, canvas.y.at(sum) - 4, "middle", short_number(sum));
    const auto letters = static_cast<std::size_t>(std::max(3.0, room / 6.5));
    canvas.drawing.text(middle, canvas.y.start + 17, "middle", shortened(names[i], letters));
  }
  draw_legend(canvas, bars, legend);
  return canvas.drawing.finish();
}

std::string heat_map(const HeatMap& map) {
  constexpr double kCell = 36, kLabels = 174, kHead = 112;
  constexpr std::size_t kRowLetters = 26, kColumnLetters = 20;
  double most = 1;
  for (const auto& row : map.values)
    for (const double value : row) most = std::max(most, value);
  const double width = kLabels + kCell * static_cast<double>(map.columns.size()) + 90;
  const double height = kHead + 26 * static_cast<double>(map.rows.size()) + 8;
  Drawing drawing(width, height, map.title, map.description);
  drawing.text(4, 14, "start", map.column_title);
  drawing.text(4, kHead - 8, "start", map.row_title);
  for (std::size_t j = 0; j < map.columns.size(); ++j) {
    const double middle = kLabels + kCell * (static_cast<double>(j) + 0.5);
    drawing.text(middle + 3, kHead - 6, "start", shortened(map.columns[j], kColumnLetters), -40);
  }
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    const double top = kHead + 26 * static_cast<double>(i);
    drawing.text(kLabels - 8, top + 17, "end", shortened(map.rows[i], kRowLetters));
    for (std::size_t j = 0; j < map.columns.size(); ++j) {
      const double value = i < map.values.size() && j < map.values[i].size() ? map.values[i][j] : 0;
      // Never so dark that the number in it could not be read, never so light that 1 seems 0.
      const double depth = value <= 0 ? 0 : 0.1 + 0.42 * std::log1p(value) / std::log1p(most);
      const double left = kLabels + kCell * static_cast<double>(j);
      drawing.box(left, top, kCell - 2, 24,
                  value <= 0
                      ? std::string("fill:none;stroke:var(--plot-grid,#ddd)")
                      : fmt::format("fill:{};fill-opacity:{:.2f}", colour(Colour::kFirst), depth),
                  fmt::format("{} / {}: {}", map.rows[i], map.columns[j], short_number(value)));
      if (value > 0) drawing.text(left + kCell / 2 - 1, top + 16, "middle", short_number(value));
    }
  }
  return drawing.finish();
}

}  // namespace benzer::plot
