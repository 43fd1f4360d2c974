// Implements MinHashAccuracy and MinHashTime of the course report.
#include <chrono>

#include "benzer/research/classics/course.h"

#include "research/classics/jaccard.h"
#include "research/classics/pairs.h"

namespace benzer::classics::course {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::vector<std::uint64_t> MinHashAccuracy::accuracy(const MinHash& min_hash,
                                                     std::span<const double> eps,
                                                     const std::atomic<bool>* stop) {
  const TermSets& sets = min_hash.term_sets();
  const std::size_t n = sets.size(), k = min_hash.num_permutations();
  const auto place = [n](std::size_t i, std::size_t j) {
    return i * n - i * (i + 1) / 2 + j - i - 1;
  };
  std::vector<std::uint32_t> common(n * (n - 1) / 2);
  for_each_common(sets, stop, [&](std::size_t i, std::size_t j, std::uint32_t both) {
    common[place(i, j)] = both;
  });
  std::vector<std::uint64_t> pairs(eps.size());
  for_each_equal(min_hash.min_hash_matrix().values.data(), n, k, stop,
                 [&](std::size_t i, std::size_t j, std::uint32_t equal) {
                   const std::size_t both = common[place(i, j)];
                   const std::size_t all = sets.terms(i).size() + sets.terms(j).size() - both;
                   const double exact = share(both, all), estimate = share(equal, k);
                   for (std::size_t e = 0; e < eps.size(); ++e)
                     pairs[e] += differ_by_more(estimate, exact, eps[e]) ? 1 : 0;
                 });
  return pairs;
}

std::uint64_t MinHashAccuracy::accuracy(const std::string& folder, std::uint32_t num_permutations,
                                        double eps, std::uint64_t seed) {
  return accuracy(MinHash(folder, num_permutations, seed), std::span(&eps, 1))[0];
}

MinHashTime MinHashTime::timer(std::shared_ptr<const TermSets> terms,
                               std::uint32_t num_permutations, std::uint64_t seed,
                               const std::atomic<bool>* stop) {
  MinHashTime out;
  const TermSets& sets = *terms;
  const std::size_t n = sets.size();
  out.pairs = n * (n - 1) / 2;
  for (std::size_t i = 0; i < n; ++i) out.exact_comparisons += sets.terms(i).size() * (n - 1 - i);
  out.estimated_comparisons = out.pairs * num_permutations;

  auto start = std::chrono::steady_clock::now();
  double sum = 0;
  for_each_common(sets, stop, [&](std::size_t i, std::size_t j, std::uint32_t both) {
    sum += share(both, sets.terms(i).size() + sets.terms(j).size() - both);
  });
  out.exact_seconds = seconds_since(start);
  out.mean_exact = sum / static_cast<double>(out.pairs);

  start = std::chrono::steady_clock::now();
  const MinHash min_hash(std::move(terms), num_permutations, seed);
  out.matrix_seconds = seconds_since(start);

  start = std::chrono::steady_clock::now();
  std::uint64_t equal_slots = 0;
  for_each_equal(min_hash.min_hash_matrix().values.data(), n, num_permutations, stop,
                 [&](std::size_t, std::size_t, std::uint32_t equal) { equal_slots += equal; });
  out.estimated_seconds = seconds_since(start);
  out.mean_estimated =
      static_cast<double>(equal_slots) / num_permutations / static_cast<double>(out.pairs);
  return out;
}

MinHashTime MinHashTime::timer(const std::string& folder, std::uint32_t num_permutations,
                               std::uint64_t seed) {
  return timer(std::make_shared<const TermSets>(TermSets::of_folder(folder)), num_permutations,
               seed);
}

}  // namespace benzer::classics::course
