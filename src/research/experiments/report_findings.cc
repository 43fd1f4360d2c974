#include "research/experiments/report_findings.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace benzer::experiments {
namespace {

// What errors of many functions against s cannot fall below: the difference of J and s.
double offset(double s) { return -s * (1 - s) / (2 - s); }

double classical(double jaccard, double hashes) {
  return std::sqrt(jaccard * (1 - jaccard) / hashes);
}

bool is_classical(const MeasuredError& error, double jaccard, double hashes) {
  return std::abs(error.rms / classical(jaccard, hashes) - 1) <= allowed_ratio(error.count);
}

}  // namespace

Judged judge_6a(const Figure6a& figure) {
  const auto& [s, n, first, fifty, last] = figure;
  const double j = s / (2 - s);
  const bool one_wins = fifty.one_s.rms < fifty.many_s.rms;
  const bool one_wins_truly = fifty.one_j.rms < fifty.many_j.rms;
  const auto falls = [](double a, double b, double c) { return a > b && b > c; };
  Judged out;
  out.claims = {
      {"more hashes give lower errors",
       falls(first.one_s.rms, fifty.one_s.rms, last.one_s.rms) &&
           falls(first.many_s.rms, fifty.many_s.rms, last.many_s.rms)},
      {"one hash function has a lower error than many against the report's own reference, n_i / n",
       one_wins},
      {"it has a lower error against the Jaccard similarity, which is what the report defines",
       one_wins_truly}};

  const bool explained = last.many_j.may_be_unbiased() && last.one_s.rms < last.many_s.rms;
  out.findings.push_back(fmt::format(
      "Why does one hash function win? {} The sets share n_i = s n of n elements (its equation 6), "
      "so that their Jaccard similarity (its equation 5) is s / (2 - s) = {:.4f} and not s = "
      "{:.2f}. Many hash functions estimate the Jaccard similarity {} (with {} of them {:+.4f}), "
      "so "
      "against s they are wrong by -s(1 - s)/(2 - s) = {:.4f}, however many there are (measured: "
      "{:+.4f}). The single hash function with common / n_h estimates n_i / n for sets of equal "
      "size, which is just s; where n_h = n both signatures are the whole sets, and its error is "
      "{:.4f}.",
      !one_wins   ? "Here it does not win."
      : explained ? "Because the report's reference is not the similarity that many hash functions "
                    "estimate."
                  : "These numbers do not show why.",
      j, s, last.many_j.may_be_unbiased() ? "without bias" : "with a bias", last.hashes,
      last.many_j.bias, offset(s), last.many_s.bias, last.one_s.rms));

  const double k = static_cast<double>(fifty.hashes), size = static_cast<double>(n);
  const double expected = -s * std::sqrt((1 - s) * (1 - k / size) / (std::numbers::pi * k));
  const bool as_expected = std::abs(fifty.one_s.bias - expected) <=
                           5 * fifty.one_s.standard_error + 0.25 * std::abs(expected);
  out.findings.push_back(fmt::format(
      "Common / n_h is near s only for large n_h. With one hash it is an estimate of the Jaccard "
      "similarity (bias against s {:+.3f}). A bias of about -s sqrt((1 - s)(1 - n_h/n) / (pi n_h)) "
      "is expected, since the larger of the two signatures reaches further than the smaller one: "
      "for n_h = {} that is {:+.4f}, and {:+.4f} was measured{}.",
      first.one_s.bias, fifty.hashes, expected, fifty.one_s.bias,
      as_expected ? "" : ", which that does not explain"));

  const double allowed = 2 * allowed_ratio(fifty.many_j.count);
  const bool as_good = fifty.bottom_k_j.rms <= (1 + allowed) * fifty.many_j.rms;
  const bool better_at_end = last.bottom_k_j.rms < last.many_j.rms;
  out.findings.push_back(fmt::format(
      "Against the true Jaccard similarity {}: at n_h = {} the errors are {:.3f} (many) and {:.3f} "
      "(one, common / n_h). With the right estimator, the share of the n_h smallest values of the "
      "union that both sets have, one function is {} as many: {:.3f}. {} At n_h = {} the errors "
      "are {:.4f} (many) and {:.4f} (bottom-k). fss, which Benzer uses, has {:.3f} and {:.4f}; it "
      "needs one pass, and its slots can be cut into bands.",
      one_wins_truly == one_wins ? "the order is the same" : "the order turns round", fifty.hashes,
      fifty.many_j.rms, fifty.one_j.rms, as_good ? "as good" : "not as good", fifty.bottom_k_j.rms,
      better_at_end ? "It draws without repeats, so its variance has the factor (U - k)/(U - 1)."
                    : "That it draws without repeats brings nothing here.",
      last.hashes, last.many_j.rms, last.bottom_k_j.rms, fifty.fss_j.rms, last.fss_j.rms));
  return out;
}

