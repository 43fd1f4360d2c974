#include "benzer/research/classics/scala.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "benzer/error.h"

#include "research/classics/jaccard.h"

namespace benzer::classics::scala {
namespace {

constexpr std::uint64_t kMultiplier = 0x5DEECE66D;
constexpr std::uint64_t kMask48 = (std::uint64_t{1} << 48) - 1;

// Calls take(window) for each window of k bytes; a shorter document is one window.
template <class Take>
void slide(std::string_view document, std::size_t k, Take&& take) {
  if (k == 0) {
    throw Error(ErrorCode::kInvalidArgument, "shingles of 0 characters say nothing: give k >= 1");
  }
  if (document.empty()) return;
  const std::size_t windows = document.size() < k ? 1 : document.size() - k + 1;
  for (std::size_t i = 0; i < windows; ++i) take(document.substr(i, k));
}

std::size_t find_root(std::vector<std::size_t>& parents, std::size_t i) {
  while (parents[i] != i) i = parents[i] = parents[parents[i]];
  return i;
}

}  // namespace

std::vector<std::string> shingler(std::string_view document, std::size_t k) {
  std::vector<std::string> shingles;
  slide(document, k, [&](std::string_view window) { shingles.emplace_back(window); });
  return shingles;
}

std::int32_t djb2a(std::string_view bytes) noexcept {
  // The Scala code computes in 64 bits and truncates at the end. No bit above the 32nd affects a
  // lower one, so 32 bits give the same.
  std::uint32_t hash = 5381;
  for (const char byte : bytes)
    hash = (hash * 33) ^ static_cast<std::uint32_t>(static_cast<signed char>(byte));
  return static_cast<std::int32_t>(hash);
}

JavaRandom::JavaRandom(std::int64_t seed)
    : state_((static_cast<std::uint64_t>(seed) ^ kMultiplier) & kMask48) {}

std::int32_t JavaRandom::next_int() {
  state_ = (state_ * kMultiplier + 0xB) & kMask48;
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(state_ >> 16));
}

std::int32_t HashFunction::eval(std::int32_t x) const noexcept {
  const std::uint32_t sum =
      static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(b);
  return static_cast<std::int32_t>(static_cast<std::int32_t>(sum) % kP);
}

std::string HashFunction::str() const { return fmt::format("{}*X + {} % {}", a, b, kP); }

HashCollection::HashCollection(std::int64_t seed, std::size_t num_hashes) {
  JavaRandom random(seed);
  hashes_.resize(num_hashes);
  for (HashFunction& hash : hashes_) {
    hash.a = random.next_int();
    hash.b = random.next_int();
  }
}

std::vector<std::int32_t> HashCollection::evaluate(std::string_view shingle) const {
  const std::int32_t initial = djb2a(shingle);
  std::vector<std::int32_t> values;
  values.reserve(hashes_.size());
  for (const HashFunction& hash : hashes_) values.push_back(hash.eval(initial));
  return values;
}

MinHash::MinHash(std::int64_t seed, std::size_t k, std::size_t num_hashes, Sampler sampler)
    : hash_collection_(seed, num_hashes), k_(k), sampler_(sampler) {
  if (k == 0 || num_hashes == 0) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} hash functions of shingles of {} characters make no signature: "
                            "give at least 1 of each",
                            num_hashes, k));
  }
}

std::vector<std::string> MinHash::get_shingles(std::string_view document) const {
  return shingler(document, k_);
}

std::vector<std::int32_t> MinHash::hash(std::string_view document) const {
  if (document.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "an empty document has no shingle to take the minimum of: leave it out");
  }
  const std::vector<HashFunction>& hashes = hash_collection_.get_hashes();
  std::vector<std::int32_t> sampled;
  slide(document, k_, [&](std::string_view window) {
    const std::int32_t initial = djb2a(window);
    if (sampled.empty()) {
      sampled = hash_collection_.evaluate(window);
    } else if (sampler_ == Sampler::kMinimum) {
      for (std::size_t i = 0; i < hashes.size(); ++i)
        sampled[i] = std::min(sampled[i], hashes[i].eval(initial));
    } else {
      for (std::size_t i = 0; i < hashes.size(); ++i)
        sampled[i] = std::max(sampled[i], hashes[i].eval(initial));
    }
  });
  return sampled;
}

