#include "verify/score.h"

#include <algorithm>
#include <cmath>

#include <boost/multiprecision/cpp_int.hpp>

namespace benzer {
namespace {

// In doubles: how many bits a long double has depends on the processor.
double score_of(const WeighedOverlap& field) noexcept {
  return static_cast<double>(field.overlap.intersection) /
         static_cast<double>(field.overlap.set_union);
}
double score_of(const WeighedScore& field) noexcept { return field.score; }

struct Sum {
  double weighted = 0;  // scores times their weights
  double weights = 0;
};

template <class Weighed>
Sum add_up(std::span<const Weighed> fields) noexcept {
  Sum sum;
  for (const Weighed& field : fields) {
    sum.weighted += static_cast<double>(field.weight) * score_of(field);
    sum.weights += static_cast<double>(field.weight);
  }
  return sum;
}

template <class Weighed>
double score_of_fields(ScoreRule rule, std::span<const Weighed> fields) noexcept {
  if (fields.empty()) return 0;
  const auto by_score = [](const Weighed& x, const Weighed& y) {
    return score_of(x) < score_of(y);
  };
  if (rule == ScoreRule::kAll)
    return score_of(*std::min_element(fields.begin(), fields.end(), by_score));
  if (rule == ScoreRule::kAny)
    return score_of(*std::max_element(fields.begin(), fields.end(), by_score));
  if (fields.size() == 1) return score_of(fields[0]);
  const Sum sum = add_up(fields);
  return sum.weighted / sum.weights;
}

// Adds up the scores as one fraction. Its denominator is the product of the sizes of all unions,
// which takes integers of any size.
bool mean_reaches_exactly(std::span<const WeighedOverlap> fields, const Threshold& threshold) {
  using boost::multiprecision::cpp_int;
  cpp_int numerator = 0;
  cpp_int denominator = 1;
  std::uint64_t weights = 0;
  for (const auto& [overlap, weight] : fields) {
    numerator = numerator * overlap.set_union + denominator * overlap.intersection * weight;
    denominator *= overlap.set_union;
    weights += weight;
  }
  return numerator * threshold.denominator() >= denominator * threshold.numerator() * weights;
}

bool mean_reaches(std::span<const WeighedOverlap> fields, const Threshold& threshold) {
  if (fields.size() == 1)
    return threshold.reached(fields[0].overlap.intersection, fields[0].overlap.set_union);
  const Sum sum = add_up(fields);
  const double least = static_cast<double>(threshold.numerator()) /
                       static_cast<double>(threshold.denominator()) * sum.weights;
  // The rounding error of doubles and at most 64 fields, below 67 * 2^-52, is far below this.
  constexpr double kSlack = 1e-12;
  if (std::fabs(sum.weighted - least) > kSlack * sum.weights) return sum.weighted > least;
  return mean_reaches_exactly(fields, threshold);
}

}  // namespace

double score_of(ScoreRule rule, std::span<const WeighedOverlap> fields) noexcept {
  return score_of_fields(rule, fields);
}

double score_of(ScoreRule rule, std::span<const WeighedScore> fields) noexcept {
  return score_of_fields(rule, fields);
}

bool reaches(ScoreRule rule, std::span<const WeighedOverlap> fields, const Threshold& threshold) {
  if (fields.empty()) return false;
  const auto reached = [&](const WeighedOverlap& field) {
    return threshold.reached(field.overlap.intersection, field.overlap.set_union);
  };
  switch (rule) {
    case ScoreRule::kAll:
      return std::all_of(fields.begin(), fields.end(), reached);
    case ScoreRule::kAny:
      return std::any_of(fields.begin(), fields.end(), reached);
    case ScoreRule::kMean:
      break;
  }
  return mean_reaches(fields, threshold);
}

}  // namespace benzer
