// Forecasts from a sample of a corpus what runs with different bands will cost.
#include <algorithm>
#include <cmath>
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
  double sum() const { return chance + similar; }
};

// Sums over the pairs of a document: with sets of documents, and with sets that only references
// have.
struct PairSums {
  TwoKinds of_documents, of_references;
};

// By which factors the numbers grow if there are more documents. References stay as they are.
class Growth {
 public:
  // factor: how many times as many documents there are.
  explicit Growth(double factor) : factor_(factor) {}

  // A document's pairs with other documents: those by chance grow with the documents. Those that
  // are similar do not, but in a part of the corpus a document has only a part of them. Its pairs
  // with references stay as they are. All pairs of a reference are with documents: by chance or
  // not, they grow with these.
  PairSums grown(const PairSums& sums, bool is_reference) const {
    const double similar = is_reference ? factor_ : std::min(factor_, 1.0);
    return {{sums.of_documents.chance * factor_, sums.of_documents.similar * similar},
            sums.of_references};
  }
  // How many documents stand for a drawn one.
  double weight(bool is_reference) const { return is_reference ? 1 : factor_; }
  // How many times as many similar pairs of two documents there can be, if all documents copy the
  // same texts.
  double stretch() const { return std::max(factor_, 1.0); }
  bool is_of_this_corpus() const { return factor_ <= 1; }

 private:
  double factor_;
};

// Estimates a total over all documents from one value of each drawn document. Totals of pairs are
// skewed to the right, so the interval is made for the logarithm (delta method).
class Total {
 public:
  // grown: the size of the population that the total is about. whole: whether that is this
  // population or a part of it, so that nothing is left to chance if all of it was drawn.
  Total(std::uint64_t sampled, std::uint64_t population, double grown, bool whole)
      : sampled_(static_cast<double>(sampled)),
        population_(static_cast<double>(population)),
        grown_(grown),
        left_to_chance_(whole ? 1 - sampled_ / population_ : 1) {}

  void add(double value) {
    sum_ += value;
    squares_ += value * value;
  }

  Estimate estimate(double scale) const {
    if (sampled_ == 0) return {};
    if (sum_ == 0) return {0, 0, left_to_chance_ * std::min(1.0, 3 / sampled_) * grown_ * scale};
    const double whole = population_ * scale;
    const double mean = sum_ / sampled_;
    const double variance =
        sampled_ > 1 ? std::max(0.0, squares_ - sum_ * mean) / (sampled_ - 1) : mean * mean;
    const double relative = std::sqrt(variance / sampled_ * left_to_chance_) / mean;
    const double factor = std::exp(kNormal95 * relative);
    return {mean * whole, mean * whole / factor, mean * whole * factor};
  }

 private:
  double sampled_, population_, grown_, left_to_chance_;
  double sum_ = 0, squares_ = 0;
};

class ForecastTally {
 public:
  // references: this many documents of the corpus, the first ones, are references.
  ForecastTally(const std::vector<SampledDocument>& sample, std::uint64_t references,
                Forecast& result)
      : sample_(sample),
        references_(references),
        result_(result),
        copies_(sample.size()),
        counts_(sample.size() * kBins),
        counts_of_references_(references > 0 ? sample.size() * kBins : 0),
        sums_(kBins) {
    for (std::uint32_t s = 0; s < sample.size(); ++s) {
      drawn_[sample[s].set_key].push_back(s);
      group_of_.push_back(group_key(sample[s].group));
      groups_.try_emplace(group_of_.back());
    }
  }

  void add(const Participant& document) {
    const bool is_reference = document.document < references_;
    current_key_ = document.set_key;
    const bool is_new = sets_.insert(document.set_key);
    const bool is_new_of_documents =
        !is_reference && (references_ == 0 ? is_new : sets_of_documents_.insert(document.set_key));
    current_ = is_new && is_reference ? Current::kNewOfReferences
               : is_new               ? Current::kNew
               : is_new_of_documents  ? Current::kNowOfDocuments
                                      : Current::kKnown;
    distinct_documents_ += is_new_of_documents;
    taking_part_ += !is_reference;
    if (const auto group = groups_.find(document.group_key); group != groups_.end()) {
      group->second.all += is_new;
      group->second.of_documents += is_new_of_documents;
    }
    if (const auto drawn = drawn_.find(document.set_key); drawn != drawn_.end())
      for (const std::uint32_t s : drawn->second) {
        Copies& copies = copies_[s];
        ++(is_reference ? copies.references : copies.documents);
      }
  }

