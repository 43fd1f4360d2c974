#include "benzer/research/classics/slides.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/int128.h"
#include "base/splitmix.h"
#include "base/white_space.h"

namespace benzer::classics::slides {
namespace {

bool is_prime(std::uint64_t n) noexcept {
  if (n < 2) return false;
  for (std::uint64_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return true;
}

// Draws a number below the bound, nearly uniformly, since the bound is far below 2^64.
std::uint64_t below(std::uint64_t bound, std::uint64_t& state) noexcept {
  const std::uint64_t number = splitmix64(state);
  state += kSplitmixStep;
  return static_cast<std::uint64_t>((static_cast<Uint128>(number) * bound) >> 64);
}

}  // namespace

std::vector<std::string> shingles(std::string_view document, std::size_t k) {
  if (k == 0) {
    throw Error(ErrorCode::kInvalidArgument, "shingles of 0 tokens say nothing: give k >= 1");
  }
  std::vector<std::string> out;
  for (std::size_t i = 0; i + k <= document.size(); ++i) out.emplace_back(document.substr(i, k));
  return out;
}

std::vector<std::string> shingle_set(std::string_view document, std::size_t k) {
  std::vector<std::string> out = shingles(document, k);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::map<std::string, std::size_t> shingle_bag(std::string_view document, std::size_t k) {
  std::map<std::string, std::size_t> out;
  for (std::string& shingle : shingles(document, k)) ++out[std::move(shingle)];
  return out;
}

std::string squeeze_white_space(std::string_view text) {
  std::string out(text.size(), '\0');
  out.resize(benzer::squeeze_white_space(text, out.data()));
  return out;
}

std::uint32_t shingle_hash(std::string_view shingle) noexcept {
  std::uint32_t hash = 2166136261U;
  for (const char byte : shingle) hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619U;
  return hash;
}

std::uint32_t Dictionary::number(const std::string& shingle) {
  const auto [place, is_new] =
      numbers_.emplace(shingle, static_cast<std::uint32_t>(shingles_.size()));
  if (is_new) shingles_.push_back(shingle);
  return place->second;
}

BitVector::BitVector(std::string_view zeros_and_ones)
    : size_(zeros_and_ones.size()), words_((zeros_and_ones.size() + 63) / 64) {
  for (std::size_t i = 0; i < size_; ++i) {
    if (zeros_and_ones[i] != '0' && zeros_and_ones[i] != '1') {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the bit vector has something else at place {}: write it with 0 and "
                              "1 only",
                              i + 1));
    }
    words_[i / 64] |= std::uint64_t{zeros_and_ones[i] == '1'} << (i % 64);
  }
}

double BitVector::jaccard(const BitVector& other) const {
  if (size_ != other.size_) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("bit vectors of {} and {} elements are not of one universal set: give "
                            "both the same size",
                            size_, other.size_));
  }
  int intersection = 0, set_union = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    intersection += std::popcount(words_[i] & other.words_[i]);
    set_union += std::popcount(words_[i] | other.words_[i]);
  }
  return set_union == 0 ? 0.0 : static_cast<double>(intersection) / set_union;
}

BooleanMatrix::BooleanMatrix(std::span<const std::string_view> rows) : rows_(rows.size()) {
  const std::size_t columns = rows.empty() ? 0 : rows[0].size();
  for (const std::string_view row : rows) {
    if (row.size() == columns) continue;
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the matrix has rows of {} and of {} columns: give all the same",
                            columns, row.size()));
  }
  for (std::size_t column = 0; column < columns; ++column) {
    std::string bits;
    for (const std::string_view row : rows) bits += row[column];
    columns_.emplace_back(bits);
  }
}

BooleanMatrix printed_matrix() {
  constexpr std::string_view kRows[] = {"1110", "1101", "0101", "0001", "1001", "1110", "1010"};
  return BooleanMatrix(kRows);
}

