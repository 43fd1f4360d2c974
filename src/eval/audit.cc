#include "benzer/audit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "benzer/error.h"

#include "dedup/count_pass.h"
#include "dedup/start.h"
#include "eval/compare_pass.h"
#include "eval/interval.h"
#include "eval/sample.h"

namespace benzer {
namespace {

constexpr double kStep = 0.05;  // of the ranges of scores
constexpr int kStepsBelow = 4;

// 0.8 + 2 * 0.05 is not 0.9 as a double; bounds are for people.
double bound(double threshold, int steps) {
  return std::clamp(std::round((threshold + steps * kStep) * 1e9) / 1e9, 0.0, 1.0);
}

// Adds up the meetings.
class Tally {
 public:
  Tally(const AuditOptions& options, const std::vector<SampledDocument>& sample,
        std::uint64_t references, AuditResult& result)
      : options_(options),
        sample_(sample),
        references_(references),
        threshold_(options.threshold.value()),
        result_(result),
        all_(sample.size()),
        different_(sample.size()) {
    for (int step = 0; bound(threshold_, step) < 1; ++step)
      result.ranges.push_back({bound(threshold_, step), bound(threshold_, step + 1), 0, 0, 0});
    for (int step = 0; step < kStepsBelow && bound(threshold_, -step) > 0; ++step)
      result.below.push_back({bound(threshold_, -step - 1), bound(threshold_, -step), 0, 0, 0});
  }

  void add(const Meeting& met) {
    const std::uint32_t other = sample_[met.sampled].document;
    const bool equal = met.intersection == met.set_union;
    if (met.similar) {
      count(all_[met.sampled], met);
      if (!equal) count(different_[met.sampled], met);
    }
    // Of two drawn documents each meets the other.
    if (met.document < other && is_sampled(met.document)) return;
    if (met.similar) {
      add_similar(met, equal);
      if (options_.pairs)
        options_.pairs({std::min(met.document, other), std::max(met.document, other), met.jaccard(),
                        met.found});
    } else {
      const auto steps = static_cast<std::size_t>((threshold_ - met.jaccard()) / kStep);
      if (!result_.below.empty())
        add_to(result_.below[std::min(steps, result_.below.size() - 1)], met);
    }
  }

  void finish() {
    const std::uint64_t population = result_.taking_part;
    for (auto& [recall, documents] :
         {std::pair{&result_.all, &all_}, {&result_.different, &different_}}) {
      if (recall->pairs > 0) recall->predicted /= static_cast<double>(recall->pairs);
      recall->share = share_of_pairs(*documents, recall->pairs, recall->found, population);
    }
    for (auto* ranges : {&result_.ranges, &result_.below})
      for (ScoreRange& range : *ranges)
        if (range.pairs > 0) range.predicted /= static_cast<double>(range.pairs);

    for (std::size_t s = 0; s < sample_.size(); ++s) {
      if (sample_[s].document < references_) continue;
      ++result_.sampled_documents;
      result_.with_similar += all_[s].pairs > 0;
    }
    // Drawn together with the references, and so in proportion to them.
    const bool everything = result_.sampled == population;
    result_.similar_share =
        share_of_documents(result_.with_similar, result_.sampled_documents,
                           everything ? result_.sampled_documents
                                      : result_.sampled_documents * population / result_.sampled);
  }

 private:
  static void count(PairsOfDocument& to, const Meeting& met) {
    ++to.pairs;
    to.found += met.found;
  }

  void add_similar(const Meeting& met, bool equal) {
    add_to(result_.all, met);
    if (equal) {
      ++result_.equal_pairs;
      return;
    }
    add_to(result_.different, met);
    const double steps = (met.jaccard() - threshold_) / kStep + 1e-9;
    const auto range = static_cast<std::size_t>(std::max(0.0, steps));
    if (!result_.ranges.empty())
      add_to(result_.ranges[std::min(range, result_.ranges.size() - 1)], met);
  }

  template <class Counts>
  void add_to(Counts& to, const Meeting& met) const {
    ++to.pairs;
    to.found += met.found;
    to.predicted += result_.config.banding->candidate_probability(met.jaccard());
  }

  bool is_sampled(std::uint32_t document) const {
    const auto at = std::lower_bound(
        sample_.begin(), sample_.end(), document,
        [](const SampledDocument& one, std::uint32_t number) { return one.document < number; });
    return at != sample_.end() && at->document == document;
  }

  const AuditOptions& options_;
  const std::vector<SampledDocument>& sample_;
  std::uint64_t references_;
  double threshold_;
  AuditResult& result_;
  std::vector<PairsOfDocument> all_, different_;  // of each drawn document, with all its partners
};

}  // namespace

AuditResult audit(Corpus& corpus, const AuditOptions& requested) {
  AuditOptions options = requested;
  if (options.sample < 1)
    throw Error(ErrorCode::kInvalidArgument, "an audit needs a sample of at least one document");
  const SimilarityCounts promised = start(options);
  AuditResult result;
  result.config = promised.config;
  result.recall_at_threshold = promised.recall_at_threshold;

  const FeatureExtractor extractor = make_extractor(corpus, options);
  if (!extractor.common()) count_documents(corpus, options);
  const std::vector<SampledDocument> sample =
      draw_sample(corpus, options, extractor, options.sample, options.seed);
  result.sampled = sample.size();

  Tally tally(options, sample, corpus.references(), result);
  const ComparePassOptions pass{bound(options.threshold.value(), -kStepsBelow), true};
  const ComparePassCounts counts = compare_with_sample(corpus, options, extractor, sample, pass, {},
                                                       [&](const Meeting& met) { tally.add(met); });
  result.documents = counts.documents;
  result.references = counts.references;
  result.empty = counts.empty;
  result.short_documents = counts.short_documents;
  result.taking_part = counts.taking_part;
  tally.finish();
  return result;
}

}  // namespace benzer