  void add(const Meeting& met) {
    // A run compares sets: the first document of each represents the others. References meet no
    // references, so they meet the first document of a set that is not a reference.
    if (current_ == Current::kKnown || sample_[met.sampled].set_key == current_key_) return;
    const double similarity = met.score();
    const std::size_t bin = bin_of(similarity, met.similar);
    const std::size_t place = met.sampled * kBins + bin;
    if (current_ == Current::kNewOfReferences) {
      ++counts_of_references_[place];
    } else {
      ++counts_[place];
      if (current_ == Current::kNowOfDocuments && !is_reference(met.sampled)) {
        --counts_of_references_[place];
        return;
      }
    }
    sums_[bin] += similarity;
  }

  // factor: how many times as many documents the forecast is for.
  void finish(const ForecastOptions& options, double factor) {
    const Growth growth(factor);
    const auto references = static_cast<double>(result_.taking_part - taking_part_);
    grown_population_ = static_cast<double>(taking_part_) * factor + references;
    result_.distinct_sets = distinct_documents_;
    result_.pairs = 0;
    for (std::size_t s = 0; s < sample_.size(); ++s) result_.pairs += sets_met_by(s);
    const std::vector<double> similarities = describe_background();

    const double stretch = growth.stretch();
    Total similar = total(growth);
    double similar_documents = 0, all_similar = 0;
    for (std::size_t s = 0; s < sample_.size(); ++s) {
      const PairSums met = grown_sums(s, growth, [](std::size_t) { return 1.0; });
      const double part = part_of(s) * growth.weight(is_reference(s));
      const double of_both = met.of_documents.similar + met.of_references.similar;
      similar.add(of_both * part);
      all_similar += of_both * part;
      if (!is_reference(s)) similar_documents += met.of_documents.similar * part;
    }
    result_.similar = similar.estimate(kPairScale);
    result_.similar.high *= stretched(similar_documents, all_similar, stretch);

    const int slots = options.config.sketch.slots;
    const int least =
        signature_cut(options.threshold.value(), slots, allowed_loss(options.recall)).least_equal;
    for (RunForecast& run : result_.runs) {
      const Curve curve(run.banding, similarities, slots, least);
      Total chance = total(growth), candidates = total(growth);
      Total compared = total(growth), read_again = total(growth);
      double similar_candidates = 0, all_candidates = 0, compared_documents = 0, all_compared = 0;
      for (std::size_t s = 0; s < sample_.size(); ++s) {
        const auto sums = [&](const std::vector<double>& of) {
          return grown_sums(s, growth, [&of](std::size_t bin) { return of[bin]; });
        };
        for (std::size_t bin = 0; bin < kBins; ++bin)
          run.band_collision_rate += static_cast<double>(count(s, bin)) * curve.band[bin];
        const PairSums found = sums(curve.candidate), checked = sums(curve.compared);
        const PairSums alone = sums(curve.alone);
        const double part = part_of(s) * growth.weight(is_reference(s));
        const double all_found = found.of_documents.sum() + found.of_references.sum();
        const double all_checked = checked.of_documents.sum() + checked.of_references.sum();
        chance.add((found.of_documents.chance + found.of_references.chance) * part);
        candidates.add(all_found * part);
        compared.add(all_checked * part);
        read_again.add(-std::expm1(alone.of_documents.sum() + alone.of_references.sum()) * part);
        all_candidates += all_found * part;
        all_compared += all_checked * part;
        if (is_reference(s)) continue;
        similar_candidates += found.of_documents.similar * part;
        compared_documents += checked.of_documents.sum() * part;
      }
      if (result_.pairs > 0) run.band_collision_rate /= static_cast<double>(result_.pairs);
      run.chance = chance.estimate(kPairScale);
      run.candidates = candidates.estimate(kPairScale);
      run.compared = compared.estimate(kPairScale);
      run.read_again = read_again.estimate(1);
      run.candidates.high *= stretched(similar_candidates, all_candidates, stretch);
      run.compared.high *= stretched(compared_documents, all_compared, stretch);
      // No more documents are read again than there are sets.
      const double sets = static_cast<double>(distinct_documents_) * factor +
                          static_cast<double>(sets_.size() - distinct_documents_);
      for (double* number : {&run.read_again.value, &run.read_again.low, &run.read_again.high})
        *number = std::min(*number, sets);
    }
  }

