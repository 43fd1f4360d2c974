#include "report/plot.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace benzer::plot {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Frame frame() {
  Frame out;
  out.title = "Title";
  out.description = "what it shows";
  out.x = {"across", 0, 1, false};
  out.y = {"up", 0, 100, false};
  return out;
}

TEST(Plot, TicksAreRound) {
  EXPECT_THAT(
      ticks({"", 0, 1, false}, 5),
      ElementsAre(0, DoubleEq(.2), DoubleEq(.4), DoubleEq(.6000000000000001), DoubleEq(.8), 1));
  EXPECT_THAT(ticks({"", 0, 7, false}, 4), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(ticks({"", 3, 21, false}, 4), ElementsAre(5, 10, 15, 20));
  EXPECT_THAT(ticks({"", 0.6, 3000, true}, 5), ElementsAre(1, 10, 100, 1000));
  EXPECT_LE(ticks({"", 1, 1e12, true}, 5).size(), 6U);
  EXPECT_TRUE(ticks({"", 1, 1, false}, 5).empty());
}

TEST(Plot, NumbersAreShort) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(0.25), "0.25");
  EXPECT_EQ(short_number(0.30000000000000004), "0.3");
  EXPECT_EQ(short_number(9999), "9,999");
  EXPECT_EQ(short_number(12345), "12.3k");
  EXPECT_EQ(short_number(20000), "20k");
  EXPECT_EQ(short_number(999999), "1M");
  EXPECT_EQ(short_number(3400000), "3.4M");
  EXPECT_EQ(short_number(-12000), "-12k");
}

// 0 has no place on a logarithmic axis: at the floor it would look like the least number.
TEST(Plot, ALogarithmicAxisShowsZeroApart) {
  Frame logarithmic = frame();
  logarithmic.y = {"up", 1, 100, true};
  const Line line{"one", {{0, 100}, {0.25, 0}, {0.5, 1}, {1, 10}}, Colour::kSecond, false};
  const std::string svg = lines(logarithmic, {line});
  EXPECT_EQ(count(svg, "<circle"), 1U);
  EXPECT_THAT(svg, HasSubstr("fill:none"));
  EXPECT_THAT(svg, HasSubstr(">0</text>"));
  // The line is interrupted, and 1 is drawn above the row for 0.
  const std::string path = svg.substr(svg.find("<path d=\""), 200);
  EXPECT_EQ(count(path.substr(0, path.find("style")), "M"), 2U);
  const std::string without = lines(logarithmic, {{"one", {{0, 100}, {1, 1}}}});
  EXPECT_THAT(without, Not(HasSubstr("<circle")));
  EXPECT_THAT(lines(frame(), {line}), Not(HasSubstr("<circle")));
}

TEST(Plot, HollowMarksAreRings) {
  Line rings{"one", {{0, 0}, {1, 100}}, Colour::kSecond, false, false};
  EXPECT_EQ(count(lines(frame(), {rings}), "r=\"3\""), 2U);
  rings.hollow = true;
  const std::string svg = lines(frame(), {rings});
  EXPECT_EQ(count(svg, "r=\"3\""), 0U);
  EXPECT_EQ(count(svg, "r=\"5\" style=\"fill:none"), 2U);
  EXPECT_THAT(svg, Not(HasSubstr("<path")));
}

