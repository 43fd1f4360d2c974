#include "dedup/bucket_index.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "benzer/runtime.h"

#include "base/parallel.h"
#include "base/pool.h"
#include "base/splitmix.h"
#include "dedup/sketch_pass.h"

namespace benzer {
namespace {

// The most entries that a find() may look at.
constexpr std::size_t kMostEntries = std::size_t{1} << 14;
constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr std::size_t kSetsPerPiece = 256;

// What one thread reads the features and groups of members with.
struct MemberReader {
  FeatureCache cache;
  ColumnReader<DocumentFacts> facts;
};

}  // namespace

BucketIndex::BucketIndex(const SketchedCorpus& sketched, const DedupOptions& options,
                         Verifier& verifier)
    : sketched_(sketched),
      sets_(sketched.sets),
      options_(options),
      verifier_(verifier),
      facts_(sketched.table.facts()),
      may_grow_(!options.config.features.is_weighted()) {}

void BucketIndex::make(std::vector<SetNumber> members) {
  // In the order of documents, so that files are read from front to back.
  std::sort(members.begin(), members.end(),
            [&](SetNumber x, SetNumber y) { return sets_.document[x] < sets_.document[y]; });
  std::uint64_t features = 0;
  for (const SetNumber set : members) {
    const DocumentFacts& facts = *facts_.one(sets_.document[set]);
    features += facts.features;
    groups_.try_emplace(facts.group, facts.group == 0 ? 0 : splitmix64(groups_.size() + 1));
  }
  index_.emplace(options_.threshold, features, options_.measure);
  Pool<MemberReader> readers;
  const auto make_reader = [&] {
    return std::make_unique<MemberReader>(
        MemberReader{{sketched_, 0, options_.stop}, sketched_.table.facts()});
  };
  const auto count = [&](std::size_t begin, std::size_t end) {
    std::unique_ptr<MemberReader> reader = readers.take(make_reader);
    for (std::size_t i = begin; i < end; ++i) {
      throw_if_stopped(options_.stop);
      const std::uint64_t group = reader->facts.one(sets_.document[members[i]])->group;
      index_->count(reader->cache.of(members[i]).features, groups_.find(group)->second);
    }
    readers.give(std::move(reader));
  };
  parallel_for(resolve_threads(options_.threads), members.size(), kSetsPerPiece, count);
}

void BucketIndex::add(SetNumber set) {
  if (!index_) return;
  if (index_->bytes() > sketched_.table.workspace().share(8, kMostBytes)) {
    index_.reset();
    may_grow_ = false;
    return;
  }
  index_->add(verifier_.features(set), group_of(set));
}

const std::vector<std::uint32_t>* BucketIndex::find(SetNumber set) {
  if (!index_) return nullptr;
  found_.clear();
  const std::uint64_t group = group_of(set);
  return index_->find(verifier_.features(set), group, kMostEntries, found_) ? &found_ : nullptr;
}

std::uint64_t BucketIndex::group_of(SetNumber set) {
  return groups_.find(facts_.one(sets_.document[set])->group)->second;
}

void keep_most_promising(const SignatureFilter& filter, const std::uint8_t* signature,
                         ColumnReader<std::uint8_t>& signatures, const DistinctSets& sets,
                         std::size_t most, std::vector<SetNumber>& found) {
  std::vector<std::pair<std::uint32_t, SetNumber>> ranked;
  for (const SetNumber set : found)
    ranked.emplace_back(~filter.equal(signature, signatures.one(sets.document[set])), set);
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(most, ranked.size()));
  found.clear();
  for (const auto& [disagreement, set] : ranked) found.push_back(set);
  std::sort(found.begin(), found.end());
}

}  // namespace benzer