MinHashingExample min_hashing_example() {
  constexpr std::string_view kRows[] = {"1010", "1001", "0101", "0101", "0101", "1010", "1010"};
  return {BooleanMatrix(kRows),
          {{2, 3, 7, 6, 1, 5, 4}, {4, 2, 1, 3, 6, 7, 5}, {3, 4, 7, 2, 6, 1, 5}}};
}

SignatureMatrix signatures(const BooleanMatrix& matrix,
                           std::span<const std::vector<std::uint32_t>> permutations, Store store) {
  SignatureMatrix out;
  for (const std::vector<std::uint32_t>& pi : permutations) {
    std::vector<std::uint32_t> sorted = pi;
    std::sort(sorted.begin(), sorted.end());
    bool whole = pi.size() == matrix.rows();
    for (std::size_t i = 0; whole && i < sorted.size(); ++i) whole = sorted[i] == i + 1;
    if (!whole) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} places are not a permutation of the {} rows: give each row its "
                              "place, from 1",
                              pi.size(), matrix.rows()));
    }
    std::vector<std::uint32_t> row(matrix.columns(), kNoRow);
    for (std::size_t column = 0; column < matrix.columns(); ++column) {
      std::uint32_t first = kNoRow;  // its place in the permutation
      for (std::size_t r = 0; r < matrix.rows(); ++r) {
        if (!matrix.column(column).at(r) || pi[r] >= first) continue;
        first = pi[r];
        row[column] = store == Store::kPlaces ? first : static_cast<std::uint32_t>(r + 1);
      }
    }
    out.push_back(std::move(row));
  }
  return out;
}

std::string min_hash(std::span<const std::string> permuted_universe,
                     std::span<const std::string> set) {
  for (const std::string& element : permuted_universe)
    if (std::find(set.begin(), set.end(), element) != set.end()) return element;
  return {};
}

std::uint32_t UniversalHash::operator()(std::uint64_t x) const noexcept {
  return static_cast<std::uint32_t>((static_cast<Uint128>(a) * x + b) % p % n);
}

std::vector<UniversalHash> universal_hashes(std::size_t k, std::uint32_t n, std::uint64_t seed) {
  if (n == 0) {
    throw Error(ErrorCode::kInvalidArgument,
                "a matrix without rows needs no hash functions: give it at least 1 row");
  }
  std::uint64_t p = std::uint64_t{n} + 1;
  while (!is_prime(p)) ++p;
  std::uint64_t state = splitmix64(seed);
  std::vector<UniversalHash> hashes;
  for (std::size_t i = 0; i < k; ++i) {
    const std::uint64_t a = 1 + below(p - 1, state);
    hashes.push_back({a, below(p, state), p, n});
  }
  return hashes;
}

SignatureMatrix signatures(const BooleanMatrix& matrix, std::span<const UniversalHash> hashes) {
  SignatureMatrix out;
  for (const UniversalHash& hash : hashes) {
    std::vector<std::uint32_t> row(matrix.columns(), kNoRow);
    for (std::size_t r = 0; r < matrix.rows(); ++r) {
      const std::uint32_t value = hash(r);
      for (std::size_t column = 0; column < matrix.columns(); ++column)
        if (matrix.column(column).at(r)) row[column] = std::min(row[column], value);
    }
    out.push_back(std::move(row));
  }
  return out;
}

double similarity(const SignatureMatrix& signatures, std::size_t a, std::size_t b) {
  if (signatures.empty() || a >= signatures[0].size() || b >= signatures[0].size()) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("columns {} and {} are not both in a signature matrix of {} rows and "
                    "{} columns",
                    a, b, signatures.size(), signatures.empty() ? 0 : signatures[0].size()));
  }
  std::size_t agree = 0;
  for (const auto& row : signatures) agree += row[a] == row[b] && row[a] != kNoRow;
  return static_cast<double>(agree) / static_cast<double>(signatures.size());
}

}  // namespace benzer::classics::slides