TEST(Plot, ALineGoesThroughItsPoints) {
  const std::string svg = lines(frame(), {{"one", {{0, 0}, {1, 100}}, Colour::kSecond, false}});
  // From the lower left to the upper right corner of the plot, which is inside the frame.
  EXPECT_THAT(svg, HasSubstr("<path d=\"M52 178L546 22\""));
  EXPECT_THAT(svg, HasSubstr("stroke:var(--plot-2,"));
  EXPECT_THAT(svg, HasSubstr("role=\"img\" aria-label=\"Title: what it shows\""));
  EXPECT_THAT(svg, HasSubstr(">across</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(Plot, LegendsAreForSeveral) {
  const Line one{"one", {{0, 0}}, Colour::kFirst, false},
      two{"two", {{0, 1}}, Colour::kThird, true};
  EXPECT_THAT(lines(frame(), {one}), Not(HasSubstr(">one</text>")));
  EXPECT_THAT(lines(frame(), {one, two}), HasSubstr(">two</text>"));
}

TEST(Plot, BarsAreStackedAndEmptyOnesAreNotDrawn) {
  const std::string svg = histogram(
      frame(), {0, 0.5, 1}, {{"a", {50, 0}, Colour::kFirst}, {"b", {50, 10}, Colour::kSecond}});
  EXPECT_EQ(count(svg, "<title>"), 3 + 2U);  // bars and legend
  EXPECT_THAT(svg, HasSubstr("<title>0 to 0.5: a 50</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>0.5 to 1: b 10</title>"));
  // The first stack fills the plot in two equal parts: 156 less the legend's 20, halved.
  EXPECT_EQ(count(svg, "height=\"68\""), 2U);
}

TEST(Plot, OneIsVisibleAmongThousandsAndNothingIsNot) {
  Frame wide = frame();
  wide.y = {"count", 0, 100000, true};
  const std::string svg = histogram(wide, {0, 0.3, 0.6, 1}, {{"", {100000, 1, 0}, Colour::kFirst}});
  EXPECT_EQ(count(svg, "<rect"), 2U);
  EXPECT_THAT(svg, Not(HasSubstr("height=\"0\"")));
}

TEST(Plot, CategoriesShowNamesAndValues) {
  const std::string svg = categories(frame(),
                                     {"2", "3\u20134",
                                      "a very long name indeed, too long to be read under a bar of "
                                      "that width, whatever is done with it"},
                                     {{"n", {7, 12000, 0}, Colour::kFirst}});
  EXPECT_THAT(svg, HasSubstr(">12k</text>"));
  EXPECT_THAT(svg, HasSubstr(">3\u20134</text>"));
  EXPECT_THAT(svg, HasSubstr("\u2026"));
}

TEST(Plot, HeatMapsShowRowsAgainstColumns) {
  HeatMap map;
  map.title = "Map";
  map.rows = {"r1", "r2"};
  map.columns = {"c1", "c2", "c3"};
  map.values = {{0, 5, 1000}, {1, 0, 0}};
  const std::string svg = heat_map(map);
  EXPECT_THAT(svg, HasSubstr("<title>r1 / c3: 1,000</title>"));
  EXPECT_EQ(count(svg, "<rect"), 6U);
  EXPECT_EQ(count(svg, "fill-opacity"), 3U);
  EXPECT_EQ(count(svg, "rotate("), 3U);
}

TEST(Plot, ForeignTextIsEscaped) {
  Frame hostile = frame();
  hostile.title = "\"><script>alert(1)</script>";
  hostile.x.title = "</text></svg>";
  hostile.rules = {{0.5, "<b>"}};
  const std::string svg =
      categories(hostile, {"<img onerror=x>", "\x01\xff"},
                 {{"&", {1, 2}, Colour::kFirst}, {"'", {1, 2}, Colour::kSecond}});
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, Not(HasSubstr("<img")));
  EXPECT_THAT(svg, Not(HasSubstr("</text></svg></text>")));
  EXPECT_EQ(count(svg, "</svg>"), 1U);
  EXPECT_THAT(svg, HasSubstr("\u2401\uFFFD"));
}

TEST(Plot, EmptyDataIsAPlotToo) {
  EXPECT_THAT(lines(Frame(), {}), HasSubstr("</svg>"));
  EXPECT_THAT(histogram(Frame(), {}, {}), HasSubstr("</svg>"));
  EXPECT_THAT(categories(Frame(), {}, {}), HasSubstr("</svg>"));
  EXPECT_THAT(heat_map(HeatMap()), HasSubstr("</svg>"));
  Frame flat;
  flat.x = {"", 5, 5, false};
  flat.y = {"", 0, 0, true};
  EXPECT_THAT(lines(flat, {{"", {{5, 0}, {6, -1}}, Colour::kFirst, false}}), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace benzer::plot
