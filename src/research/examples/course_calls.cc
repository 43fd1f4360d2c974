// Runs the three calls of the course report, accuracy, timer and near-duplicate detector, with
// values of one's own.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/internal/text.h"
#include "benzer/research/classics/course.h"
#include "benzer/runtime.h"

#include "research/experiments/course_findings.h"
#include "research/experiments/course_pairs.h"
#include "research/experiments/course_texts.h"
#include "research/experiments/runs.h"

namespace benzer::experiments {
namespace {

using namespace classics::course;

// The files of the folder as they are, or generated texts of one kind.
std::shared_ptr<const TermSets> terms_of(const ExperimentOptions& options) {
  if (!options.data.empty())
    return std::make_shared<const TermSets>(TermSets::of_folder(options.data));
  return std::make_shared<const TermSets>(texts_for(options).last_kind());
}

NearDuplicates detector_of(const ExperimentOptions& options) {
  const std::uint32_t slots = options.values.slots.value_or(1200);
  const std::uint32_t bands = options.values.bands.value_or(100);
  if (!options.data.empty()) return {options.data, slots, bands, options.seed};
  Texts texts = texts_for(options);
  texts.originals = texts.last_kind();
  return {with_copies(std::move(texts), options.seed), slots, bands, options.seed};
}

void check_share(double value, const char* what) {
  if (!(value >= 0 && value <= 1)) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("the {} is {}", what, value),
                "give a number from 0 to 1");
  }
}

double eps_of(const ExperimentOptions& options) {
  const double eps = options.values.eps.value_or(0.07);
  check_share(eps, "error eps");
  return eps;
}

double threshold_of(const ExperimentOptions& options) {
  const double threshold = options.values.threshold.value_or(0.9);
  check_share(threshold, "threshold");
  return threshold;
}

std::string documents_of(const ExperimentOptions& options, const TermSets& sets) {
  return fmt::format("{} {} of {} terms", with_separators(sets.size()),
                     options.data.empty() ? "texts made up from the seed" : "files",
                     with_separators(sets.num_terms()));
}

}  // namespace

void check_course_accuracy(const ExperimentOptions& options) {
  eps_of(options);
  if (options.data.empty()) return;
  PermutationsFunctions(options.values.slots.value_or(600), terms_of(options)->num_terms(),
                        options.seed);
}

ExperimentResult course_accuracy(const ExperimentOptions& options) {
  throw_if_stopped(options.stop);
  const double eps = eps_of(options);
  const auto sets = terms_of(options);
  const MinHash min_hash(sets, options.values.slots.value_or(600), options.seed);
  throw_if_stopped(options.stop);
  const std::uint64_t off =
      MinHashAccuracy::accuracy(min_hash, std::span(&eps, 1), options.stop)[0];
  const course_report::ExactPairs pairs(*sets, options.stop);
  const double expected = pairs.expected_off_by(min_hash.num_permutations(), std::span(&eps, 1))[0];
  const auto all = static_cast<double>(pairs.pairs());

  ExperimentResult out;
  out.title = "MinHashAccuracy: the pairs whose estimate is off by more than eps";
  out.parameters = fmt::format("{}; k = {}, eps = {}", documents_of(options, *sets),
                               min_hash.num_permutations(), eps);
  out.tables = {{"course-accuracy",
                 "Pairs whose exact and estimated similarity differ by more than eps",
                 {"k", "eps", "pairs", "off by more", "per cent", "expected of independent slots"},
                 {{ExperimentCell::count(min_hash.num_permutations()),
                   {eps, 4},
                   ExperimentCell::count(pairs.pairs()),
                   ExperimentCell::count(off),
                   {100 * static_cast<double>(off) / all, 4},
                   {expected, 1}}}}};
  add_judged(out,
             course_report::judge_accuracy_call({pairs.pairs(), off, eps, expected, pairs.mean()}));
  return out;
}

void check_course_timer(const ExperimentOptions& options) {
  if (options.data.empty()) return;
  PermutationsFunctions(options.values.slots.value_or(600), terms_of(options)->num_terms(),
                        options.seed);
}

