#include "dedup/picture_join.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "benzer/runtime.h"

#include "base/parallel.h"
#include "dedup/below_sample.h"
#include "dedup/picture_methods.h"
#include "dedup/sketch_pass.h"

namespace benzer {
namespace {

// Sets that are compared at a time. Which pairs are compared does not depend on it.
constexpr std::size_t kBlock = 256;
constexpr std::size_t kSetsPerPiece = 4;
// A kept set that is similar to more earlier ones than this has a large cluster.
constexpr std::uint32_t kLargeCluster = 64;

// Collects pairs from all threads.
class Pairs {
 public:
  Pairs(const SketchTable& table, const DistinctSets& sets, const Threshold& threshold,
        BelowSample* below)
      : sets_(sets),
        threshold_(threshold),
        neighbours_(table.workspace(), table.workspace().share(16)),
        below_(below) {
    auto facts = table.facts();
    for (const std::uint32_t document : sets.document)
      groups_.push_back(facts.one(document)->group);
  }

  // Collects the pairs that one thread finds, until it hands them over. Each pair must be added
  // once.
  class Finds {
   public:
    explicit Finds(Pairs& pairs) : pairs_(pairs) {}

    // Returns true if the two are similar.
    bool add(SetNumber a, SetNumber b, const Overlap& overlap) {
      const bool is_similar = pairs_.threshold_.reached(overlap.intersection, overlap.set_union);
      found_.push_back({{std::min(a, b), std::max(a, b), overlap.jaccard()}, is_similar});
      return is_similar;
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
    std::vector<std::pair<ScoredPair, bool>> found_;
  };

  // Returns true if the two may be a pair: they are of one group, and not both references.
  bool may_meet(SetNumber a, SetNumber b) const {
    return groups_[a] == groups_[b] && (!sets_.only_references[a] || !sets_.only_references[b]);
  }

  PicturePairs finish() {
    PicturePairs out;
    out.neighbours = neighbours_.finish();
    out.compared = out.neighbours.size() / 2 + below_threshold_;
    return out;
  }

 private:
  const DistinctSets& sets_;
  const Threshold& threshold_;
  std::vector<std::uint64_t> groups_;  // of each set
  std::mutex mutex_;
  Sorter<Neighbour> neighbours_;
  BelowSample* below_;  // null: pairs below the threshold are only counted
  std::uint64_t below_threshold_ = 0;
};

// Compares each set with earlier ones: with all, or with those of which a leader pass needs it.
template <class Method>
class Join {
 public:
  Join(Method method, Pairs& pairs, const SketchTable& table, const DistinctSets& sets,
       const SimilarityOptions& options, PicturesCompared which)
      : method_(std::move(method)),
        pairs_(pairs),
        sets_(sets),
        options_(options),
        threads_(resolve_threads(options.threads)),
        references_(table.references),
        all_(which == PicturesCompared::kAll) {
    if (all_) return;
    state_.resize(sets.size());
    similar_to_.resize(sets.size());
    has_copies_.resize(sets.size());
    for (const std::uint32_t document : sets.order)
      if (const SetNumber set = sets.set_of[document]; document != sets.document[set])
        has_copies_[set] = true;
  }

  void run() {
    for (SetNumber begin = 0; begin < sets_.size(); begin += kBlock) {
      block_begin_ = begin;
      block_.resize(std::min<std::size_t>(kBlock, sets_.size() - begin));
      compare_with_earlier_blocks();
      if (!all_) {
        choose();
        compare_with_listed();
      }
      std::vector<SetNumber> listed;
      for (SetNumber set = begin; set < begin + block_.size(); ++set)
        if (all_ || state_[set] != State::kUnlisted) listed.push_back(set);
      method_.add(listed);
    }
    if (!all_) compare_later_copies();
  }

 private:
  using Features = typename Method::Features;
  using Finds = Pairs::Finds;
  // kListed: removed, but later sets are compared with it. kUnlisted: removed.
  enum class State : std::uint8_t { kKept, kListed, kUnlisted };

  // A set of the block.
  struct One {
    Features features;
    std::vector<bool> candidates;    // of the earlier sets of the block
    std::vector<SetNumber> similar;  // kept ones
    std::vector<SetNumber> listed;   // candidates of earlier blocks that are listed
  };

  SetNumber set_of(std::size_t place) const { return block_begin_ + static_cast<SetNumber>(place); }

  // Returns true if the two are similar.
  bool compare(SetNumber a, const Features& of_a, SetNumber b, const Features& of_b,
               Finds& finds) const {
    throw_if_stopped(options_.stop);
    const Overlap overlap = method_.overlap(of_a, of_b);
    return overlap.jaccard() >= method_.least() && finds.add(a, b, overlap);
  }

  void add_progress(std::uint64_t sets) {
    std::lock_guard lock(mutex_);
    done_ += sets;
    if (options_.progress) options_.progress({"verify", done_, sets_.size()});
  }

  // Calls body(i, finds) for each i below count, in parallel.
  template <class Body>
  void for_each(std::size_t count, std::size_t grain, const Body& body) {
    parallel_for(threads_, count, grain, [&](std::size_t begin, std::size_t end) {
      Finds finds(pairs_);
      for (std::size_t i = begin; i < end; ++i) {
        throw_if_stopped(options_.stop);
        body(i, finds);
      }
      finds.hand_over();
    });
  }

