// Forecasts from a sample of a corpus what runs with different bands will cost.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "benzer/audit.h"
#include "benzer/error.h"

#include "dedup/candidates.h"
#include "dedup/complete_options.h"
#include "dedup/count_pass.h"
#include "eval/compare_pass.h"
#include "eval/interval.h"
#include "eval/key_set.h"
#include "eval/sample.h"

namespace benzer {
namespace {

// Meetings are counted in bins of similarity, with bins of their own for those at or above the
// threshold. Curves are evaluated at the mean of each bin.
constexpr std::size_t kSteps = 400;
constexpr std::size_t kBins = 2 * kSteps;

std::size_t bin_of(double similarity, bool similar) {
  const auto step = static_cast<std::size_t>(similarity * kSteps + 1e-9);
  return std::min(step, kSteps - 1) + (similar ? kSteps : 0);
}

// Returns the probability that at least `least` slots of two signatures agree, if `known` of them
// do and each other one agrees with probability `slot`.
double enough_slots(double slot, int slots, int known, int least) {
  const int n = slots - known;
  const int k = std::max(0, least - known);
  if (k == 0 || slot >= 1) return 1;
  const auto probability = [&](int equal) {
    return std::exp(std::lgamma(n + 1) - std::lgamma(equal + 1) - std::lgamma(n - equal + 1) +
                    equal * std::log(slot) + (n - equal) * std::log1p(-slot));
  };
  // Sums from k on, away from the most probable number, until further terms are negligible.
  const bool from_above = k > slot * n;
  double sum = 0;
  for (int equal = from_above ? k : k - 1; equal >= 0 && equal <= n; equal += from_above ? 1 : -1) {
    const double more = probability(equal);
    sum += more;
    if (more < 1e-12) break;
  }
  return std::clamp(from_above ? sum : 1 - sum, 0.0, 1.0);
}

// The curves of one banding, at the similarity of each bin.
struct Curve {
  std::vector<double> band, candidate, compared, alone;

  Curve(const Banding& banding, const std::vector<double>& similarities, int slots,
        int least_equal) {
    for (const double s : similarities) {
      band.push_back(std::pow(s, banding.rows));
      candidate.push_back(banding.bands * band.back());
      // Slots are cut to a byte, so that different ones agree in 1 of 256 cases.
      const double slot = s + (1 - s) / 256;
      compared.push_back(banding.candidate_probability(s) *
                         enough_slots(slot, slots, banding.rows, least_equal));
      // The logarithm of the probability that the pair is not compared.
      alone.push_back(std::log1p(-std::min(compared.back(), 1 - 1e-12)));
    }
  }
};

// A sum over pairs below the threshold, and one over pairs at or above it.
struct TwoKinds {
  double chance = 0;
  double similar = 0;
  void add(std::size_t bin, double value) { (bin < kSteps ? chance : similar) += value; }
};

// By which factor the pairs of each document grow, for both kinds.
struct Growth {
  double chance = 1;
  double similar = 1;
  double similar_at_most = 1;
};

// Estimates a total over all documents from one value of each drawn document. Totals of pairs are
// skewed to the right, so the interval is made for the logarithm (delta method).
class Total {
 public:
  // whole: whether the total is about this population only, so that nothing is left to chance if
  // all of it was drawn.
  Total(std::uint64_t sampled, std::uint64_t population, bool whole)
      : sampled_(static_cast<double>(sampled)),
        population_(static_cast<double>(population)),
        left_to_chance_(whole ? 1 - sampled_ / population_ : 1) {}

  void add(double value) {
    sum_ += value;
    squares_ += value * value;
  }

  Estimate estimate(double scale) const {
    if (sampled_ == 0) return {};
    const double whole = population_ * scale;
    if (sum_ == 0) return {0, 0, left_to_chance_ * std::min(1.0, 3 / sampled_) * whole};
    const double mean = sum_ / sampled_;
    const double variance =
        sampled_ > 1 ? std::max(0.0, squares_ - sum_ * mean) / (sampled_ - 1) : mean * mean;
    const double relative = std::sqrt(variance / sampled_ * left_to_chance_) / mean;
    const double factor = std::exp(kNormal95 * relative);
    return {mean * whole, mean * whole / factor, mean * whole * factor};
  }