ExperimentResult course_timer(const ExperimentOptions& options) {
  throw_if_stopped(options.stop);
  const auto sets = terms_of(options);
  const std::uint32_t slots = options.values.slots.value_or(600);
  throw_if_stopped(options.stop);
  const MinHashTime times = MinHashTime::timer(sets, slots, options.seed, options.stop);

  ExperimentResult out;
  out.title = "MinHashTime: what all pairs take, exactly and by the matrix";
  out.parameters =
      fmt::format("{}; k = {}, one thread, one run", documents_of(options, *sets), slots);
  out.tables = {{"course-timer",
                 "Comparisons and seconds for all pairs",
                 {"what", "comparisons", "seconds", "mean similarity"},
                 {{"all pairs, exact",
                   ExperimentCell::count(times.exact_comparisons),
                   {times.exact_seconds, 4},
                   {times.mean_exact, 4}},
                  {"all pairs, estimated",
                   ExperimentCell::count(times.estimated_comparisons),
                   {times.estimated_seconds, 4},
                   {times.mean_estimated, 4}},
                  {"matrix", "-", {times.matrix_seconds, 4}, "-"}}}};
  add_judged(out,
             course_report::judge_timer_call({.pairs = times.pairs,
                                              .slots = slots,
                                              .estimated_comparisons = times.estimated_comparisons,
                                              .exact = times.exact_seconds,
                                              .estimated = times.estimated_seconds,
                                              .matrix = times.matrix_seconds}));
  return out;
}

void check_course_near(const ExperimentOptions& options) {
  threshold_of(options);
  if (options.data.empty()) return;
  const NearDuplicates detector = detector_of(options);
  if (options.values.id) detector.min_hash().term_sets().index_of(*options.values.id);
}

ExperimentResult course_near(const ExperimentOptions& options) {
  throw_if_stopped(options.stop);
  const double s = threshold_of(options);
  const NearDuplicates detector = detector_of(options);
  const MinHash& min_hash = detector.min_hash();
  const TermSets& sets = min_hash.term_sets();
  const std::string doc = options.values.id.value_or(sets.all_docs().front());
  const std::size_t number = sets.index_of(doc);
  throw_if_stopped(options.stop);

  ExperimentResult out;
  out.title = fmt::format("NearDuplicates: the documents that are similar to {}", doc);
  const LSH& lsh = detector.lsh();
  out.parameters = fmt::format("{}; k = {}, {} bands of {} rows (threshold {:.2f}), s = {}",
                               documents_of(options, sets), min_hash.num_permutations(),
                               lsh.bands(), lsh.rows_per_band(), lsh.threshold(), s);
  const auto table = [&](const char* name, const char* title,
                         const std::vector<std::string>& found) {
    ExperimentTable& to = out.tables.emplace_back(
        ExperimentTable{name, title, {"document", "estimate", "exact J"}, {}});
    for (const std::string& one : found) {
      to.rows.push_back({one,
                         {min_hash.approximate_jaccard(doc, one), 4},
                         {min_hash.exact_jaccard(doc, one), 4}});
    }
  };
  const auto near = detector.near_duplicate_detector(s, doc);
  const auto below = detector.get_less_than_threshold_docs(s, doc);
  table("course-near", "Near-duplicates: candidates whose estimate is at least s", near);
  table("course-near-removed", "False positives: candidates whose estimate is below s", below);
  course_report::NearCall numbers{
      .id = doc, .threshold = s, .kept = near.size(), .removed = below.size()};
  for (std::size_t other = 0; other < sets.size(); ++other) {
    if (other == number) continue;
    const bool returned = std::find(near.begin(), near.end(), sets.all_docs()[other]) != near.end();
    const bool similar = sets.exact_jaccard(number, other) >= s;
    numbers.similar += similar ? 1 : 0;
    numbers.missed += similar && !returned ? 1 : 0;
    numbers.wrong += returned && !similar ? 1 : 0;
  }
  add_judged(out, course_report::judge_near_call(numbers));
  return out;
}

}  // namespace benzer::experiments
