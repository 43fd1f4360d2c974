#include "dedup/large_buckets.h"

#include <algorithm>
#include <utility>

#include <xxhash.h>

#include "benzer/runtime.h"

#include "dedup/below_sample.h"
#include "dedup/sketch_pass.h"

namespace benzer {

LargeBuckets::LargeBuckets(const SketchedCorpus& sketched, const Candidates& candidates,
                           const DedupOptions& options, BelowSample* below)
    : KeptSearch(sketched, options, below),
      filter_(options),
      cut_signatures_(sketched.table.cut_signatures()),
      other_signatures_(sketched.table.cut_signatures()),
      facts_(sketched.table.facts()),
      kept_(candidates.large_buckets.size()),
      references_(sketched.table.references) {
  if (kept_.empty()) return;
  std::size_t count = 0;
  for (const auto& bucket : candidates.large_buckets) count += bucket.sets.size();
  memberships_.reserve(count);
  is_member_.resize(sets_.size());
  for (std::uint32_t bucket = 0; bucket < kept_.size(); ++bucket) {
    for (const SetNumber set : candidates.large_buckets[bucket].sets) {
      memberships_.push_back({set, bucket});
      is_member_[set] = true;
    }
  }
  std::sort(memberships_.begin(), memberships_.end(), [](const Membership& x, const Membership& y) {
    return x.set != y.set ? x.set < y.set : x.bucket < y.bucket;
  });
  best_.resize(memberships_.size());
  asked_.resize(memberships_.size());
  start(sketched);
}

std::span<LargeBuckets::Membership> LargeBuckets::memberships(SetNumber set) {
  if (is_member_.empty() || !is_member_[set]) return {};
  const auto before = [](const Membership& x, SetNumber y) { return x.set < y; };
  const auto begin = std::lower_bound(memberships_.begin(), memberships_.end(), set, before);
  auto end = begin;
  while (end != memberships_.end() && end->set == set) ++end;
  return {begin, end};
}

bool LargeBuckets::share_bucket(std::span<const Membership> x,
                                std::span<const Membership> y) const noexcept {
  for (auto i = x.begin(), j = y.begin(); i != x.end() && j != y.end();) {
    if (i->bucket == j->bucket) return true;
    ++(i->bucket < j->bucket ? i : j);
  }
  return false;
}

// Collects the kept sets of its buckets whose signatures pass the filter with that of the set.
void LargeBuckets::scan(SetNumber set, std::span<const Membership> buckets) {
  const bool is_cut = work_ > options_.effort.whole;
  const std::size_t most = is_cut ? kMostSignatures / buckets.size() : ~std::size_t{0};
  bool is_whole = true;
  const std::uint8_t* signature = cut_signatures_.one(sets_.document[set]);
  for (const Membership& membership : buckets) {
    const Kept& kept = kept_[membership.bucket];
    const std::size_t count = kept.sets.size();
    // If not all can be compared, the latest are, which are as good as any others.
    const std::size_t begin =
        std::max<std::size_t>(membership.seen, count > most ? count - most : 0);
    is_whole &= begin == membership.seen;
    for (std::size_t i = begin; (i = filter_.next(signature, kept.signatures, i)) < count; ++i)
      passed_.push_back(kept.sets[i]);
    work_ += (count - begin) * filter_.slots() / 64;
  }
  if (!is_whole) cut_short_.add(set, sets_.size());
  // Most of these sets share several buckets, and so occur several times.
  std::sort(passed_.begin(), passed_.end());
  passed_.erase(std::unique(passed_.begin(), passed_.end()), passed_.end());
}

// Collects the same sets from the index, except those that cannot be similar. Returns false if the
// index gives no answer.
bool LargeBuckets::ask_index(SetNumber set, std::span<const Membership> buckets) {
  const std::vector<std::uint32_t>* found = index_->find(set);
  if (!found) return false;
  const std::size_t asked = asked_[static_cast<std::size_t>(buckets.data() - memberships_.data())];
  const std::uint8_t* signature = cut_signatures_.one(sets_.document[set]);
  for (const std::uint32_t number : *found) {
    const SetNumber kept = all_kept_[number];
    if (number >= asked && share_bucket(buckets, memberships(kept)) &&
        filter_.passes(signature, other_signatures_.one(sets_.document[kept])))
      passed_.push_back(kept);
  }
  std::sort(passed_.begin(), passed_.end());
  return true;
}

MostSimilar LargeBuckets::best_kept(SetNumber set, std::span<const Neighbour> known) {
  const std::span<Membership> buckets = memberships(set);
  if (buckets.empty()) return {};
  throw_if_stopped(options_.stop);
  passed_.clear();
  if (!ask_index(set, buckets)) scan(set, buckets);
  for (Membership& membership : buckets) {
    const std::size_t count = kept_[membership.bucket].sets.size();
    compared_ += count - membership.seen;
    membership.seen = static_cast<std::uint32_t>(count);
  }
  const auto place = static_cast<std::size_t>(buckets.data() - memberships_.data());
  asked_[place] = static_cast<std::uint32_t>(all_kept_.size());
  auto next_known = known.begin();
  std::erase_if(passed_, [&](SetNumber kept) {
    while (next_known != known.end() && next_known->set < kept) ++next_known;
    return next_known != known.end() && next_known->set == kept;
  });
  if (work_ > options_.effort.whole && passed_.size() > options_.effort.candidates) {
    keep_most_promising(filter_, cut_signatures_.one(sets_.document[set]), other_signatures_, sets_,
                        options_.effort.candidates, passed_);
    cut_short_.add(set, sets_.size());
  }

  MostSimilar& keeper = best_[place];
  const std::uint32_t features = facts_.one(sets_.document[set])->features;
  for (const SetNumber kept : passed_) {
    throw_if_stopped(options_.stop);
    const auto [a, b] = std::minmax(kept, set);
    const std::optional<double> score = verifier_->compare(a, b, set);
    work_ += 64 + features;
    if (!score) continue;
    ++confirmed_;
    if (options_.collect != Collect::kNothing) similar_.add({a, b, *score});
    keeper.offer(kept, *score);
  }
  add_below();
  if (index_->is_due(work_)) make_index(members());
  return keeper;
}

std::uint64_t LargeBuckets::hash_of_signature(SetNumber set) {
  return XXH3_64bits(cut_signatures_.one(sets_.document[set]), filter_.slots());
}

MostSimilar LargeBuckets::first_equal(SetNumber reference) {
  const std::span<Membership> buckets = memberships(reference);
  if (buckets.empty()) return {};
  const auto place = static_cast<std::size_t>(buckets.data() - memberships_.data());
  MostSimilar& equal = best_[place];
  if (std::exchange(asked_[place], 1) != 0) return equal;
  const std::uint32_t features = facts_.one(sets_.document[reference])->features;
  // Equal sets have equal signatures. Sets that differ in little of much may have them, too.
  std::size_t compared = 0;
  for (const SetNumber kept : kept_references_[hash_of_signature(reference)]) {
    if (kept >= reference || equal.is_known()) break;
    if (work_ > options_.effort.whole && ++compared > options_.effort.candidates) break;
    throw_if_stopped(options_.stop);
    if (verifier_->compare(kept, reference, reference) == 1.0) equal.offer(kept, 1.0);
    work_ += 64 + features;
  }
  verifier_->take_below();  // pairs of references
  return equal;
}

std::vector<SetNumber> LargeBuckets::members() const {
  std::vector<SetNumber> members;
  for (const Membership& membership : memberships_)
    if (members.empty() || members.back() != membership.set) members.push_back(membership.set);
  return members;
}

void LargeBuckets::keep(SetNumber set) {
  const std::span<Membership> buckets = memberships(set);
  if (buckets.empty()) return;
  const std::uint8_t* signature = cut_signatures_.one(sets_.document[set]);
  for (const Membership& membership : buckets) {
    Kept& kept = kept_[membership.bucket];
    kept.sets.push_back(set);
    kept.signatures.insert(kept.signatures.end(), signature, signature + filter_.slots());
  }
  all_kept_.push_back(set);
  if (sets_.document[set] < references_) kept_references_[hash_of_signature(set)].push_back(set);
  index_->add(set);
  kept_bytes_ += buckets.size() * (filter_.slots() + sizeof(SetNumber));
  if (kept_bytes_ > workspace_.share(8)) throw_too_much_boilerplate(workspace_.limit());
}

}  // namespace benzer
