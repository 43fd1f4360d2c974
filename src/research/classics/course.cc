#include "benzer/research/classics/course.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/int128.h"
#include "base/splitmix.h"
#include "research/classics/kernels/kernels.h"

namespace benzer::classics::course {
namespace {

// Computes the values of a block of permutations for all terms (768 KB for 12,000 terms, which
// second-level caches hold), and then the minima of each document over them. A minimum reads one
// line of the table for each term, and needs no arithmetic.
template <class Value, std::size_t kBlock, class Values, class Minima>
void fill(MinHashMatrix& matrix, const TermSets& sets, const PermutationsFunctions& functions,
          Values&& term_values, Minima&& minima) {
  constexpr std::size_t kLine = kBlock * sizeof(Value);
  // The table is aligned to cache lines, so that a term takes one line and not two.
  std::vector<Value> memory((sets.num_terms() + std::size_t{1}) * kBlock);
  void* start = memory.data();
  std::size_t room = memory.size() * sizeof(Value);
  const auto table = static_cast<Value*>(std::align(kLine, room - kLine, start, room));
  for (std::size_t block = 0; block < functions.size(); block += kBlock) {
    const std::size_t used = std::min<std::size_t>(kBlock, functions.size() - block);
    std::uint32_t a[kBlock] = {}, b[kBlock] = {}, least[kBlock];
    std::copy_n(functions.a().begin() + static_cast<std::ptrdiff_t>(block), used, a);
    std::copy_n(functions.b().begin() + static_cast<std::ptrdiff_t>(block), used, b);
    term_values(a, b, functions.p(), sets.num_terms(), table);
    for (std::size_t doc = 0; doc < sets.size(); ++doc) {
      const auto terms = sets.terms(doc);
      if (terms.empty()) continue;
      minima(table, terms.data(), terms.size(), least);
      std::copy_n(least, used, matrix.values.data() + doc * matrix.permutations + block);
    }
  }
}

MinHashMatrix build_matrix(const TermSets& sets, const PermutationsFunctions& functions) {
  const Kernels& kernels = kernels_for(active_cpu_level());
  MinHashMatrix matrix{sets.size(), functions.size(), {}};
  matrix.values.resize(matrix.documents * matrix.permutations, kNoTerm);
  if (functions.p() < 1U << 16) {
    fill<std::uint16_t, kNarrow>(matrix, sets, functions, kernels.narrow_values,
                                 kernels.narrow_minima);
  } else {
    fill<std::uint32_t, kWide>(matrix, sets, functions, kernels.wide_values, kernels.wide_minima);
  }
  return matrix;
}

// Draws distinct numbers below p: "if there are any duplicate values, the number is regenerated".
std::vector<std::uint32_t> distinct_below(std::uint32_t p, std::uint32_t count,
                                          std::uint64_t& state) {
  std::vector<bool> taken(p);
  std::vector<std::uint32_t> numbers;
  while (numbers.size() < count) {
    const auto number =
        static_cast<std::uint32_t>((static_cast<Uint128>(splitmix64(state)) * p) >> 64);
    state += kSplitmixStep;
    if (taken[number]) continue;
    taken[number] = true;
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::uint32_t prime_at_least(std::uint32_t n) {
  const auto is_prime = [](std::uint32_t number) {
    for (std::uint32_t d = 2; d <= number / d; ++d)
      if (number % d == 0) return false;
    return number >= 2;
  };
  while (!is_prime(n)) ++n;
  return n;
}

PermutationsFunctions::PermutationsFunctions(std::uint32_t num_permutations,
                                             std::uint32_t num_terms, std::uint64_t seed)
    : p_(2) {
  if (num_permutations == 0) {
    throw Error(ErrorCode::kInvalidArgument, "0 permutations make no signature: give at least 1");
  }
  if (num_terms == 0 || num_terms > 0x7fffffffU) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} terms cannot be permuted in 32 bits: give texts with words of 3 "
                            "letters or more, of at most 2147483647 terms",
                            num_terms));
  }
  p_ = prime_at_least(num_terms);
  if (num_permutations > p_) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} permutations cannot all be different: of {} terms there are {} "
                            "factors, the smallest prime from there on; ask for {} or fewer",
                            num_permutations, num_terms, p_, p_));
  }
  std::uint64_t state = splitmix64(seed);
  a_ = distinct_below(p_, num_permutations, state);
  b_ = distinct_below(p_, num_permutations, state);
}

MinHash::MinHash(const std::string& folder, std::uint32_t num_permutations, std::uint64_t seed)
    : MinHash(std::make_shared<const TermSets>(TermSets::of_folder(folder)), num_permutations,
              seed) {}

MinHash::MinHash(std::span<const NamedText> texts, std::uint32_t num_permutations,
                 std::uint64_t seed)
    : MinHash(std::make_shared<const TermSets>(texts), num_permutations, seed) {}

MinHash::MinHash(std::shared_ptr<const TermSets> terms, std::uint32_t num_permutations,
                 std::uint64_t seed)
    : terms_(std::move(terms)),
      permutations_(num_permutations, terms_->num_terms(), seed),
      matrix_(build_matrix(*terms_, permutations_)) {}

double MinHash::exact_jaccard(std::string_view file1, std::string_view file2) const {
  return terms_->exact_jaccard(terms_->index_of(file1), terms_->index_of(file2));
}

double MinHash::approximate_jaccard(std::string_view file1, std::string_view file2) const {
  return course::approximate_jaccard(min_hash_sig(file1), min_hash_sig(file2));
}

std::span<const std::uint32_t> MinHash::min_hash_sig(std::string_view file_name) const {
  return matrix_.signature(terms_->index_of(file_name));
}

double approximate_jaccard(std::span<const std::uint32_t> sig1,
                           std::span<const std::uint32_t> sig2) noexcept {
  if (sig1.empty() || sig1.size() != sig2.size() || sig1[0] == kNoTerm) return 0;
  std::uint32_t equal = 0;
  kernels_for(active_cpu_level()).count_equal(sig1.data(), sig2.data(), 1, sig1.size(), &equal);
  return equal / static_cast<double>(sig1.size());
}

}  // namespace benzer::classics::course