int pick_bands(double threshold, int num_hashes) {
  if (!(threshold > 0 && threshold <= 1) || num_hashes < 1) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("no bands fit a threshold of {} and {} hashes: give a threshold above "
                            "0 and at most 1, and at least 1 hash",
                            threshold, num_hashes));
  }
  const double target = num_hashes * -1.0 * std::log(threshold);
  const auto reaches = [&](std::int64_t bands) {
    return static_cast<double>(bands) * std::log(static_cast<double>(bands)) >= target;
  };
  std::int64_t least = 1, most = std::numeric_limits<int>::max();
  if (!reaches(most))
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("a threshold of {} and {} hashes need more than {} bands: give a "
                            "higher threshold or fewer hashes",
                            threshold, num_hashes, most));
  while (least < most) {
    const std::int64_t middle = (least + most) / 2;
    if (reaches(middle))
      most = middle;
    else
      least = middle + 1;
  }
  return static_cast<int>(least);
}

std::vector<std::int32_t> get_buckets(std::span<const std::int32_t> min_hashed_document,
                                      int num_bands) {
  if (num_bands < 1 || static_cast<std::size_t>(num_bands) > min_hashed_document.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("a signature of {} hashes has no {} bands: give 1 to {}",
                            min_hashed_document.size(), num_bands, min_hashed_document.size()));
  }
  const std::size_t chunk_size = min_hashed_document.size() / static_cast<std::size_t>(num_bands);
  std::vector<std::int32_t> buckets;
  for (int band = 0; band < num_bands; ++band) {
    const auto rows =
        min_hashed_document.subspan(static_cast<std::size_t>(band) * chunk_size, chunk_size);
    buckets.push_back(djb2a(fmt::format("{}", fmt::join(rows, "."))));
  }
  return buckets;
}

bool is_pair_candidate_match(std::span<const std::int32_t> lsh_buckets_doc1,
                             std::span<const std::int32_t> lsh_buckets_doc2) noexcept {
  const std::size_t both = std::min(lsh_buckets_doc1.size(), lsh_buckets_doc2.size());
  for (std::size_t i = 0; i < both; ++i)
    if (lsh_buckets_doc1[i] == lsh_buckets_doc2[i]) return true;
  return false;
}

double similarity(std::span<const std::string> document1_shingles,
                  std::span<const std::string> document2_shingles) {
  const std::unordered_set<std::string_view> a(document1_shingles.begin(),
                                               document1_shingles.end());
  const std::unordered_set<std::string_view> b(document2_shingles.begin(),
                                               document2_shingles.end());
  std::size_t common = 0;
  for (const std::string_view shingle : a) common += b.count(shingle);
  return share(common, a.size() + b.size() - common);
}

double estimate_similarity_min_hash(std::span<const std::int32_t> min_hashed_doc1,
                                    std::span<const std::int32_t> min_hashed_doc2) {
  if (min_hashed_doc1.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "an empty signature says nothing: make both with at least 1 hash function");
  }
  const std::size_t both = std::min(min_hashed_doc1.size(), min_hashed_doc2.size());
  std::size_t matching = 0;
  for (std::size_t i = 0; i < both; ++i) matching += min_hashed_doc1[i] == min_hashed_doc2[i];
  return static_cast<double>(matching) / static_cast<double>(min_hashed_doc1.size());
}

std::vector<std::vector<std::size_t>> clusters(
    std::span<const std::vector<std::int32_t>> min_hashed_documents, int num_bands,
    double threshold) {
  const std::size_t n = min_hashed_documents.size();
  std::vector<std::vector<std::int32_t>> buckets;
  for (const auto& signature : min_hashed_documents)
    buckets.push_back(get_buckets(signature, num_bands));
  std::vector<std::size_t> parents(n);
  std::iota(parents.begin(), parents.end(), std::size_t{0});
  for (std::size_t band = 0; n > 0 && band < buckets[0].size(); ++band) {
    std::unordered_map<std::int32_t, std::vector<std::size_t>> bins;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<std::size_t>& bin = bins[buckets[i][band]];
      for (const std::size_t other : bin) {
        const std::size_t a = find_root(parents, i), b = find_root(parents, other);
        if (a == b) continue;
        if (estimate_similarity_min_hash(min_hashed_documents[i], min_hashed_documents[other]) >=
            threshold)
          parents[std::max(a, b)] = std::min(a, b);
      }
      bin.push_back(i);
    }
  }
  // A root is the smallest number of its cluster, so clusters are in the order of their first
  // documents.
  std::vector<std::vector<std::size_t>> by_root(n), out;
  for (std::size_t i = 0; i < n; ++i) by_root[find_root(parents, i)].push_back(i);
  for (auto& cluster : by_root)
    if (cluster.size() > 1) out.push_back(std::move(cluster));
  return out;
}

}  // namespace benzer::classics::scala
