#include "dedup/candidates.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "base/parallel.h"
#include "dedup/buckets.h"
#include "dedup/sketch_pass.h"
#include "sketch/kernels/kernels.h"

namespace benzer {

SignatureFilter::SignatureFilter(const SimilarityOptions& options)
    : slots_(static_cast<std::size_t>(options.config.sketch.slots)),
      least_equal_(static_cast<std::uint32_t>(signature_cut(options.threshold.value(),
                                                            options.config.sketch.slots,
                                                            allowed_loss(options.recall))
                                                  .least_equal)),
      kernels_(kernels_for(active_cpu_level())) {}

bool SignatureFilter::passes(const std::uint8_t* a, const std::uint8_t* b) const noexcept {
  return equal(a, b) >= least_equal_;
}

std::uint32_t SignatureFilter::equal(const std::uint8_t* a, const std::uint8_t* b) const noexcept {
  return kernels_.count_equal(a, b, slots_);
}

std::size_t SignatureFilter::next(const std::uint8_t* signature,
                                  std::span<const std::uint8_t> signatures,
                                  std::size_t begin) const noexcept {
  return kernels_.next_similar(signature, signatures.data(), begin, signatures.size() / slots_,
                               slots_, least_equal_);
}

void throw_too_much_boilerplate(std::uint64_t limit) {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("too many documents share the same passages: the data about them does "
                          "not fit into the memory limit of {} bytes; allow more, or leave common "
                          "passages out (+drop-common in the features)",
                          limit));
}

namespace {

// Finds the candidates of bands. Several threads may call work_through() at a time.
class Finder {
 public:
  Finder(const SketchTable& table, const DistinctSets& sets, const SimilarityOptions& options,
         std::size_t large_bucket, int threads)
      : table_(table),
        sets_(sets),
        options_(options),
        large_bucket_(large_bucket),
        threads_(threads),
        filter_(options),
        sorter_(table.workspace(), table.workspace().share(16), Sorter<CandidatePair>::kDrop),
        of_small_(table.workspace(), table.workspace().share(32), Sorter<CandidatePair>::kDrop) {}

  void work_through(std::size_t band) {
    throw_if_stopped(options_.stop);
    Found found;
    const std::size_t bytes = table_.workspace().share(8 * static_cast<std::size_t>(threads_));
    BandBuckets buckets(table_, sets_, bytes, kSmallBucket, large_bucket_);
    for (buckets.start(band); buckets.next();) {
      buckets.for_each_bucket([&](std::size_t begin, std::size_t end) {
        if (buckets.is_large(begin, end)) {
          add_large(band, buckets.entries().subspan(begin, end - begin), found);
        } else {
          for_each_pair(buckets, begin, end, found,
                        [&](std::size_t i, std::size_t j, CandidatePair pair) {
                          if (buckets.is_small(begin, end))
                            found.of_small.push_back(pair);
                          else if (filter_.passes(buckets.signature(i), buckets.signature(j)))
                            found.pairs.push_back(pair);
                        });
        }
        if (found.pairs.size() + found.of_small.size() >= kPairsAtATime) hand_over(found);
      });
    }
    hand_over(found);
    std::lock_guard lock(mutex_);
    ++bands_done_;
    if (options_.progress) options_.progress({"candidates", bands_done_, table_.bands()});
  }

  // Returns what was found. Must be called once, after all bands.
  Candidates finish() {
    filter_small();
    Candidates out;
    out.pairs = sorter_.finish();
    out.compared = compared_;
    // Sorted, so that the order does not depend on which thread was faster.
    std::sort(large_.begin(), large_.end(), [](const LargeBucket& x, const LargeBucket& y) {
      return x.band != y.band ? x.band < y.band : x.sets < y.sets;
    });
    out.large_buckets = std::move(large_);
    return out;
  }

 private:
  using LargeBucket = Candidates::LargeBucket;
  static constexpr std::size_t kBytesPerMember = 32;  // here and in the later pass over them
  static constexpr std::size_t kPairsAtATime = std::size_t{1} << 14;
  // Pairs of such buckets are not compared band by band but once, after all bands: most similar
  // pairs are alone in their buckets, and share many. With this number of sets there are at most
  // one and a half pairs for each set.
  static constexpr std::size_t kSmallBucket = 4;
  static constexpr std::size_t kMostSmallBytes = std::size_t{64} << 20;