  void compare_with_earlier_blocks() {
    for_each(block_.size(), kSetsPerPiece, [&](std::size_t place, Finds&) {
      block_[place] = {};
      block_[place].features = method_.read(set_of(place));
    });
    for_each(block_.size(), kSetsPerPiece, [&](std::size_t place, Finds& finds) {
      One& one = block_[place];
      const SetNumber set = set_of(place);
      std::vector<SetNumber> found;
      method_.search(one.features, LookedUp::kSecond, found);
      for (const SetNumber other : found) {
        if (!pairs_.may_meet(other, set)) continue;
        if (!all_ && state_[other] == State::kListed)
          one.listed.push_back(other);
        else if (compare(other, method_.read(other), set, one.features, finds) && !all_)
          one.similar.push_back(other);
      }
      one.candidates.resize(place);
      for (std::size_t i = 0; i < place; ++i) {
        if (!pairs_.may_meet(set_of(i), set)) continue;
        if (!method_.is_candidate(block_[i].features, one.features)) continue;
        if (all_)
          compare(set_of(i), block_[i].features, set, one.features, finds);
        else
          one.candidates[i] = true;
      }
      add_progress(1);
    });
  }

  // Decides which sets of the block are kept, as choose_leaders() does for their first documents,
  // and compares the others with these.
  void choose() {
    std::vector<std::size_t> later;
    std::vector<char> is_similar;
    for (std::size_t place = 0; place < block_.size(); ++place) {
      const SetNumber set = set_of(place);
      const One& one = block_[place];
      const bool is_kept = sets_.document[set] < references_ || one.similar.empty();
      bool is_listed = true;
      for (const SetNumber kept : one.similar) is_listed &= similar_to_[kept]++ < kLargeCluster;
      state_[set] = is_kept ? State::kKept : is_listed ? State::kListed : State::kUnlisted;
      if (state_[set] == State::kUnlisted && has_copies_[set]) unlisted_.push_back(set);
      if (!is_kept) continue;
      later.clear();
      for (std::size_t other = place + 1; other < block_.size(); ++other)
        if (block_[other].candidates[place]) later.push_back(other);
      is_similar.assign(later.size(), 0);
      for_each(later.size(), Method::kPairsPerThread, [&](std::size_t i, Finds& finds) {
        One& other = block_[later[i]];
        is_similar[i] = compare(set, one.features, set_of(later[i]), other.features, finds);
      });
      for (std::size_t i = 0; i < later.size(); ++i)
        if (is_similar[i]) block_[later[i]].similar.push_back(set);
      add_progress(0);
    }
  }

  // Compares the sets of the block, but for those of large clusters, with earlier listed ones.
  void compare_with_listed() {
    for_each(block_.size(), 1, [&](std::size_t place, Finds& finds) {
      const SetNumber set = set_of(place);
      if (state_[set] == State::kUnlisted) return;
      const One& one = block_[place];
      for (const SetNumber other : one.listed)
        compare(other, method_.read(other), set, one.features, finds);
      for (std::size_t i = 0; i < place; ++i)
        if (one.candidates[i] && state_[set_of(i)] == State::kListed)
          compare(set_of(i), block_[i].features, set, one.features, finds);
      add_progress(0);
    });
  }

  // Compares the sets that are not listed with later kept ones, since a later copy of them may have
  // a better keeper among these.
  void compare_later_copies() {
    for_each(unlisted_.size(), 1, [&](std::size_t i, Finds& finds) {
      const SetNumber set = unlisted_[i];
      const Features features = method_.read(set);
      std::vector<SetNumber> found;
      method_.search(features, LookedUp::kFirst, found);
      for (const SetNumber other : found)
        if (other > set && state_[other] == State::kKept && pairs_.may_meet(set, other))
          compare(set, features, other, method_.read(other), finds);
      add_progress(0);
    });
  }

  Method method_;
  Pairs& pairs_;
  const DistinctSets& sets_;
  const SimilarityOptions& options_;
  const int threads_;
  const std::uint32_t references_;  // this many documents, the first ones
  const bool all_;
  std::vector<State> state_;  // of each set that has had its turn
  std::vector<std::uint32_t>
      similar_to_;                   // of each kept set: how many sets had it as a similar one
  std::vector<bool> has_copies_;     // of each set: it has several documents
  std::vector<SetNumber> unlisted_;  // those that have
  SetNumber block_begin_ = 0;
  std::vector<One> block_;
  std::mutex mutex_;
  std::uint64_t done_ = 0;
};

}  // namespace

PicturePairs join_pictures(const SketchTable& table, const DistinctSets& sets,
                           const SimilarityOptions& options, PicturesCompared which,
                           BelowSample* below) {
  const bool want_below = below != nullptr;
  const FeaturesOfSet features = [&](SetNumber set) {
    return table.sets[sets.document[set]].features();
  };
  Pairs pairs(table, sets, options.threshold, below);
  const auto run = [&](auto method) {
    Join(std::move(method), pairs, table, sets, options, which).run();
  };
  switch (options.config.features.comparison()) {
    case Comparison::kSets:
      break;  // sets are found by candidates, and never here
    case Comparison::kHashes:
      run(HashMethod(features, options.config.features.hash_bits(), options.threshold, want_below));
      break;
    case Comparison::kPictures:
      run(NearMethod(features, options.threshold, want_below));
      break;
    case Comparison::kDetails:
      run(SiftMethod(features, options.threshold, want_below));
      break;
  }
  return pairs.finish();
}

}  // namespace benzer
