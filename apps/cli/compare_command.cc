#include <optional>
#include <set>
#include <span>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/similarity.h"

#include "../shared/json.h"
#include "../shared/match_json.h"
#include "commands.h"
#include "messages.h"
#include "settings.h"
#include "single_text.h"

namespace benzer::cli {
namespace {

constexpr std::size_t kShownBands = 40;

// All results of comparing two texts.
struct Comparison {
  SingleText a, b;
  Config config;
  Threshold threshold = Threshold::parse("0.8");
  Overlap overlap;
  bool similar = false;
  double estimate = 0;
  std::optional<double> estimate_union;  // in addition to `estimate`, that of the report of 2012
  double error = 0;                      // standard error at the exact similarity
  double probability = 0;                // that the bands find a pair of this similarity
  std::vector<int> equal_bands;
  std::vector<std::string> shared, only_a, only_b;  // shingles in the order of the text, each once
};

// The shingles of `from` whose features are (or are not) in `other`.
std::vector<std::string> shingles(const SingleText& from, const SingleText& other,
                                  Weighting weighting, bool in_other) {
  OverlapCounter there(weighting);
  there.load(other.features.features());
  std::set<std::uint64_t> seen;
  std::vector<std::string> out;
  for (const TextTrace::Shingle& shingle : from.trace.shingles) {
    if (there.contains(shingle.feature) != in_other) continue;
    if (seen.insert(shingle.feature).second) out.push_back(shingle.text);
  }
  return out;
}

std::vector<int> equal_bands(const Comparison& c) {
  const std::vector<std::uint64_t>& a = c.a.band_keys;
  const std::vector<std::uint64_t>& b = c.b.band_keys;
  const std::set<std::uint64_t> of_b(b.begin(), b.end());
  // Without positions, a value in one slot also matches an equal value in another.
  const bool anywhere = !c.config.sketch.has_positions();
  std::vector<int> out;
  for (std::size_t band = 0; band < a.size(); ++band)
    if (anywhere ? of_b.contains(a[band]) : a[band] == b[band])
      out.push_back(static_cast<int>(band));
  return out;
}

Comparison compare(const Options& options) {
  Comparison out;
  out.config = complete_config(options);
  out.threshold = read_threshold(options, out.config.features);
  const std::uint64_t max_bytes = read_max_line(options);
  out.a = follow_line(options.inputs[0], out.config, max_bytes);
  out.b = follow_line(options.inputs[1], out.config, max_bytes);
  const Weighting weighting = weighting_of(out.config.features);
  out.overlap = overlap(out.a.features, out.b.features, weighting);
  out.similar = out.threshold.reached(out.overlap.intersection, out.overlap.set_union);
  const double exact = out.overlap.jaccard();
  out.estimate = estimate_jaccard(out.a.signature, out.b.signature);
  if (out.a.signature.estimator == Estimator::kCommon)
    out.estimate_union = estimate_union(out.a.signature.slots, out.b.signature.slots);
  const int slots = out.config.sketch.slots;
  out.error = out.config.sketch.has_positions()
                  ? standard_error(exact, slots)
                  : standard_error_of_union(exact, slots, out.overlap.set_union);
  const bool comparable = !out.a.band_keys.empty() && !out.b.band_keys.empty();
  out.probability = comparable ? out.config.banding->candidate_probability(exact) : 0;
  if (comparable) out.equal_bands = equal_bands(out);
  out.shared = shingles(out.a, out.b, weighting, true);
  out.only_a = shingles(out.a, out.b, weighting, false);
  out.only_b = shingles(out.b, out.a, weighting, false);
  return out;
}

std::string json_text(const SingleText& text) {
  JsonObject out;
  out.add("path", text.path).add("bytes", text.text.size()).add("words", text.trace.words.size());
  out.add("shingles", text.trace.shingles.size()).add("features", text.features.size());
  out.add("short", text.trace.is_short).add("empty", text.features.empty());
  return out.add("replaced", text.trace.replaced).str();
}

std::string json(const Comparison& c, std::size_t shown) {
  const auto first = [shown](const std::vector<std::string>& list) {
    return std::span<const std::string>(list).first(std::min(shown, list.size()));
  };
  JsonArray bands;
  for (const int band : c.equal_bands) bands.raw(std::to_string(band));
  JsonObject out;
  out.add("command", "compare").add("config", c.config.str()).add("threshold", c.threshold.str());
  out.raw("a", json_text(c.a)).raw("b", json_text(c.b));
  out.add("similar", c.similar).add("similarity", c.overlap.jaccard());
  add_overlap(out, c.overlap, c.config.features);
  out.add("estimate", c.estimate).add("standard_error", c.error);
  if (c.estimate_union) out.add("estimate_union", *c.estimate_union);
  out.add("found_probability", c.probability).add("found", !c.equal_bands.empty());
  out.add("bands", c.config.banding->bands).raw("equal_bands", bands.str());
  out.add("shared", c.shared.size()).add("only_a", c.only_a.size()).add("only_b", c.only_b.size());
  out.add("shared_shingles", first(c.shared)).add("only_a_shingles", first(c.only_a));
  out.add("only_b_shingles", first(c.only_b));
  return out.str() + "\n";
}

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
  if (features.values())
    return fmt::format("{}  {}: {} bytes, {} different values{}\n", letter, printable(text.path),
                       with_separators(text.text.size()), with_separators(text.features.size()),
                       text.features.empty() ? " (similar to nothing)" : "");
  return fmt::format("{}  {}: {} bytes, {} words, {} different shingles{}\n", letter,
                     printable(text.path), with_separators(text.text.size()),
                     with_separators(text.trace.words.size()),
                     with_separators(text.features.size()),
                     text.features.empty() ? " (similar to nothing)"
                     : text.trace.is_short ? " (shorter than one shingle)"
                                           : "");
}

std::string text(const Comparison& c, std::size_t shown) {
  std::string out = describe("A", c.a, c.config.features) + describe("B", c.b, c.config.features);
  out += fmt::format("\n  {:<15} {}: {:.4f} {} the threshold {}\n", "verdict",
                     c.similar ? "similar" : "not similar", c.overlap.jaccard(),
                     c.similar ? "reaches" : "is below", c.threshold.str());
  out += fmt::format("  {:<15} {:.4f} = {} shared / {} in all\n", "exact", c.overlap.jaccard(),
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
  out +=
      fmt::format("  {:<15} with probability {}{:.4f} at this similarity; ",
                  fmt::format("found by {}", units), has_bands ? "" : "at least ", c.probability);
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
  append_shingles(out, c.config.features.values() ? "shared values" : "shared shingles", c.shared,
                  shown);
  append_shingles(out, "only in A", c.only_a, shown);
  append_shingles(out, "only in B", c.only_b, shown);
  return out;
}

}  // namespace

int run_compare(const Options& options) {
  if (options.inputs[0] == "-" && options.inputs[1] == "-") {
    refuse("only one of the two texts can be standard input", "name a file for the other");
  }
  const Comparison comparison = compare(options);
  const std::size_t shown = options.all ? std::string::npos : kShownShingles;
  print_result(options.json ? json(comparison, shown) : text(comparison, shown));
  return options.exit_code && !comparison.similar ? kNotSimilar : kDone;
}

}  // namespace benzer::cli