 private:
  double sampled_, population_, left_to_chance_;
  double sum_ = 0, squares_ = 0;
};

class ForecastTally {
 public:
  ForecastTally(const std::vector<SampledDocument>& sample, Forecast& result)
      : sample_(sample),
        result_(result),
        copies_(sample.size()),
        counts_(sample.size() * kBins),
        sums_(kBins) {
    for (std::uint32_t s = 0; s < sample.size(); ++s) drawn_[sample[s].set_key].push_back(s);
  }

  void add(const Participant& document) {
    current_key_ = document.set_key;
    current_is_new_ = sets_.insert(document.set_key);
    if (const auto drawn = drawn_.find(document.set_key); drawn != drawn_.end())
      for (const std::uint32_t s : drawn->second) ++copies_[s];
  }

  void add(const Meeting& met) {
    // A run compares sets: the first document of each represents the others.
    if (!current_is_new_ || sample_[met.sampled].set_key == current_key_) return;
    const double similarity = met.score();
    const std::size_t bin = bin_of(similarity, met.similar);
    ++counts_[met.sampled * kBins + bin];
    sums_[bin] += similarity;
  }

  // growth: for each document. factor: how many times as many documents the forecast is for.
  void finish(const ForecastOptions& options, const Growth& growth, double factor) {
    result_.distinct_sets = sets_.size();
    result_.pairs = sample_.size() * (std::max<std::uint64_t>(sets_.size(), 1) - 1);
    const std::vector<double> similarities = describe_background();

    // A pair is met from both ends, and by all copies of a set: hence 1/2, and 1/copies below.
    const double pair_scale = factor / 2;
    const double stretch = growth.similar_at_most / growth.similar;
    Total similar = total(factor);
    for (std::size_t s = 0; s < sample_.size(); ++s) {
      const std::uint32_t* counts = counts_.data() + s * kBins;
      const auto met = std::accumulate(counts + kSteps, counts + kBins, std::uint64_t{0});
      similar.add(static_cast<double>(met) * growth.similar / copies_[s]);
    }
    result_.similar = similar.estimate(pair_scale);
    result_.similar.high *= stretch;

    const int slots = options.config.sketch.slots;
    const int least =
        signature_cut(options.threshold.value(), slots, allowed_loss(options.recall)).least_equal;
    for (RunForecast& run : result_.runs) {
      const Curve curve(run.banding, similarities, slots, least);
      Total chance = total(factor), candidates = total(factor);
      Total compared = total(factor), read_again = total(factor);
      double similar_candidates = 0, all_candidates = 0;
      for (std::size_t s = 0; s < sample_.size(); ++s) {
        TwoKinds found, checked, alone;
        for (std::size_t bin = 0; bin < kBins; ++bin) {
          if (counts_[s * kBins + bin] == 0) continue;
          const double count = counts_[s * kBins + bin];
          run.band_collision_rate += count * curve.band[bin];
          found.add(bin, count * curve.candidate[bin]);
          checked.add(bin, count * curve.compared[bin]);
          alone.add(bin, count * curve.alone[bin]);
        }
        const auto grown = [&](const TwoKinds& kinds) {
          return kinds.chance * growth.chance + kinds.similar * growth.similar;
        };
        const double part = 1 / copies_[s];
        chance.add(found.chance * growth.chance * part);
        candidates.add(grown(found) * part);
        compared.add(grown(checked) * part);
        read_again.add(-std::expm1(grown(alone)) * part);
        similar_candidates += found.similar * growth.similar * part;
        all_candidates += grown(found) * part;
      }
      if (result_.pairs > 0) run.band_collision_rate /= static_cast<double>(result_.pairs);
      run.chance = chance.estimate(pair_scale);
      run.candidates = candidates.estimate(pair_scale);
      run.compared = compared.estimate(pair_scale);
      run.read_again = read_again.estimate(factor);
      const double share = all_candidates > 0 ? similar_candidates / all_candidates : 0;
      run.candidates.high *= 1 - share + share * stretch;
      run.compared.high *= stretch;
      // No more documents are read again than there are sets.
      const double sets = static_cast<double>(sets_.size()) * factor;
      for (double* number : {&run.read_again.value, &run.read_again.low, &run.read_again.high})
        *number = std::min(*number, sets);
    }
  }

