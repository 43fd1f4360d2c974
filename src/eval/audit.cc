#include "benzer/audit.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "benzer/error.h"

#include "dedup/complete_options.h"
#include "dedup/count_pass.h"
#include "eval/compare_pass.h"
#include "eval/sample.h"
#include "eval/tally.h"

namespace benzer {
namespace {

// Returns the probability that a run makes a pair a candidate.
double found_probability(const AuditResult& result, const Meeting& met) {
  if (!result.anchors) return result.config.banding->candidate_probability(met.score());
  const std::uint64_t smaller = met.overlap.set_union;
  // If all features are anchors, nothing is left to chance.
  if (smaller <= static_cast<std::uint64_t>(result.anchors->anchors)) return met.similar ? 1 : 0;
  return result.anchors->candidate_probability(met.score());
}

bool is_drawn(const std::vector<SampledDocument>& sample, std::uint32_t document) {
  const auto at = std::lower_bound(
      sample.begin(), sample.end(), document,
      [](const SampledDocument& one, std::uint32_t number) { return one.document < number; });
  return at != sample.end() && at->document == document;
}

}  // namespace

AuditResult audit(Corpus& corpus, const AuditOptions& requested) {
  AuditOptions options = requested;
  if (options.sample < 1)
    throw Error(ErrorCode::kInvalidArgument, "an audit needs a sample of at least one document");
  const SimilarityCounts promised = complete_options(options);
  check_has_bands(options.config.features);
  AuditResult result;
  result.config = promised.config;
  result.anchors = promised.anchors;
  result.recall_at_threshold = promised.recall_at_threshold;

  const FeatureExtractor extractor = make_extractor(corpus, options);
  if (!extractor.frequencies()) count_documents(corpus, options);
  const std::vector<SampledDocument> sample =
      draw_sample(corpus, options, extractor, options.sample, options.seed);
  result.sampled = sample.size();

  Tally tally(options.threshold.value(), sample.size(), result);
  const auto add = [&](const Meeting& met) {
    const std::uint32_t other = sample[met.sampled].document;
    // Of two drawn documents each meets the other, so their pair is met twice.
    const bool again = met.document < other && is_drawn(sample, met.document);
    tally.add({met.sampled, met.score(), met.similar, met.found, met.equal, again,
               found_probability(result, met)});
    if (met.similar && !again && options.pairs)
      options.pairs({std::min(met.document, other), std::max(met.document, other), met.score()},
                    met.found);
  };
  const ComparePassCounts counts =
      compare_with_sample(corpus, options, extractor, sample,
                          {Tally::least_score(options.threshold.value()), true, {}, add});
  result.documents = counts.documents;
  result.references = counts.references;
  result.empty = counts.empty;
  result.short_documents = counts.short_documents;
  result.taking_part = counts.taking_part;
  tally.finish([&](std::size_t drawn) { return sample[drawn].document < result.references; });
  return result;
}

double least_audited_score(const Threshold& threshold) noexcept {
  return Tally::least_score(threshold.value());
}

AuditResult sum_up_audit(const AuditOptions& requested, const AuditResult& counts,
                         std::span<const AuditedPairs> pairs, std::uint64_t drawn_references) {
  AuditOptions options = requested;
  refuse_containment(options, "a run on several machines");
  const SimilarityCounts promised = complete_options(options);
  check_has_bands(options.config.features);
  if (counts.sampled > counts.taking_part || (counts.sampled == 0) != (counts.taking_part == 0))
    throw Error(ErrorCode::kInvalidArgument, std::to_string(counts.sampled) +
                                                 " documents cannot be drawn of " +
                                                 std::to_string(counts.taking_part));
  AuditResult result = counts;
  result.config = promised.config;
  result.recall_at_threshold = promised.recall_at_threshold;
  const double least = least_audited_score(options.threshold);
  Tally tally(options.threshold.value(), result.sampled, result);
  for (const AuditedPairs& one : pairs) {
    if (one.drawn >= result.sampled)
      throw Error(ErrorCode::kInvalidArgument, "pairs of the drawn document " +
                                                   std::to_string(one.drawn) + " were given, and " +
                                                   std::to_string(result.sampled) + " were drawn");
    if (!(one.score >= least && one.score <= 1))
      throw Error(ErrorCode::kInvalidArgument,
                  "audited pairs have the score " + std::to_string(one.score) +
                      ", and it must be from " + std::to_string(least) + " to 1");
    tally.add({one.drawn, one.score, one.similar, one.found, one.equal, one.again,
               result.config.banding->candidate_probability(one.score), one.pairs});
  }
  tally.finish([&](std::size_t drawn) { return drawn < drawn_references; });
  return result;
}

}  // namespace benzer
