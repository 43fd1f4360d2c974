#include "benzer/research/classics/blog.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"

#include "research/classics/jaccard.h"

namespace benzer::classics::blog {
namespace {

constexpr std::int32_t kBig = std::numeric_limits<std::int32_t>::max();
constexpr std::uint32_t kAlone = ~std::uint32_t{0};  // the only document of its bucket

// a - b as unchecked C# computes it, with wrapping.
std::int32_t minus(std::int32_t a, std::int32_t b) noexcept {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}

template <class Value>
double jaccard_of_bags(std::span<const Value> ls1, std::span<const Value> ls2, bool as_sets) {
  std::vector<Value> a(ls1.begin(), ls1.end()), b(ls2.begin(), ls2.end());
  for (std::vector<Value>* list : {&a, &b}) {
    std::sort(list->begin(), list->end());
    if (as_sets) list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return jaccard_of_sorted(a, b);
}

}  // namespace

double Jaccard::calc(std::span<const std::int32_t> ls1, std::span<const std::int32_t> ls2) {
  return jaccard_of_bags(ls1, ls2, true);
}

double Jaccard::calc(std::span<const std::uint32_t> ls1, std::span<const std::uint32_t> ls2) {
  return jaccard_of_bags(ls1, ls2, true);
}

double Jaccard::calc_with_frequencies(std::span<const std::int32_t> ls1,
                                      std::span<const std::int32_t> ls2) {
  return jaccard_of_bags(ls1, ls2, false);
}

DotNetRandom::DotNetRandom(std::int32_t seed) {
  constexpr std::int32_t kGoldenSeed = 161803398;  // of the golden ratio, as in the book
  const std::int32_t size =
      seed == std::numeric_limits<std::int32_t>::min() ? kBig : std::abs(seed);
  std::int32_t mj = minus(kGoldenSeed, size);
  seed_array_[55] = mj;
  std::int32_t mk = 1;
  for (std::size_t i = 1; i < 55; ++i) {
    const std::size_t ii = 21 * i % 55;
    seed_array_[ii] = mk;
    mk = minus(mj, mk);
    if (mk < 0) mk += kBig;
    mj = seed_array_[ii];
  }
  for (int round = 1; round < 5; ++round) {
    for (std::size_t i = 1; i < 56; ++i) {
      seed_array_[i] = minus(seed_array_[i], seed_array_[1 + (i + 30) % 55]);
      if (seed_array_[i] < 0) seed_array_[i] += kBig;
    }
  }
}

std::int32_t DotNetRandom::next() {
  if (++inext_ >= 56) inext_ = 1;
  if (++inextp_ >= 56) inextp_ = 1;
  std::int32_t& place = seed_array_[static_cast<std::size_t>(inext_)];
  std::int32_t number = minus(place, seed_array_[static_cast<std::size_t>(inextp_)]);
  if (number == kBig) --number;
  if (number < 0) number += kBig;
  place = number;
  return number;
}

std::int32_t DotNetRandom::next(std::int32_t max) {
  return static_cast<std::int32_t>(next() * (1.0 / kBig) * max);
}

int MinHash::bits_for_universe(std::int32_t universe_size) {
  if (universe_size < 1 || universe_size >= 1 << 30) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("a universe of {} words is out of range: give 1 to {}", universe_size,
                            (1 << 30) - 1));
  }
  return static_cast<int>(std::bit_width(static_cast<std::uint32_t>(universe_size)));
}

MinHash::MinHash(std::int32_t universe_size, int num_hash_functions, OddFactors factors,
                 std::int32_t seed)
    : bits_(bits_for_universe(universe_size)) {
  if (num_hash_functions < 1) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{} hash functions make no signature: give at least 1", num_hash_functions));
  }
  DotNetRandom r(seed);
  for (int i = 0; i < num_hash_functions; ++i) {
    std::int32_t a = 0;
    while (a <= 0 || (factors == OddFactors::kAsMeant && a % 2 == 0)) a = r.next();
    std::int32_t b = 0;
    while (b <= 0) b = r.next(1 << bits_);
    a_.push_back(static_cast<std::uint32_t>(a));
    b_.push_back(static_cast<std::uint32_t>(b));
  }
}

std::uint32_t MinHash::hash(int function, std::int32_t x) const {
  const auto i = static_cast<std::size_t>(function);
  return (a_.at(i) * static_cast<std::uint32_t>(x) + b_.at(i)) >> (32 - bits_);
}

std::vector<std::uint32_t> MinHash::get_min_hash(std::span<const std::int32_t> word_ids) const {
  std::vector<std::uint32_t> min_hashes(a_.size(), static_cast<std::uint32_t>(kBig));
  for (const std::int32_t id : word_ids) {
    for (std::size_t h = 0; h < a_.size(); ++h) {
      const std::uint32_t hash = (a_[h] * static_cast<std::uint32_t>(id) + b_[h]) >> (32 - bits_);
      min_hashes[h] = std::min(min_hashes[h], hash);
    }
  }
  return min_hashes;
}

double MinHash::similarity(std::span<const std::uint32_t> l1, std::span<const std::uint32_t> l2) {
  return Jaccard::calc(l1, l2);
}

double MinHash::similarity_by_position(std::span<const std::uint32_t> l1,
                                       std::span<const std::uint32_t> l2) {
  if (l1.size() != l2.size() || l1.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("signatures of {} and {} values cannot be compared by position: make "
                            "both with the same hash functions",
                            l1.size(), l2.size()));
  }
  std::size_t equal = 0;
  for (std::size_t i = 0; i < l1.size(); ++i) equal += l1[i] == l2[i];
  return static_cast<double>(equal) / static_cast<double>(l1.size());
}

