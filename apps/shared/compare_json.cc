#include "compare_json.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "benzer/features.h"
#include "benzer/sketch.h"

#include "json.h"
#include "match_json.h"
#include "passage_json.h"
#include "passage_places.h"
#include "settings.h"

namespace benzer::apps {
namespace {

// The shingles of `from` whose features are (or are not) in `other`.
std::vector<std::string> shingles_of(const SingleText& from, const SingleText& other,
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

std::vector<int> bands_met(const TextComparison& c) {
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

// Two texts have shorter passages in common than a whole corpus has, and those are worth seeing.
constexpr std::uint32_t kAlignedWords = 10, kAlignedGap = 5;

std::optional<PassageOptions> aligned_passages(const Options& options,
                                               const FeatureSpec& features) {
  const TextFeatures* const text = features.text();
  if (!text) {
    if (options.min_words || options.gap)
      refuse(words("{} has no effect on values, which have no passages",
                   {Parameter{options.min_words ? "min_words" : "gap"}}),
             "leave it out");
    return std::nullopt;
  }
  PassageOptions out = options_for_words_of(*text);
  out.min_words = kAlignedWords;
  out.gap = kAlignedGap;
  read_passage_lengths(options, out);
  return out;
}

// Returns the passages of `b` that are in `a`.
std::vector<AlignedPassage> align(const SingleText& a, const SingleText& b,
                                  const PassageOptions& options) {
  MemoryCorpus corpus;
  corpus.add_text("a", a.text);
  corpus.add_text("b", b.text);
  const std::string readable = FeatureExtractor(options.features).readable(a.text);
  std::vector<AlignedPassage> out;
  find_passages(corpus, options, [&](const Passage& passage) {
    const TextRun& first = passage.first;
    out.push_back({passage, readable.substr(first.begin, first.end - first.begin),
                   std::string(passage.text)});
    out.back().passage.text = {};
  });
  return out;
}

std::string json_passage(const AlignedPassage& aligned) {
  const auto place = [](const TextRun& run, std::uint64_t words, const std::string& text) {
    JsonObject out;
    add_run(out, run);
    return out.add("words", words).add("text", text).str();
  };
  const Passage& passage = aligned.passage;
  JsonObject out;
  out.raw("a", place(passage.first, passage.first_words, aligned.text_a));
  out.raw("b", place(passage.place, passage.words, aligned.text_b));
  return out.add("score", passage.score()).str();
}

std::string json_text(const SingleText& text) {
  JsonObject out;
  out.add("path", text.path).add("bytes", text.text.size()).add("words", text.trace.words.size());
  out.add("shingles", text.trace.shingles.size()).add("features", text.features.size());
  out.add("short", text.trace.is_short).add("empty", text.features.empty());
  return out.add("replaced", text.trace.replaced).str();
}

}  // namespace

TextComparison compare_inputs(const Options& options) {
  if (options.inputs[0] == "-" && options.inputs[1] == "-") {
    refuse("only one of the two texts can be standard input", "name a file for the other");
  }
  const CompareSettings settings = compare_settings(options);
  const std::uint64_t max_bytes = read_max_line(options);
  SingleText a = follow_line(options.inputs[0], settings.config, max_bytes);
  return compare_texts(std::move(a), follow_line(options.inputs[1], settings.config, max_bytes),
                       settings);
}

CompareSettings compare_settings(const Options& options) {
  CompareSettings out;
  out.measure = read_measure(options);
  if (out.measure == Measure::kContainment) check_contained(options);
  out.config = complete_config(options);
  if (out.measure == Measure::kContainment && out.config.features.is_weighted())
    refuse(
        "containment counts features, and those of " + out.config.features.str() + " have weights",
        words("leave out {}, or the weights", {Parameter{"measure"}}));
  out.threshold = read_threshold(options, out.config.features);
  out.recall = read_recall(options);
  out.passages = aligned_passages(options, out.config.features);
  return out;
}

namespace {

// Sets what follows from containment.
void compare_contained(const CompareSettings& settings, TextComparison& out) {
  OverlapCounter counter(Weighting::kNone, Measure::kContainment);
  counter.load(out.a.features.features());
  out.overlap = counter.compare(out.b.features.features());
  const double exact = out.overlap.jaccard();
  out.shares = shares_of(exact, static_cast<std::uint32_t>(out.a.features.size()),
                         static_cast<std::uint32_t>(out.b.features.size()));
  AnchorPlan& plan = out.anchors.emplace(plan_anchors(settings.threshold.value(), settings.recall));
  const std::size_t smaller = std::min(out.a.features.size(), out.b.features.size());
  if (smaller == 0) return;
  if (smaller > static_cast<std::size_t>(plan.anchors)) {
    out.probability = plan.candidate_probability(exact);
    return;
  }
  // All features are anchors, so their number decides, and nothing is left to chance.
  const std::uint64_t needed =
      settings.threshold.needed_intersection(smaller, smaller, Measure::kContainment);
  plan.anchors = static_cast<int>(smaller);
  plan.needed = static_cast<int>(needed);
  out.probability = out.overlap.intersection >= needed ? 1 : 0;
}

// Sets what signatures and bands say.
void compare_signatures(TextComparison& out) {
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
  if (comparable) out.equal_bands = bands_met(out);
}

}  // namespace

TextComparison compare_texts(SingleText a, SingleText b, const CompareSettings& settings) {
  TextComparison out;
  out.a = std::move(a);
  out.b = std::move(b);
  out.config = settings.config;
  out.threshold = settings.threshold;
  out.measure = settings.measure;
  const Weighting weighting = weighting_of(out.config.features);
  if (out.measure == Measure::kContainment) {
    compare_contained(settings, out);
  } else {
    out.overlap = overlap(out.a.features, out.b.features, weighting);
    compare_signatures(out);
  }
  out.similar = out.threshold.reached(out.overlap.intersection, out.overlap.set_union);
  out.shared = shingles_of(out.a, out.b, weighting, true);
  out.only_a = shingles_of(out.a, out.b, weighting, false);
  out.only_b = shingles_of(out.b, out.a, weighting, false);
  throw_if_stopped(settings.stop);
  out.passage_options = settings.passages;
  if (!settings.passages) return out;
  PassageOptions options = *settings.passages;
  options.stop = settings.stop;
  out.passages = align(out.a, out.b, options);
  return out;
}

std::string compare_json(const TextComparison& c, std::size_t shown) {
  const auto first = [shown](const std::vector<std::string>& list) {
    return std::span<const std::string>(list).first(std::min(shown, list.size()));
  };
  JsonArray bands;
  for (const int band : c.equal_bands) bands.raw(std::to_string(band));
  JsonObject out;
  out.add("command", "compare");
  out.add("config", c.anchors ? c.config.features.str() : c.config.str());
  if (c.anchors) out.add("measure", name_of(c.measure));
  out.add("threshold", c.threshold.str());
  out.raw("a", json_text(c.a)).raw("b", json_text(c.b));
  out.add("similar", c.similar).add("similarity", c.overlap.jaccard());
  if (c.anchors) {
    out.add("share_of_a", c.shares.of_a).add("share_of_b", c.shares.of_b);
    out.add("found_probability", c.probability).add("anchors", c.anchors->anchors);
    out.add("needed_anchors", c.anchors->needed);
  } else {
    add_overlap(out, c.overlap, c.config.features);
    out.add("estimate", c.estimate).add("standard_error", c.error);
    if (c.estimate_union) out.add("estimate_union", *c.estimate_union);
    out.add("found_probability", c.probability).add("found", !c.equal_bands.empty());
    out.add("bands", c.config.banding->bands).raw("equal_bands", bands.str());
  }
  out.add("shared", c.shared.size()).add("only_a", c.only_a.size()).add("only_b", c.only_b.size());
  out.add("shared_shingles", first(c.shared)).add("only_a_shingles", first(c.only_a));
  out.add("only_b_shingles", first(c.only_b));
  if (c.passage_options) {
    JsonArray passages;
    for (std::size_t i = 0; i < std::min(shown, c.passages.size()); ++i)
      passages.raw(json_passage(c.passages[i]));
    out.add("min_words", c.passage_options->min_words).add("gap", c.passage_options->gap);
    out.add("passages", c.passages.size()).raw("passage_list", passages.str());
  }
  return out.str() + "\n";
}

}  // namespace benzer::apps
