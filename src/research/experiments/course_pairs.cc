#include "research/experiments/course_pairs.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/runtime.h"
#include "benzer/sketch.h"

#include "base/splitmix.h"
#include "research/classics/jaccard.h"
#include "research/classics/pairs.h"
#include "research/experiments/course_texts.h"

namespace benzer::experiments::course_report {

OneKind one_kind(const ExperimentOptions& options) {
  throw_if_stopped(options.stop);
  const Texts texts = texts_for(options);
  OneKind out;
  out.texts = texts.last_kind();
  const std::vector<NamedText>& kind = out.texts;
  out.sets = std::make_shared<const TermSets>(kind);
  out.description =
      fmt::format("{} {}{}", kind.size(), texts.made_up ? "texts made up from the seed" : "files",
                  kind.size() == texts.originals.size()
                      ? ""
                      : fmt::format(", of the kind {}", kind_of(kind.front().name)));
  return out;
}

ExactPairs::ExactPairs(const TermSets& sets, const std::atomic<bool>* stop)
    : documents_(sets.size()) {
  similarities_.reserve(documents_ * (documents_ - 1) / 2);
  classics::for_each_common(sets, stop, [&](std::size_t i, std::size_t j, std::uint32_t common) {
    const std::size_t all = sets.terms(i).size() + sets.terms(j).size() - common;
    similarities_.push_back(classics::share(common, all));
  });
}

double ExactPairs::mean() const noexcept {
  double sum = 0;
  for (const double similarity : similarities_) sum += similarity;
  return sum / static_cast<double>(similarities_.size());
}

ExactPairs::Off ExactPairs::off_by(const MinHashMatrix& matrix, std::span<const double> errors,
                                   const std::atomic<bool>* stop) const {
  Off out{std::vector<std::uint64_t>(errors.size()), 0};
  const std::size_t n = documents_;
  const double k = static_cast<double>(matrix.permutations);
  double sum = 0;
  classics::for_each_equal(
      matrix.values.data(), n, matrix.permutations, stop,
      [&](std::size_t i, std::size_t j, std::uint32_t equal) {
        const double exact = similarities_[i * n - i * (i + 1) / 2 + j - i - 1];
        const double estimate = equal / k;
        sum += estimate - exact;
        for (std::size_t e = 0; e < errors.size(); ++e)
          out.by_more[e] += classics::differ_by_more(estimate, exact, errors[e]) ? 1 : 0;
      });
  if (!similarities_.empty()) out.bias = sum / static_cast<double>(similarities_.size());
  return out;
}

std::vector<double> ExactPairs::expected_off_by(std::size_t k,
                                                std::span<const double> errors) const {
  std::unordered_map<double, std::size_t> counts;  // many pairs have the same similarity
  for (const double similarity : similarities_) ++counts[similarity];
  std::vector<double> expected(errors.size());
  for (const auto& [similarity, count] : counts) {
    const std::vector<double> distribution = binomial(k, similarity);
    for (std::size_t e = 0; e < errors.size(); ++e)
      expected[e] += static_cast<double>(count) * off_by_more(distribution, similarity, errors[e]);
  }
  return expected;
}

std::vector<double> binomial(std::size_t k, double p) {
  std::vector<double> out(k + 1);
  if (p <= 0 || p >= 1) {
    out[p <= 0 ? 0 : k] = 1;
    return out;
  }
  // From the most likely number to both sides, by the ratio of adjacent probabilities.
  const double n = static_cast<double>(k);
  const auto mode = std::min(k, static_cast<std::size_t>((n + 1) * p));
  const double m = static_cast<double>(mode);
  out[mode] = std::exp(std::lgamma(n + 1) - std::lgamma(m + 1) - std::lgamma(n - m + 1) +
                       m * std::log(p) + (n - m) * std::log1p(-p));
  const double odds = p / (1 - p);
  for (std::size_t x = mode; x < k; ++x)
    out[x + 1] = out[x] * odds * static_cast<double>(k - x) / static_cast<double>(x + 1);
  for (std::size_t x = mode; x > 0; --x)
    out[x - 1] = out[x] / odds * static_cast<double>(x) / static_cast<double>(k - x + 1);
  return out;
}

double off_by_more(std::span<const double> binomial_of_k, double p, double error) {
  const double k = static_cast<double>(binomial_of_k.size() - 1);
  double sum = 0;
  for (std::size_t x = 0; x < binomial_of_k.size(); ++x)
    if (classics::differ_by_more(static_cast<double>(x) / k, p, error)) sum += binomial_of_k[x];
  return sum;
}

MinHashMatrix sketched(const TermSets& sets, const std::string& sketch, std::uint64_t seed) {
  const MinHasher hasher(SketchSpec::parse(sketch), FeatureSpec{});
  const auto k = static_cast<std::size_t>(hasher.slots());
  MinHashMatrix matrix{sets.size(), k, std::vector<std::uint32_t>(sets.size() * k)};
  std::vector<std::uint64_t> features, slots(k);
  for (std::size_t doc = 0; doc < sets.size(); ++doc) {
    features.clear();
    for (const std::uint32_t term : sets.terms(doc))
      features.push_back(splitmix64(splitmix64(seed) ^ term));
    hasher.sketch(features, slots);
    std::transform(slots.begin(), slots.end(),
                   matrix.values.begin() + static_cast<std::ptrdiff_t>(doc * k),
                   [](std::uint64_t slot) { return static_cast<std::uint32_t>(slot); });
  }
  return matrix;
}

}  // namespace benzer::experiments::course_report