 private:
  // What the current document is for its set.
  enum class Current {
    kKnown,            // not the first of its kind
    kNewOfReferences,  // a reference, and the first one
    kNew,              // the first one, and no reference
    kNowOfDocuments,   // the first that is no reference, of a set that references have
  };

  // Documents of the set of a drawn one, itself among them.
  struct Copies {
    std::uint64_t documents = 0, references = 0;
  };

  // Sets of a group, and those that not only references have.
  struct GroupSets {
    std::uint64_t all = 0, of_documents = 0;
  };

  // A pair is met from both ends.
  static constexpr double kPairScale = 0.5;

  // Returns by what an upper bound grows, of which a part grows by `stretch`.
  static double stretched(double part, double all, double stretch) {
    const double share = all > 0 ? part / all : 1;
    return 1 - share + share * stretch;
  }

  bool is_reference(std::size_t s) const { return sample_[s].document < references_; }

  // Returns the share of its set that a drawn document stands for. Its copies stand for the rest.
  // References stand for sets that they alone have, since they do not meet each other.
  double part_of(std::size_t s) const {
    const Copies& copies = copies_[s];
    if (!is_reference(s)) return 1 / static_cast<double>(copies.documents);
    return copies.documents > 0 ? 0 : 1 / static_cast<double>(copies.references);
  }

  // Returns with how many other sets a drawn document was compared.
  std::uint64_t sets_met_by(std::size_t s) const {
    const GroupSets& sets = groups_.at(group_of_[s]);
    if (!is_reference(s)) return sets.all - 1;
    return sets.of_documents - (copies_[s].documents > 0 ? 1 : 0);
  }

  std::uint64_t count(std::size_t s, std::size_t bin) const {
    const std::size_t place = s * kBins + bin;
    return counts_[place] +
           (counts_of_references_.empty() ? std::uint64_t{0} : counts_of_references_[place]);
  }

  // Adds up value(bin) over the pairs of a drawn document, as many as there will be.
  template <class Value>
  PairSums grown_sums(std::size_t s, const Growth& growth, const Value& value) const {
    PairSums sums;
    for (std::size_t bin = 0; bin < kBins; ++bin) {
      const std::size_t place = s * kBins + bin;
      if (counts_[place] > 0) sums.of_documents.add(bin, counts_[place] * value(bin));
      if (!counts_of_references_.empty() && counts_of_references_[place] > 0)
        sums.of_references.add(bin, counts_of_references_[place] * value(bin));
    }
    return growth.grown(sums, is_reference(s));
  }

  Total total(const Growth& growth) const {
    return Total(sample_.size(), result_.taking_part, grown_population_,
                 growth.is_of_this_corpus());
  }

  // Fills in the ranges; returns the mean similarity of each bin.
  std::vector<double> describe_background() {
    std::vector<std::uint64_t> all(kBins);
    for (std::size_t s = 0; s < sample_.size(); ++s)
      for (std::size_t bin = 0; bin < kBins; ++bin) all[bin] += count(s, bin);
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
  const std::uint64_t references_;
  Forecast& result_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> drawn_;  // by set_key
  std::vector<Copies> copies_;                                           // of each drawn document
  std::vector<std::uint64_t> group_of_;  // of each drawn document: the key of its group
  std::unordered_map<std::uint64_t, GroupSets> groups_;  // those of drawn documents
  // kBins for each drawn document: the sets that it met, and those that only references have.
  std::vector<std::uint32_t> counts_, counts_of_references_;
  std::vector<double> sums_;  // of the similarities in a bin
  KeySet sets_;
  KeySet sets_of_documents_;  // only if there are references
  std::uint64_t distinct_documents_ = 0;
  std::uint64_t taking_part_ = 0;  // without references
  double grown_population_ = 0;
  std::uint64_t current_key_ = 0;
  Current current_ = Current::kKnown;
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
  ForecastTally tally(sample, corpus.references(), result);
  const ComparePassCounts counts =
      compare_with_sample(corpus, options, extractor, sample,
                          {.participant = [&](const Participant& one) { tally.add(one); },
                           .meeting = [&](const Meeting& met) { tally.add(met); }});
  result.documents = counts.documents;
  result.for_documents = options.documents > 0 ? options.documents : counts.documents;
  result.empty = counts.empty;
  result.taking_part = counts.taking_part;
  result.references = counts.references;
  const double factor = result.documents == 0 ? 1
                                              : static_cast<double>(result.for_documents) /
                                                    static_cast<double>(result.documents);
  tally.finish(options, factor);
  return result;
}

}  // namespace benzer
