#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "benzer/internal/score_text.h"
#include "benzer/internal/text.h"

#include "../shared/compare_json.h"
#include "commands.h"
#include "messages.h"
#include "shown_text.h"

namespace benzer::cli {
namespace {

constexpr std::size_t kShownBands = 40;

void append_shingles(std::string& out, const std::string& title,
                     const std::vector<std::string>& shingles, std::size_t shown) {
  out += fmt::format("\n{}: {}\n", title, with_separators(shingles.size()));
  shown = std::min(shown, shingles.size());
  for (std::size_t i = 0; i < shown; ++i) out += fmt::format("  {}\n", shown_shingle(shingles[i]));
  if (shown < shingles.size()) {
    out += fmt::format("  ... and {} more (--all lists them)\n",
                       with_separators(shingles.size() - shown));
  }
}

std::string describe(std::string_view letter, const SingleText& text, const FeatureSpec& features) {
  const TextFeatures* const of_text = features.text();
  const bool is_bag = of_text ? of_text->bag : features.values() && features.values()->bag;
  const std::string_view different = is_bag ? "" : "different ";
  if (features.values())
    return fmt::format("{}  {}: {} bytes, {} {}values{}\n", letter, printable(text.path),
                       with_separators(text.text.size()), with_separators(text.features.size()),
                       different, text.features.empty() ? " (similar to nothing)" : "");
  std::string words;  // some features are not of words
  if (of_text->kind != TextFeatures::Kind::kShingles)
    words = with_separators(text.trace.words.size()) + " words, ";
  return fmt::format("{}  {}: {} bytes, {}{} {}shingles{}\n", letter, printable(text.path),
                     with_separators(text.text.size()), words,
                     with_separators(text.features.size()), different,
                     text.features.empty() ? " (similar to nothing)"
                     : text.trace.is_short ? " (shorter than one shingle)"
                                           : "");
}

void append_contained(std::string& out, const TextComparison& c) {
  const auto row = [&](std::string_view name, std::uint64_t size, std::string_view of,
                       double share) {
    out += fmt::format("  {:<15} {} = {} shared / {} in {}\n", name, cut_score(share),
                       with_separators(c.overlap.intersection), with_separators(size), of);
  };
  row("share of A", c.a.features.size(), "A", c.shares.of_a);
  row("share of B", c.b.features.size(), "B", c.shares.of_b);
  out += fmt::format(
      "  {:<15} with probability {} at this containment: {} of the {} anchors of the smaller "
      "one are needed\n",
      "found", shown_probability(c.probability), c.anchors->needed, c.anchors->anchors);
  out += fmt::format("  {:<15} {}\n", "configuration", c.config.features.str());
}

void append_signatures(std::string& out, const TextComparison& c) {
  out +=
      fmt::format("  {:<15} {} = {} shared / {} in all\n", "exact", cut_score(c.overlap.jaccard()),
                  shown_size(c.overlap.intersection, c.config.features),
                  shown_size(c.overlap.set_union, c.config.features));
  const bool has_bands = c.config.sketch.has_positions();
  out += fmt::format("  {:<15} {:.4f}, where {:.4f} is one standard error of {} {}\n", "estimated",
                     c.estimate_union.value_or(c.estimate), c.error, c.config.sketch.slots,
                     has_bands ? "slots" : "values");
  if (c.estimate_union)
    out += fmt::format(
        "  {:<15} {:.4f}, common values / {}: an estimate of the overlap of sets of one size\n",
        "as in 2012", c.estimate, c.config.sketch.slots);
  const char* units = has_bands ? "bands" : "values";
  out += fmt::format("  {:<15} with probability {}{} at this similarity; ",
                     fmt::format("found by {}", units), has_bands ? "" : "at least ",
                     shown_probability(c.probability));
  if (c.equal_bands.empty()) {
    out += fmt::format("this pair is not found: none of {} {} is equal\n", c.config.banding->bands,
                       units);
  } else {
    out += fmt::format("this pair is found: {} of {} {} equal\n", c.equal_bands.size(),
                       c.config.banding->bands, units);
    const std::size_t listed = std::min(kShownBands, c.equal_bands.size());
    out += fmt::format("  {:<15} {}{}\n", fmt::format("equal {}", units),
                       fmt::join(std::span(c.equal_bands).first(listed), " "),
                       listed < c.equal_bands.size() ? " ... (--json has all)" : "");
  }
  out += fmt::format("  {:<15} {}\n", "configuration", c.config.str());
}

// One line of a passage.
std::string shown_passage(const std::string& text) {
  constexpr std::size_t kExcerpt = 300;  // characters
  const bool is_cut = first_characters(text, kExcerpt).size() < text.size();
  return shown_line(text, kExcerpt) + (is_cut ? " ..." : "");
}

void append_passages(std::string& out, const TextComparison& c, std::size_t shown) {
  out += fmt::format("\npassages of at least {} in both: {}\n",
                     counted(c.passage_options->min_words, "word", "words"),
                     with_separators(c.passages.size()));
  shown = std::min(shown, c.passages.size());
  for (const AlignedPassage& aligned : std::span(c.passages).first(shown)) {
    const Passage& passage = aligned.passage;
    const TextRun &a = passage.first, &b = passage.place;
    const bool is_equal = passage.equal_words == std::max(passage.words, passage.first_words);
    out += fmt::format(
        "  bytes {}-{} of A, {}-{} of B: {}, {}\n", a.begin, a.end, b.begin, b.end,
        counted(passage.words, "word", "words"),
        is_equal ? "equal" : fmt::format("{} of them as in A", cut_score(passage.score())));
    if (!is_equal) out += fmt::format("    A  {}\n", shown_passage(aligned.text_a));
    out += fmt::format("    {}  {}\n", is_equal ? " " : "B", shown_passage(aligned.text_b));
  }
  if (shown < c.passages.size())
    out += fmt::format("  ... and {} more (--all lists them)\n",
                       with_separators(c.passages.size() - shown));
}

std::string text(const TextComparison& c, std::size_t shown) {
  std::string out = describe("A", c.a, c.config.features) + describe("B", c.b, c.config.features);
  // With as many decimals as the threshold has, so that a score that reaches it is not shown below.
  const std::string threshold = c.threshold.str();
  const std::size_t point = std::min(threshold.find('.'), threshold.size() - 1);
  const auto decimals = static_cast<int>(threshold.size() - 1 - point);
  out += fmt::format("\n  {:<15} {}: {} {} the threshold {}\n", "verdict",
                     c.anchors   ? c.similar ? "contained" : "not contained"
                     : c.similar ? "similar"
                                 : "not similar",
                     cut_score(c.overlap.jaccard(), std::max(4, decimals)),
                     c.similar ? "reaches" : "is below", threshold);
  c.anchors ? append_contained(out, c) : append_signatures(out, c);
  if (c.passage_options) append_passages(out, c, shown);
  append_shingles(out, c.config.features.values() ? "shared values" : "shared shingles", c.shared,
                  shown);
  append_shingles(out, "only in A", c.only_a, shown);
  append_shingles(out, "only in B", c.only_b, shown);
  return out;
}

}  // namespace

int run_compare(const Options& options) {
  const TextComparison comparison = compare_inputs(options);
  const std::size_t shown = options.all ? std::string::npos : kShownShingles;
  print_if_read(options.json ? compare_json(comparison, shown) : text(comparison, shown));
  return options.exit_code && !comparison.similar ? kNotSimilar : kDone;
}

}  // namespace benzer::cli
