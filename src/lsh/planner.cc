#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "benzer/banding.h"
#include "benzer/error.h"

#include "lsh/signature_cut.h"

namespace benzer {
namespace {

void require(bool condition, const char* parameter, const std::string& sentence) {
  if (!condition) throw Error(ErrorCode::kInvalidArgument, Subject::parameter(parameter), sentence);
}

void check(double threshold, double recall) {
  require(
      threshold > 0 && threshold <= 1, "threshold",
      fmt::format("the threshold {} is not allowed: it must be above 0 and at most 1", threshold));
  require(recall > 0 && recall < 1, "recall",
          fmt::format(
              "the recall {} is not allowed: it must be above 0 and below 1 (an exact join has 1)",
              recall));
}

void check(const PlanRequest& request) {
  check(request.threshold, request.recall);
  require(
      request.slots >= 1 && request.slots <= 4096, "slots",
      fmt::format("a signature of {} slots is not allowed: it must have 1 to 4096", request.slots));
}

// More bands than any signature has slots for; larger results need not be exact.
constexpr double kManyBands = 1e6;

// Returns the smallest number of bands with which a pair at the threshold is found with the wanted
// probability, even if the check of signatures, of files or of an index, loses as many pairs as it
// may. It is a double because it can exceed every integer.
double bands_needed(const PlanRequest& request, int rows) {
  const double row_agreement = std::pow(request.threshold, rows);
  if (row_agreement >= 1) return 1;
  const double wanted = request.recall + allowed_loss(request.recall);
  double bands = std::max(1.0, std::ceil(std::log1p(-wanted) / std::log1p(-row_agreement)));
  if (bands > kManyBands) return bands;
  // The quotient of rounded logarithms can be one off where it is nearly an integer.
  const auto recall = [&](double b) { return -std::expm1(b * std::log1p(-row_agreement)); };
  while (bands > 1 && recall(bands - 1) >= wanted) --bands;
  while (recall(bands) < wanted) ++bands;
  return bands;
}

// Returns the integral of the candidate probability over [from, to], by Simpson's rule.
double integral(Banding banding, double from, double to) {
  constexpr int kSteps = 200;
  const double width = (to - from) / kSteps;
  double sum = banding.candidate_probability(from) + banding.candidate_probability(to);
  for (int i = 1; i < kSteps; ++i)
    sum += (i % 2 == 1 ? 4 : 2) * banding.candidate_probability(from + i * width);
  return sum * width / 3;
}

// Returns the bands that datasketch chooses: it minimises the area of false positives below the
// threshold plus that of false negatives above it, with the same weight.
Banding equal_area(const PlanRequest& request) {
  Banding best;
  double least = std::numeric_limits<double>::infinity();
  for (int bands = 1; bands <= request.slots; ++bands) {
    for (int rows = 1; bands * rows <= request.slots; ++rows) {
      const Banding banding{bands, rows};
      const double error = integral(banding, 0, request.threshold) + (1 - request.threshold) -
                           integral(banding, request.threshold, 1);
      if (error < least) {
        least = error;
        best = banding;
      }
    }
  }
  return best;
}

// Returns the bands that pickBands of the 2014 Scala blog chooses: the smallest b with b ln b >= -k
// ln t, then floor(k / b) rows.
Banding pick_bands(const PlanRequest& request) {
  int bands = 1;
  while (bands < request.slots &&
         bands * std::log(bands) < -request.slots * std::log(request.threshold))
    ++bands;
  return {bands, request.slots / bands};
}

constexpr int kFewestAnchors = 8;
// How often a pair at half of the threshold may be a candidate because of its anchors.
constexpr double kByChance = 1.0 / 16;

// Returns the probability of at least `least` successes in `trials` independent trials, at most 64.
double binomial_tail(int trials, double success, int least) {
  if (least <= 0 || success >= 1) return 1;
  double sum = 0;
  double ways = 1;  // to choose i of the trials
  for (int i = trials; i >= least; --i) {
    sum += ways * std::pow(success, i) * std::pow(1 - success, trials - i);
    ways = ways * i / (trials - i + 1);
  }
  return std::min(sum, 1.0);
}

// Returns the plan with this number of anchors that needs the most of them. It needs none if not
// even one is found often enough.
AnchorPlan plan_of(int anchors, double threshold, double recall) {
  AnchorPlan plan{anchors, anchors, 0};
  while (plan.needed > 0 && plan.candidate_probability(threshold) < recall) --plan.needed;
  plan.recall_at_threshold = plan.candidate_probability(threshold);
  return plan;
}

}  // namespace

double AnchorPlan::candidate_probability(double s) const noexcept {
  return binomial_tail(anchors, s, needed);
}

AnchorPlan plan_anchors(double threshold, double recall) {
  check(threshold, recall);
  for (int anchors = kFewestAnchors; anchors < kMostAnchors; ++anchors) {
    const AnchorPlan plan = plan_of(anchors, threshold, recall);
    if (plan.needed > 0 && plan.candidate_probability(threshold / 2) <= kByChance) return plan;
  }
  const AnchorPlan plan = plan_of(kMostAnchors, threshold, recall);
  if (plan.needed == 0)
    throw Error(ErrorCode::kInvalidArgument, Subject::parameter("threshold"),
                fmt::format("{} anchors do not find a document of which another one contains {} "
                            "with probability {}",
                            kMostAnchors, threshold, recall),
                "raise the threshold or lower the recall", ": ");
  return plan;
}

double KeySampling::found_probability(std::uint64_t shared, std::uint64_t size) const noexcept {
  if (shared == 0) return 0;
  if (size < least || thousandths >= 1000) return 1;
  return -std::expm1(static_cast<double>(shared) * std::log1p(-rate()));
}

// The number of common keys is that of successes in `shared` trials at the rate, so it is below
// m - sqrt(2 m ln(1 / p)) with a probability of p at most, where m is the mean (Chernoff's bound;
// Mitzenmacher and Upfal: Probability and Computing, theorem 4.5).
std::uint64_t KeySampling::least_common_keys(std::uint64_t shared, double recall) const noexcept {
  const double mean = static_cast<double>(shared) * rate();
  const double least_keys = mean - std::sqrt(-2 * mean * std::log1p(-recall));
  return least_keys > 1 ? static_cast<std::uint64_t>(least_keys) : 1;
}

std::string KeySampling::str() const { return fmt::format("{}/{}", rate(), least); }

KeySampling plan_keys(std::uint64_t shared, double recall) {
  constexpr double kAnyThreshold = 1;
  check(kAnyThreshold, recall);
  KeySampling out{.thousandths = 1};
  while (out.thousandths < 1000 && out.found_probability(shared, out.least) < recall)
    ++out.thousandths;
  return out;
}

std::vector<Alternative> alternatives(const PlanRequest& request) {
  check(request);
  std::vector<Alternative> all;
  for (int rows = 1; rows <= request.slots; ++rows) {
    const double bands = bands_needed(request, rows);
    if (bands > kManyBands) break;
    const Banding banding{static_cast<int>(bands), rows};
    all.push_back({std::to_string(rows) + (rows == 1 ? " row" : " rows"), banding,
                   recall_of(request, banding), bands * rows <= request.slots});
  }
  return all;
}

Plan plan(const PlanRequest& request) {
  check(request);
  for (int rows = request.slots; rows >= 1; --rows) {
    const double bands = bands_needed(request, rows);
    if (bands * rows > request.slots) continue;
    const Banding banding{static_cast<int>(bands), rows};
    return {banding, recall_of(request, banding)};
  }
  const double needed = bands_needed(request, 1);
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("no bands of {} slots find a pair at {} with probability {}",
                          request.slots, request.threshold, request.recall),
              needed <= 4096 ? fmt::format("at least {} slots are needed, for example ", needed) +
                                   Parameter{"slots", fmt::format("{}", needed)}
                             : "raise the threshold or lower the recall",
              ": ");
}

std::vector<Alternative> rules_of_others(const PlanRequest& request) {
  check(request);
  const auto named = [&](const char* name, Banding banding) {
    return Alternative{name, banding, recall_of(request, banding),
                       banding.slots() <= request.slots};
  };
  return {named("datasketch (equal areas)", equal_area(request)),
          named("pickBands", pick_bands(request)), named("datatrove (fixed)", Banding{14, 8})};
}

}  // namespace benzer