LSH::LSH(MinHashes min_hashes, int rows_per_band)
    : min_hashes_(std::move(min_hashes)), rows_per_band_(rows_per_band) {
  const std::size_t k = min_hashes_.num_hash_functions;
  if (min_hashes_.values.size() != min_hashes_.num_sets * k) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} values are not the {} x {} that the matrix says it has",
                            min_hashes_.values.size(), min_hashes_.num_sets, k));
  }
  if (rows_per_band < 1 || static_cast<std::size_t>(rows_per_band) > k) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} rows a band do not fit {} hash functions: give 1 to {}",
                            rows_per_band, k, k));
  }
  num_bands_ = static_cast<int>(k / static_cast<std::size_t>(rows_per_band));
}

double LSH::threshold() const noexcept { return std::pow(1.0 / num_bands_, 1.0 / rows_per_band_); }

void LSH::calc() {
  const std::size_t bands = static_cast<std::size_t>(num_bands_);
  const std::size_t rows = static_cast<std::size_t>(rows_per_band_);
  bucket_of_.assign(min_hashes_.num_sets * bands, kAlone);
  begins_.assign(1, 0);
  members_.clear();
  std::vector<std::uint32_t> hashes(min_hashes_.num_sets);
  for (std::size_t band = 0; band < bands; ++band) {
    for (std::size_t s = 0; s < hashes.size(); ++s) {
      const auto values = min_hashes_.row(s).subspan(band * rows, rows);
      std::uint32_t hash_value = 0;
      for (const std::uint32_t value : values) hash_value = hash_value * 1174247U + value;
      hashes[s] = hash_value;
    }
    group(band, hashes);
  }
}

// Two passes: the first finds the bucket of each document and the size of each bucket; the second
// lists the documents of each bucket of two or more, in their order.
void LSH::group(std::size_t band, std::span<const std::uint32_t> hashes) {
  const std::size_t bands = static_cast<std::size_t>(num_bands_);
  const int bits = static_cast<int>(std::bit_width(2 * hashes.size() + 1));
  const std::size_t mask = (std::size_t{1} << bits) - 1;
  struct Place {
    std::uint32_t hash = 0;
    std::uint32_t bucket = kAlone;
  };
  std::vector<Place> table(mask + 1);
  std::vector<std::uint32_t> local(hashes.size()), counts;
  for (std::size_t s = 0; s < hashes.size(); ++s) {
    std::size_t at = (hashes[s] * 0x9E3779B97F4A7C15U) >> (64 - bits);
    while (table[at].bucket != kAlone && table[at].hash != hashes[s]) at = (at + 1) & mask;
    if (table[at].bucket == kAlone) {
      table[at] = {hashes[s], static_cast<std::uint32_t>(counts.size())};
      counts.push_back(0);
    }
    local[s] = table[at].bucket;
    ++counts[local[s]];
  }
  std::vector<std::uint32_t> bucket(counts.size(), kAlone), end(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 2) continue;
    bucket[i] = static_cast<std::uint32_t>(begins_.size() - 1);
    end[i] = begins_.back();
    begins_.push_back(begins_.back() + counts[i]);
  }
  members_.resize(begins_.back());
  for (std::size_t s = 0; s < hashes.size(); ++s) {
    if (bucket[local[s]] == kAlone) continue;
    bucket_of_[s * bands + band] = bucket[local[s]];
    members_[end[local[s]]++] = static_cast<std::uint32_t>(s);
  }
}

std::vector<std::size_t> LSH::get_nearest(std::size_t n) const {
  if (n >= min_hashes_.num_sets) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("there is no document {}: the {} documents are numbered from 0", n,
                            min_hashes_.num_sets));
  }
  std::vector<std::size_t> nearest;
  if (bucket_of_.empty()) return nearest;
  const std::size_t bands = static_cast<std::size_t>(num_bands_);
  const std::uint32_t* mine = bucket_of_.data() + n * bands;
  for (std::size_t band = 0; band < bands; ++band) {
    if (mine[band] == kAlone) continue;
    for (std::uint32_t i = begins_[mine[band]]; i < begins_[mine[band] + 1]; ++i) {
      const std::size_t other = members_[i];
      if (other == n) continue;
      // It was found already if both share a bucket in an earlier band, so no list of found
      // documents is needed.
      const std::uint32_t* theirs = bucket_of_.data() + other * bands;
      bool seen = false;
      for (std::size_t before = 0; before < band && !seen; ++before)
        seen = theirs[before] == mine[before] && mine[before] != kAlone;
      if (!seen) nearest.push_back(other);
    }
  }
  return nearest;
}

std::vector<std::size_t> LSH::get_nearest_by_signature(std::size_t n, double threshold) const {
  std::vector<std::size_t> nearest = get_nearest(n);
  std::erase_if(nearest, [&](std::size_t other) {
    return MinHash::similarity_by_position(min_hashes_.row(n), min_hashes_.row(other)) < threshold;
  });
  return nearest;
}

std::vector<std::size_t> LSH::get_nearest_by_sets(std::size_t n,
                                                  std::span<const std::vector<std::int32_t>> sets,
                                                  double threshold) const {
  if (sets.size() != min_hashes_.num_sets) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} sets are not those of {} documents: give one for each, in their "
                            "order",
                            sets.size(), min_hashes_.num_sets));
  }
  std::vector<std::size_t> nearest = get_nearest(n);
  std::erase_if(nearest, [&](std::size_t other) {
    return Jaccard::calc(std::span<const std::int32_t>(sets[n]), sets[other]) < threshold;
  });
  return nearest;
}

}  // namespace benzer::classics::blog
