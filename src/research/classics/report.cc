#include "benzer/research/classics/report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/mersenne61.h"
#include "base/splitmix.h"
#include "research/classics/jaccard.h"

namespace benzer::classics::report {
namespace {

constexpr std::uint64_t kPrime = LinearHash::kPrime;

// Draws a number below 2^61 - 1 from the 61 upper bits; 2^61 - 1 itself is drawn again.
std::uint64_t below_prime(std::uint64_t& state) noexcept {
  while (true) {
    const std::uint64_t number = splitmix64(state) >> 3;
    state += kSplitmixStep;
    if (number < kPrime) return number;
  }
}

std::vector<std::uint64_t> as_set(std::span<const std::uint64_t> list) {
  std::vector<std::uint64_t> set(list.begin(), list.end());
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

}  // namespace

CharacteristicMatrix::CharacteristicMatrix(std::vector<std::string> elements,
                                           const std::vector<std::vector<std::string>>& columns)
    : elements_(std::move(elements)) {
  std::unordered_map<std::string, std::size_t> row_of;
  for (std::size_t row = 0; row < elements_.size(); ++row) {
    if (!row_of.emplace(elements_[row], row).second) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("the element '{}' has two rows: name each element once", elements_[row]));
    }
  }
  for (const std::vector<std::string>& set : columns) {
    std::vector<bool> column(elements_.size());
    for (const std::string& element : set) {
      const auto found = row_of.find(element);
      if (found == row_of.end()) {
        throw Error(ErrorCode::kInvalidArgument,
                    fmt::format("a set has '{}', which is not an element of the universal set: add "
                                "it to the elements",
                                element));
      }
      column[found->second] = true;
    }
    columns_.push_back(std::move(column));
  }
}

std::optional<std::string> CharacteristicMatrix::min_hash(
    std::size_t column, std::span<const std::size_t> order) const {
  std::vector<bool> seen(rows());
  for (const std::size_t row : order) {
    if (row < rows() && !seen[row]) seen[row] = true;
  }
  if (order.size() != rows() || std::find(seen.begin(), seen.end(), false) != seen.end()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("an order of {} rows is not a permutation of the {} rows of the "
                            "matrix: name each row once, from 0",
                            order.size(), rows()));
  }
  for (const std::size_t row : order)
    if (at(row, column)) return elements_[row];
  return std::nullopt;
}

double CharacteristicMatrix::RowTypes::similarity() const noexcept { return share(x, x + y); }

CharacteristicMatrix::RowTypes CharacteristicMatrix::row_types(std::size_t column_1,
                                                               std::size_t column_2) const {
  RowTypes types;
  for (std::size_t row = 0; row < rows(); ++row) {
    const int ones = at(row, column_1) + at(row, column_2);
    ++(ones == 2 ? types.x : ones == 1 ? types.y : types.z);
  }
  return types;
}

double jaccard(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  return jaccard_of_sorted(as_set(a), as_set(b));
}

std::uint64_t LinearHash::operator()(std::uint64_t x) const noexcept {
  return linear_mersenne61(a, mod_mersenne61(x), b);
}

std::vector<LinearHash> linear_hashes(std::size_t n_h, std::uint64_t seed) {
  std::uint64_t state = splitmix64(seed);
  std::vector<LinearHash> hashes(n_h);
  for (LinearHash& hash : hashes) {
    do hash.a = below_prime(state);
    while (hash.a == 0);
    hash.b = below_prime(state);
  }
  return hashes;
}

Signature generate_signatures_with_multiple_hash_functions(std::span<const LinearHash> h,
                                                           std::span<const std::uint64_t> set) {
  Signature hmin(h.size(), kMaxValue);
  for (std::size_t i = 0; i < h.size(); ++i)
    for (const std::uint64_t s : set) hmin[i] = std::min(hmin[i], h[i](s));
  return hmin;
}

Signature generate_signatures_with_single_hash_function(const LinearHash& h,
                                                        std::span<const std::uint64_t> set,
                                                        std::size_t n_h) {
  Signature hmin(set.size());
  std::transform(set.begin(), set.end(), hmin.begin(), h);
  std::sort(hmin.begin(), hmin.end());
  hmin.erase(std::unique(hmin.begin(), hmin.end()), hmin.end());
  hmin.resize(std::min(hmin.size(), n_h));
  return hmin;
}

double similarity_of_multiple(const Signature& z_a, const Signature& z_b) {
  if (z_a.size() != z_b.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("signatures of {} and {} values cannot be compared by position: make "
                            "both with the same hash functions",
                            z_a.size(), z_b.size()));
  }
  std::size_t n_i = 0;
  for (std::size_t i = 0; i < z_a.size(); ++i) n_i += z_a[i] == z_b[i] && z_a[i] != kMaxValue;
  return share(n_i, z_a.size());
}

double similarity_of_single(const Signature& z_a, const Signature& z_b, std::size_t n_h) {
  return share(count_common(z_a, z_b), n_h);
}

double jaccard_of_single(const Signature& z_a, const Signature& z_b, std::size_t n_h) {
  Signature both;
  std::set_union(z_a.begin(), z_a.end(), z_b.begin(), z_b.end(), std::back_inserter(both));
  both.resize(std::min(both.size(), n_h));
  // A value among the n_h smallest of the union is among the n_h smallest of each set that has it.
  std::size_t in_both = 0;
  for (const std::uint64_t value : both) {
    in_both += std::binary_search(z_a.begin(), z_a.end(), value) &&
               std::binary_search(z_b.begin(), z_b.end(), value);
  }
  return share(in_both, both.size());
}

double Pair::jaccard() const noexcept { return share(common, a.size() + b.size() - common); }

Pair generate_pair(std::size_t n, double s_r, std::uint64_t seed) {
  if (n == 0 || !(s_r >= 0 && s_r <= 1)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} elements of which a share of {} is common make no pair of sets: "
                            "give at least 1 element and a share from 0 to 1",
                            n, s_r));
  }
  Pair pair;
  pair.common = static_cast<std::size_t>(std::llround(s_r * static_cast<double>(n)));
  std::uint64_t state = splitmix64(seed);
  std::unordered_set<std::uint64_t> taken;
  const auto unique_element = [&] {
    while (true) {
      const std::uint64_t element = below_prime(state);
      if (taken.insert(element).second) return element;
    }
  };
  // "First, elements of A are generated randomly. Then, n_i of the elements of A are added to B.
  // Lastly, n_d unique elements are generated randomly and added to B."
  for (std::size_t i = 0; i < n; ++i) pair.a.push_back(unique_element());
  pair.b.assign(pair.a.begin(), pair.a.begin() + static_cast<std::ptrdiff_t>(pair.common));
  while (pair.b.size() < n) pair.b.push_back(unique_element());
  return pair;
}

}  // namespace benzer::classics::report