Judged judge_6b(const std::vector<Figure6b>& sizes) {
  Judged out;
  bool zero = true, independent_of_n = true;
  std::string zeros, fifties;
  const Figure6b* smallest = nullptr;
  for (const Figure6b& size : sizes) {
    const char* comma = zeros.empty() ? "" : ", ";
    zeros += fmt::format("{}{:.4f}", comma, size.last.one_s.rms);
    fifties += fmt::format("{}{:.3f}", comma, size.fifty.many_j.rms);
    zero = zero && size.last.one_s.rms == 0;
    independent_of_n = independent_of_n && is_classical(size.fifty.many_j, size.jaccard,
                                                        static_cast<double>(size.fifty.hashes));
    if (smallest == nullptr || size.n < smallest->n) smallest = &size;
  }
  out.claims = {{"the error of one hash function is 0 where n_h = n", zero}};
  out.findings.push_back(
      zero ? fmt::format("It holds that the error reaches 0 where n_h = n ({} for the sizes), but "
                         "as written this says little: there common / n_h is n_i / n by "
                         "definition, for any hash function.",
                         zeros)
           : fmt::format("The error where n_h = n is {} for the sizes. It must be 0, since there "
                         "common / n_h is n_i / n by definition: this is a mistake of Benzer.",
                         zeros));
  if (smallest != nullptr) {
    const ReportErrors& last = smallest->last;
    const bool better = last.bottom_k_j.rms < last.many_j.rms && last.fss_j.rms < last.many_j.rms;
    out.findings.push_back(fmt::format(
        "For small sets drawing without repeats {}: with n = n_h = {}, the error against the true "
        "Jaccard similarity is {:.4f} for many functions, {:.4f} for bottom-k and {:.4f} for fss.",
        better ? "is better in truth" : "is not better", smallest->n, last.many_j.rms,
        last.bottom_k_j.rms, last.fss_j.rms));
  }
  out.findings.push_back(fmt::format(
      "The error of many functions against the Jaccard similarity at n_h = 50 is {} for the sizes. "
      "{}",
      fifties,
      independent_of_n
          ? "It does not depend on n: sqrt(J(1 - J)/n_h) has no n in it. The set size matters only "
            "to those that draw without repeats, and only where n_h is not small in comparison."
          : "That is more than chance away from sqrt(J(1 - J)/n_h), which has no n in it."));
  return out;
}

Judged judge_6c(const std::vector<Figure6c>& similarities) {
  constexpr double kConsiderable = 1.25;  // the largest error divided by the smallest
  double low = 1, high = 0;
  bool classical_everywhere = true, offset_everywhere = true;
  double worst_j = 0, worst_j_at = 0, worst_s = 0, worst_s_at = 0;
  for (const auto& [s, fifty] : similarities) {
    const double j = s / (2 - s);
    low = std::min(low, fifty.one_s.rms);
    high = std::max(high, fifty.one_s.rms);
    classical_everywhere =
        classical_everywhere && is_classical(fifty.many_j, j, static_cast<double>(fifty.hashes));
    offset_everywhere = offset_everywhere &&
                        std::abs(fifty.many_s.bias - offset(s)) <= 5 * fifty.many_s.standard_error;
    if (fifty.many_j.rms > worst_j) worst_j = fifty.many_j.rms, worst_j_at = s;
    if (-fifty.many_s.bias > worst_s) worst_s = -fifty.many_s.bias, worst_s_at = s;
  }
  const bool alike = high <= kConsiderable * low;
  Judged out;
  out.claims = {
      {"the real similarity makes no considerable difference to the error of one hash "
       "function",
       alike}};
  out.findings.push_back(fmt::format(
      "\"No considerable difference\" {}: at n_h = 50 the single function is off by {:.3f} at its "
      "best similarity and by {:.3f} at its worst.",
      alike ? "holds" : "holds for the eye and ten pairs, not in general", low, high));
  out.findings.push_back(fmt::format(
      "Against the true Jaccard similarity the error of many functions is {}sqrt(J(1 - J)/n_h), "
      "which is largest at J = 1/2, or s = 2/3 in the report's count. Measured, it is largest at s "
      "= {:.1f}: {:.3f}.",
      classical_everywhere ? "" : "not ", worst_j_at, worst_j));
  out.findings.push_back(fmt::format(
      "Against s, many functions should keep the error s(1 - s)/(2 - s) whatever n_h is, which is "
      "largest, 0.172, at s = 0.59. {}: it is largest at s = {:.1f}, {:.3f}.",
      offset_everywhere ? "They do" : "They do not", worst_s_at, worst_s));
  return out;
}

}  // namespace benzer::experiments
