// Draws the charts of experiments in one size. The title is also the caption, and describes the
// chart to readers who cannot see it.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "benzer/research/experiments.h"

#include "report/plot.h"

namespace benzer::experiments {

// Six colours that can be told apart, then grey.
inline plot::Colour colour(std::size_t i) {
  using enum plot::Colour;
  constexpr std::array kOrder = {kFirst, kSecond, kThird, kFourth, kFifth, kSixth};
  return i < kOrder.size() ? kOrder[i] : kQuiet;
}

// `description` is for readers who cannot see the chart, where the title is not enough.
inline ExperimentChart line_chart(std::string name, std::string title, plot::Axis x, plot::Axis y,
                                  const std::vector<plot::Line>& lines,
                                  std::string description = {}, double height = 340) {
  plot::Frame frame;
  frame.title = title;
  frame.description = std::move(description);
  frame.x = std::move(x);
  frame.y = std::move(y);
  frame.width = 680;
  frame.height = height;
  return {std::move(name), std::move(title), plot::lines(frame, lines)};
}

}  // namespace benzer::experiments