  // What a thread has found and has not yet handed over.
  struct Found {
    std::vector<CandidatePair> pairs;
    std::vector<CandidatePair> of_small;  // pairs of small buckets, not compared yet
    std::vector<LargeBucket> large;
    std::uint64_t compared = 0;
    std::uint64_t large_members = 0;
  };

  // Calls visit(i, j, pair) for the pairs of a bucket.
  template <class Visit>
  void for_each_pair(const BandBuckets& buckets, std::size_t begin, std::size_t end, Found& found,
                     Visit visit) const {
    const std::span<const BucketEntry> entries = buckets.entries();
    for (std::size_t j = begin + 1; j < end; ++j) {
      const SetNumber b = entries[j].set;
      for (std::size_t i = begin; i < j; ++i) {
        const SetNumber a = entries[i].set;
        if (sets_.only_references[a] && sets_.only_references[b]) continue;
        visit(i, j, CandidatePair{a, b});
        if ((++found.compared & 0xFFFF) == 0) throw_if_stopped(options_.stop);
      }
    }
  }

  // Compares the pairs of small buckets.
  void filter_small() {
    const BigList<CandidatePair> all = of_small_.finish();
    BigList<CandidatePair>::Cursor next(all);
    const std::size_t bytes =
        table_.workspace().limited() ? table_.workspace().share(8) : kMostSmallBytes;
    const std::size_t most = std::max<std::size_t>(
        bytes / (sizeof(CandidatePair) + 2 * GatheredSignatures::bytes_each(table_)), 1);
    GatheredSignatures signatures(table_, sets_);
    std::vector<CandidatePair> pairs;
    std::vector<SetNumber> members;
    for (std::size_t left = all.size(); left > 0; left -= pairs.size()) {
      pairs.clear();
      members.clear();
      while (pairs.size() < std::min(most, left)) {
        const CandidatePair& pair = pairs.emplace_back(*next.next());
        members.push_back(pair.a);
        members.push_back(pair.b);
      }
      signatures.gather(members);
      parallel_for(threads_, pairs.size(), kPairsAtATime, [&](std::size_t begin, std::size_t end) {
        throw_if_stopped(options_.stop);
        Found found;
        for (std::size_t i = begin; i < end; ++i)
          if (filter_.passes(signatures[2 * i], signatures[2 * i + 1]))
            found.pairs.push_back(pairs[i]);
        hand_over(found);
      });
    }
  }

  void add_large(std::size_t band, std::span<const BucketEntry> entries, Found& found) {
    LargeBucket& bucket = found.large.emplace_back(LargeBucket{band, {}});
    bucket.sets.reserve(entries.size());
    for (const BucketEntry& entry : entries) bucket.sets.push_back(entry.set);
    found.large_members += entries.size();
  }

  void hand_over(Found& found) {
    std::lock_guard lock(mutex_);
    for (const CandidatePair& pair : found.pairs) sorter_.add(pair);
    found.pairs.clear();
    for (const CandidatePair& pair : found.of_small) of_small_.add(pair);
    found.of_small.clear();
    compared_ += std::exchange(found.compared, 0);
    std::move(found.large.begin(), found.large.end(), std::back_inserter(large_));
    found.large.clear();
    large_members_ += std::exchange(found.large_members, 0);
    if (large_members_ > table_.workspace().share(8) / kBytesPerMember)
      throw_too_much_boilerplate(table_.workspace().limit());
  }

  const SketchTable& table_;
  const DistinctSets& sets_;
  const SimilarityOptions& options_;
  std::size_t large_bucket_;
  int threads_;
  SignatureFilter filter_;
  std::mutex mutex_;
  Sorter<CandidatePair> sorter_;
  Sorter<CandidatePair> of_small_;
  std::vector<LargeBucket> large_;
  std::uint64_t large_members_ = 0;
  std::uint64_t compared_ = 0;
  std::uint64_t bands_done_ = 0;
};

}  // namespace

Candidates find_candidates(const SketchTable& table, const DistinctSets& sets,
                           const SimilarityOptions& options, std::size_t large_bucket) {
  const int threads = resolve_threads(options.threads);
  Finder finder(table, sets, options, large_bucket, threads);
  parallel_for(threads, table.bands(), 1,
               [&](std::size_t band, std::size_t) { finder.work_through(band); });
  return finder.finish();
}

}  // namespace benzer
