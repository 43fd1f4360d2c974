#include "dedup/picture_join.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "benzer/runtime.h"

#include "base/parallel.h"
#include "dedup/below_sample.h"
#include "dedup/sketch_pass.h"
#include "image/near_features.h"
#include "verify/feature_comparison.h"
#include "verify/hash_index.h"
#include "verify/word_index.h"

namespace benzer {
namespace {

constexpr std::size_t kSetsPerPiece = 64;
// If pairs below the threshold are wanted, the joins of hashes and of image:near return those whose
// similarity is at least the threshold minus this.
constexpr double kBelow = 1.0 / 8;

// Collects pairs from all threads.
class Pairs {
 public:
  // Each pair must be added once.
  Pairs(const SketchTable& table, const DistinctSets& sets, const Threshold& threshold,
        BelowSample* below)
      : table_(table),
        sets_(sets),
        threshold_(threshold),
        neighbours_(table.workspace(), table.workspace().share(16)),
        below_(below) {}

  // Collects the pairs that one thread finds, until it hands them over.
  class Finds {
   public:
    explicit Finds(Pairs& pairs)
        : pairs_(pairs), facts_a_(pairs.table_.facts()), facts_b_(pairs.table_.facts()) {}

    // Returns true if the two may be a pair: they are of one group, and not both references.
    bool may_meet(SetNumber a, SetNumber b) {
      const DistinctSets& sets = pairs_.sets_;
      if (sets.only_references[a] && sets.only_references[b]) return false;
      return facts_a_.one(sets.document[a])->group == facts_b_.one(sets.document[b])->group;
    }
    void add(SetNumber a, SetNumber b, const Overlap& overlap) {
      found_.push_back({{std::min(a, b), std::max(a, b), overlap.jaccard()},
                        pairs_.threshold_.reached(overlap.intersection, overlap.set_union)});
    }
    void hand_over() {
      std::lock_guard lock(pairs_.mutex_);
      for (const auto& [pair, is_similar] : found_) {
        if (!is_similar) {
          ++pairs_.below_threshold_;
          if (pairs_.below_) pairs_.below_->add(pair);
          continue;
        }
        pairs_.neighbours_.add({pair.a, pair.b, pair.score});
        pairs_.neighbours_.add({pair.b, pair.a, pair.score});
      }
      found_.clear();
    }

   private:
    Pairs& pairs_;
    ColumnReader<DocumentFacts> facts_a_, facts_b_;
    std::vector<std::pair<ScoredPair, bool>> found_;
  };

  std::span<const std::uint64_t> features(SetNumber set) const {
    return table_.sets[sets_.document[set]].features();
  }
  SetNumber size() const noexcept { return sets_.size(); }

  PicturePairs finish() {
    PicturePairs out;
    out.neighbours = neighbours_.finish();
    out.compared = out.neighbours.size() / 2 + below_threshold_;
    return out;
  }

 private:
  const SketchTable& table_;
  const DistinctSets& sets_;
  const Threshold& threshold_;
  std::mutex mutex_;
  Sorter<Neighbour> neighbours_;
  BelowSample* below_;  // null: pairs below the threshold are only counted
  std::uint64_t below_threshold_ = 0;
};

class HashJoin {
 public:
  HashJoin(Pairs& pairs, const SimilarityOptions& options, bool want_below)
      : pairs_(pairs),
        bits_(options.config.features.hash_bits()),
        farthest_(largest_distance(bits_, options.threshold)),
        index_(hashes(), bits_) {
    if (want_below)
      farthest_ = std::min(bits_ / 2 - 1, farthest_ + static_cast<int>(bits_ * kBelow / 2));
  }

  std::size_t size() const noexcept { return hashed_.size(); }

  void work_through(std::size_t begin, std::size_t end) const {
    Pairs::Finds finds(pairs_);
    std::vector<std::uint32_t> near;
    for (std::size_t i = begin; i < end; ++i) {
      const SetNumber a = hashed_[i];
      const HashesOfPicture mine = read_hash_features(pairs_.features(a));
      near.clear();
      for (int turn = 0; turn < mine.count; ++turn)
        index_.find(mine.hashes[static_cast<std::size_t>(turn)], farthest_, near);
      std::sort(near.begin(), near.end());
      near.erase(std::unique(near.begin(), near.end()), near.end());
      for (const std::uint32_t other : near) {
        const SetNumber b = hashed_[other];
        if (a == b || !finds.may_meet(a, b)) continue;
        const HashesOfPicture others = read_hash_features(pairs_.features(b));
        // With +turned, one of two images may find the other without being found by it.
        if (b < a && finds_picture(others, mine)) continue;
        finds.add(a, b, overlap_of_hashes(bits_, *hash_distance(mine, others)));
      }
    }
    finds.hand_over();
  }

