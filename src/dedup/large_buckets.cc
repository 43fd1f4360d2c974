#include "dedup/large_buckets.h"

#include <algorithm>

#include "dedup/sketch_pass.h"

namespace benzer {

LargeBuckets::LargeBuckets(const Corpus& corpus, const FeatureExtractor& extractor,
                           const SketchTable& table, const DistinctSets& sets,
                           const Candidates& candidates, const SimilarityOptions& options,
                           bool want_below)
    : sets_(sets),
      options_(options),
      workspace_(table.workspace()),
      filter_(options),
      cut_signatures_(table.cut_signatures()),
      kept_(candidates.large_buckets.size()),
      similar_(workspace_, workspace_.share(32)),
      below_(workspace_, workspace_.share(32)) {
  if (kept_.empty()) return;
  std::size_t count = 0;
  for (const auto& bucket : candidates.large_buckets) count += bucket.sets.size();
  memberships_.reserve(count);
  is_member_.resize(sets.size());
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
  verifier_.emplace(corpus, extractor, table, sets, cache_bytes(workspace_), options.threshold,
                    want_below);
}

std::span<LargeBuckets::Membership> LargeBuckets::memberships(SetNumber set) {
  if (is_member_.empty() || !is_member_[set]) return {};
  const auto before = [](const Membership& x, SetNumber y) { return x.set < y; };
  const auto begin = std::lower_bound(memberships_.begin(), memberships_.end(), set, before);
  auto end = begin;
  while (end != memberships_.end() && end->set == set) ++end;
  return {begin, end};
}

Witness LargeBuckets::best_kept(SetNumber set, std::span<const Neighbour> known) {
  const std::span<Membership> buckets = memberships(set);
  if (buckets.empty()) return {};
  check_stop(options_);
  passed_.clear();
  const std::uint8_t* signature = cut_signatures_.one(sets_.document[set]);
  for (Membership& membership : buckets) {
    const Kept& kept = kept_[membership.bucket];
    const std::size_t count = kept.sets.size();
    compared_ += count - membership.seen;
    for (std::size_t i = membership.seen; (i = filter_.next(signature, kept.signatures, i)) < count;
         ++i)
      passed_.push_back(kept.sets[i]);
    membership.seen = static_cast<std::uint32_t>(count);
  }
  // Most share several bands.
  std::sort(passed_.begin(), passed_.end());
  passed_.erase(std::unique(passed_.begin(), passed_.end()), passed_.end());

  Witness& witness = best_[static_cast<std::size_t>(buckets.data() - memberships_.data())];
  auto next_known = known.begin();
  for (const SetNumber kept : passed_) {
    if (kept == set) continue;  // references are kept, and asked for again by their copies
    while (next_known != known.end() && next_known->set < kept) ++next_known;
    if (next_known != known.end() && next_known->set == kept) continue;
    check_stop(options_);
    const auto [a, b] = std::minmax(kept, set);
    const std::optional<double> score = verifier_->compare(a, b, set);
    if (!score) continue;
    similar_.add({a, b, *score});
    witness.offer(kept, *score);
  }
  for (const VerifiedPair& pair : verifier_->take_below()) below_.add(pair);
  return witness;
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
  kept_bytes_ += buckets.size() * (filter_.slots() + sizeof(SetNumber));
  if (kept_bytes_ > workspace_.share(8)) throw_too_much_boilerplate(workspace_.limit());
}

}  // namespace benzer