 private:
  Total total(double factor) const {
    return Total(sample_.size(), result_.taking_part, factor <= 1);
  }

  // Fills in the ranges; returns the mean similarity of each bin.
  std::vector<double> describe_background() {
    std::vector<std::uint64_t> all(kBins);
    for (std::size_t i = 0; i < counts_.size(); ++i) all[i % kBins] += counts_[i];
    std::vector<double> means(kBins);
    for (std::size_t bin = 0; bin < kBins; ++bin)
      if (all[bin] > 0) means[bin] = std::min(1.0, sums_[bin] / static_cast<double>(all[bin]));

    std::uint64_t sharing = 0;
    result_.background.push_back({0, 0, 0});
    double from = 0;
    for (const double to : {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}) {
      SimilarityRange range{from, to, 0};
      const std::size_t end = to < 1 ? bin_of(to, false) : kSteps;
      for (std::size_t bin = bin_of(from, false); bin < end; ++bin)
        range.pairs += all[bin] + all[bin + kSteps];
      sharing += range.pairs;
      result_.background.push_back(range);
      from = to;
    }
    result_.background.front().pairs = result_.pairs - sharing;
    return means;
  }

  const std::vector<SampledDocument>& sample_;
  Forecast& result_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> drawn_;  // by set_key
  std::vector<double> copies_;  // of each drawn document: documents of its set, itself among them
  std::vector<std::uint32_t> counts_;  // kBins for each drawn document: the sets that it met
  std::vector<double> sums_;           // of the similarities in a bin
  KeySet sets_;
  std::uint64_t current_key_ = 0;
  bool current_is_new_ = false;
};

}  // namespace

Forecast forecast(Corpus& corpus, const ForecastOptions& requested,
                  std::span<const Banding> bandings) {
  ForecastOptions options = requested;
  if (options.sample < 1)
    throw Error(ErrorCode::kInvalidArgument, "a forecast needs a sample of at least one document");
  options.config.banding = Banding{1, 1};  // no bands are to be planned
  refuse_containment(options, "a forecast");
  complete_options(options);
  check_has_bands(options.config.features);
  const FeatureExtractor extractor = make_extractor(corpus, options);
  Forecast result;
  if (!extractor.frequencies()) count_documents(corpus, options);
  const std::vector<SampledDocument> sample =
      draw_sample(corpus, options, extractor, options.sample, options.seed);
  result.sampled = sample.size();

  for (const Banding& banding : bandings) result.runs.push_back({banding, 0, {}, {}, {}, {}});
  ForecastTally tally(sample, result);
  const ComparePassCounts counts =
      compare_with_sample(corpus, options, extractor, sample,
                          {.participant = [&](const Participant& one) { tally.add(one); },
                           .meeting = [&](const Meeting& met) { tally.add(met); }});
  result.documents = counts.documents;
  result.for_documents = options.documents > 0 ? options.documents : counts.documents;
  result.empty = counts.empty;
  result.taking_part = counts.taking_part;
  Growth growth;
  double factor = 1;
  if (result.documents > 0) {
    factor = static_cast<double>(result.for_documents) / static_cast<double>(result.documents);
    // In a part of the corpus a document has only a part of its partners, similar or not.
    growth = {factor, std::min(factor, 1.0), factor};
  }
  tally.finish(options, growth, factor);
  return result;
}

}  // namespace benzer