 private:
  bool finds_picture(const HashesOfPicture& mine, const HashesOfPicture& other) const noexcept {
    for (std::size_t turn = 0; turn < static_cast<std::size_t>(mine.count); ++turn)
      if (distance(mine.hashes[turn], other.hashes[0]) <= farthest_) return true;
    return false;
  }

  // Returns the hashes of the sets that have one, and puts these sets into hashed_.
  std::vector<ImageHash> hashes() {
    std::vector<ImageHash> out;
    for (SetNumber set = 0; set < pairs_.size(); ++set) {
      const HashesOfPicture found = read_hash_features(pairs_.features(set));
      if (found.count == 0) continue;
      hashed_.push_back(set);
      out.push_back(found.hashes[0]);
    }
    return out;
  }

  Pairs& pairs_;
  int bits_;
  int farthest_;  // the largest distance that is searched
  std::vector<SetNumber> hashed_;
  HashIndex index_;  // of the hashes of hashed_
};

class NearJoin {
 public:
  NearJoin(Pairs& pairs, const SimilarityOptions& options, bool want_below)
      : pairs_(pairs), least_(options.threshold.value() - (want_below ? kBelow : 0)) {
    for (SetNumber set = 0; set < pairs.size(); ++set) {
      const NearFeatures picture = read_near_features(pairs.features(set));
      hashes_.push_back({picture.whole, picture.inner});
    }
  }

  std::size_t size() const noexcept { return hashes_.size(); }

  void work_through(std::size_t begin, std::size_t end) const {
    Pairs::Finds finds(pairs_);
    for (auto a = static_cast<SetNumber>(begin); a < end; ++a) {
      const NearFeatures mine = read_near_features(pairs_.features(a));
      for (SetNumber b = a + 1; b < pairs_.size(); ++b) {
        if (!near_candidates(hashes_[a], hashes_[b]) || !finds.may_meet(a, b)) continue;
        const Overlap overlap = overlap_of_pictures(mine, read_near_features(pairs_.features(b)));
        if (overlap.jaccard() >= least_) finds.add(a, b, overlap);
      }
    }
    finds.hand_over();
  }

 private:
  Pairs& pairs_;
  double least_;
  std::vector<NearHashes> hashes_;
};

class SiftJoin {
 public:
  SiftJoin(Pairs& pairs, const SimilarityOptions& options, bool want_below)
      : pairs_(pairs),
        least_(want_below ? options.threshold.value() / 2 : options.threshold.value()),
        index_(pairs.size(),
               [&](SetNumber set) { return read_sift_features(pairs.features(set)); }) {}

  std::size_t size() const noexcept { return pairs_.size(); }

  void work_through(std::size_t begin, std::size_t end) const {
    Pairs::Finds finds(pairs_);
    WordIndex::Votes votes(index_);
    std::vector<std::uint32_t> found;
    for (auto a = static_cast<SetNumber>(begin); a < end; ++a) {
      const std::vector<VisualWord> mine = read_sift_features(pairs_.features(a));
      found.clear();
      index_.find(mine, a, votes, found);
      for (const SetNumber b : found) {
        if (!finds.may_meet(a, b)) continue;
        const Overlap overlap = overlap_of_words(mine, read_sift_features(pairs_.features(b)));
        if (overlap.jaccard() >= least_) finds.add(a, b, overlap);
      }
    }
    finds.hand_over();
  }

 private:
  Pairs& pairs_;
  double least_;
  WordIndex index_;
};

template <class Join>
void work_through(const Join& join, const SimilarityOptions& options) {
  std::mutex mutex;
  std::uint64_t done = 0;
  parallel_for(resolve_threads(options.threads), join.size(), kSetsPerPiece,
               [&](std::size_t begin, std::size_t end) {
                 throw_if_stopped(options.stop);
                 join.work_through(begin, end);
                 std::lock_guard lock(mutex);
                 done += end - begin;
                 if (options.progress) options.progress({"verify", done, join.size()});
               });
}

}  // namespace

PicturePairs join_pictures(const SketchTable& table, const DistinctSets& sets,
                           const SimilarityOptions& options, BelowSample* below) {
  const bool want_below = below != nullptr;
  Pairs pairs(table, sets, options.threshold, below);
  switch (options.config.features.comparison()) {
    case Comparison::kSets:
      break;  // sets are found by candidates, and never here
    case Comparison::kHashes:
      work_through(HashJoin(pairs, options, want_below), options);
      break;
    case Comparison::kPictures:
      work_through(NearJoin(pairs, options, want_below), options);
      break;
    case Comparison::kDetails:
      work_through(SiftJoin(pairs, options, want_below), options);
      break;
  }
  return pairs.finish();
}

}  // namespace benzer
