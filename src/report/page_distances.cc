// Writes the section that says, for images compared by hashes, that all pairs are found, and how
// far apart they are.
#include <algorithm>

#include <fmt/format.h>

#include "benzer/internal/text.h"
#include "benzer/similarity.h"

#include "report/html_text.h"
#include "report/page.h"
#include "report/plot.h"
#include "report/words.h"

namespace benzer::report {
namespace {

// The report has bins of scores; in reverse order they are bins of distances.
std::string histogram(const Report& report) {
  const FeatureSpec& features = report.counts.config.features;
  const std::size_t bins = report.scores.size();
  const double width = features.hash_bits() / 2.0 / static_cast<double>(bins);
  plot::Bars below{"not similar", {}, plot::Colour::kQuiet};
  plot::Bars similar{"similar", {}, plot::Colour::kFirst};
  // A distance is in the middle of its bar.
  std::vector<double> edges{0.5};
  double most = 9, farthest = *report.distance + 0.5;
  for (std::size_t i = 0; i < bins; ++i) {
    const ScoreCounts::Bin& bin = report.scores[bins - 1 - i];
    edges.push_back(0.5 + width * static_cast<double>(i + 1));
    below.values.push_back(static_cast<double>(bin.below));
    similar.values.push_back(static_cast<double>(bin.similar));
    most = std::max(most, static_cast<double>(bin.below + bin.similar));
    if (bin.below + bin.similar > 0) farthest = std::max(farthest, edges.back());
  }
  const auto shown = static_cast<std::size_t>(std::count_if(
      edges.begin(), edges.end(), [&](double edge) { return edge < farthest + 2 * width; }));
  edges.resize(std::max<std::size_t>(shown, 2));
  below.values.resize(edges.size() - 1);
  similar.values.resize(edges.size() - 1);
  plot::Frame frame;
  frame.title = "Pairs that were compared, by the bits in which their hashes differ";
  frame.description = fmt::format("{} pairs of different hashes, and {} equal ones",
                                  report.compared - report.equal_pairs, report.equal_pairs);
  frame.x = {"bits that differ", 0, edges.back(), false};
  frame.y = {"pairs, on a logarithmic scale", 0, most * 1.3, true};
  // The line is drawn between two bars, unless the bar that it falls into has pairs of both sides.
  double line = *report.distance + 0.5;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    if (line <= edges[i] || line >= edges[i + 1]) continue;
    if (similar.values[i] == 0)
      line = edges[i];
    else if (below.values[i] == 0)
      line = edges[i + 1];
  }
  frame.rules = {{line, ""}};
  return plot::histogram(frame, edges, {similar, below});
}

}  // namespace

void append_distances(const Report& report, std::string& out) {
  const int bits = report.counts.config.features.hash_bits();
  append_heading("trust", "What is found, and what was measured", out);
  out += fmt::format(
      "<p>No removal rests on an estimate, and nothing is missed: every pair of pictures whose "
      "hashes differ in at most {} of {} bits is found, and its bits are counted. Whether two such "
      "pictures are copies is another question, since a hash is a summary: strangers differ in "
      "about {} bits, but of very many pictures some come near by chance, and so do pages of text, "
      "charts and other pictures with the same layout.{}</p>\n",
      *report.distance, bits, bits / 2,
      report.pictures ? " The pictures above are there to judge it by." : "");
  append_figure(
      histogram(report),
      fmt::format("{}{} looked at of which the hashes differ; {} more {} equal and not drawn. The "
                  "line is after the last distance that counts as similar, {}; of pairs farther "
                  "apart only the nearest are looked at.{}",
                  report.below_one_of > 1 ? "about " : "",
                  counted(report.compared - report.equal_pairs, "pair was", "pairs were"),
                  with_separators(report.equal_pairs), report.equal_pairs == 1 ? "is" : "are",
                  *report.distance, sample_in_words(report)),
      out);
}

}  // namespace benzer::report
