#include "dedup/common_anchors.h"

#include <algorithm>
#include <utility>

#include "benzer/runtime.h"

#include "dedup/below_sample.h"
#include "dedup/sketch_pass.h"

namespace benzer {
namespace {

// What it takes to read a set again, for each of its features, in the unit of Effort. It is ten
// times as much, but so are comparisons of sets that a cache does not hold, which read them, too.
constexpr std::uint64_t kReading = 1;

}  // namespace

CommonAnchors::CommonAnchors(const SketchedCorpus& sketched, const Candidates& candidates,
                             const AnchorPlan& plan, const DedupOptions& options,
                             BelowSample* below)
    : KeptSearch(sketched, options, below), kept_(candidates.common_anchors.size()) {
  if (kept_.empty()) return;
  is_member_.resize(sets_.size());
  for (std::uint32_t anchor = 0; anchor < kept_.size(); ++anchor) {
    for (const SetNumber set : candidates.common_anchors[anchor].holders) {
      held_.push_back({set, anchor});
      is_member_[set] = true;
    }
    for (const SetNumber set : candidates.common_anchors[anchor].anchor_of)
      anchors_of_.push_back({set, anchor});
  }
  std::sort(held_.begin(), held_.end());
  for (SetNumber set = 0; set < sets_.size(); ++set)
    if (is_member_[set]) reading_ += kReading * sets_.sizes[set];
  std::sort(anchors_of_.begin(), anchors_of_.end());
  const NeededAnchors needed(plan, options.threshold);
  for (std::uint32_t i = 0; i < anchors_of_.size(); ++i) {
    const SetNumber set = anchors_of_[i].set;
    if (asked_.empty() || asked_.back().set != set)
      asked_.push_back({set, i, i, needed.needed(sets_.sizes[set])});
    asked_.back().end = i + 1;
  }
  start(sketched);
}

CommonAnchors::Asked* CommonAnchors::find_asked(SetNumber set) {
  const auto at = std::lower_bound(asked_.begin(), asked_.end(), set,
                                   [](const Asked& one, SetNumber s) { return one.set < s; });
  return at != asked_.end() && at->set == set ? &*at : nullptr;
}

std::span<const CommonAnchors::Membership> CommonAnchors::held_by(SetNumber set) const {
  const auto begin = std::lower_bound(held_.begin(), held_.end(), Membership{set, 0});
  auto end = begin;
  while (end != held_.end() && end->set == set) ++end;
  return {begin, end};
}

// Collects the kept sets that have enough of the anchors.
void CommonAnchors::scan(const Asked& asked) {
  const bool is_cut = work_ > options_.effort.whole;
  const std::size_t most = is_cut ? kMostSignatures / (asked.end - asked.begin) : ~std::size_t{0};
  bool is_whole = true;
  std::vector<std::uint32_t> touched;
  for (std::uint32_t i = asked.begin; i < asked.end; ++i) {
    const std::vector<std::uint32_t>& kept = kept_[anchors_of_[i].anchor];
    const auto seen = static_cast<std::size_t>(
        std::lower_bound(kept.begin(), kept.end(), asked.seen) - kept.begin());
    // If not all can be looked at, the latest are, which are as good as any others.
    const std::size_t begin =
        std::max(seen, kept.size() > most ? kept.size() - most : std::size_t{0});
    is_whole &= begin == seen;
    for (std::size_t k = begin; k < kept.size(); ++k)
      if (counts_[kept[k]]++ == 0) touched.push_back(kept[k]);
    work_ += kept.size() - begin;
  }
  if (!is_whole) cut_short_.add(asked.set, sets_.size());
  std::sort(touched.begin(), touched.end());
  for (const std::uint32_t number : touched) {
    const std::uint32_t anchors = std::exchange(counts_[number], 0);
    if (anchors >= asked.needed) found_.push_back({all_kept_[number], anchors});
  }
}

// Collects the same sets from the index, except those that do not contain the set. Returns false if
// the index gives no answer.
bool CommonAnchors::ask_index(const Asked& asked) {
  const std::vector<std::uint32_t>* numbers = index_->find(asked.set);
  if (!numbers) return false;
  const std::span<const Membership> own =
      std::span(anchors_of_).subspan(asked.begin, asked.end - asked.begin);
  for (const std::uint32_t number : *numbers) {
    if (number < asked.seen) continue;
    const std::span<const Membership> held = held_by(all_kept_[number]);
    std::uint32_t anchors = 0;
    for (auto i = own.begin(), j = held.begin(); i != own.end() && j != held.end();) {
      anchors += i->anchor == j->anchor;
      const bool step_i = i->anchor <= j->anchor, step_j = j->anchor <= i->anchor;
      i += step_i;
      j += step_j;
    }
    if (anchors >= asked.needed) found_.push_back({all_kept_[number], anchors});
  }
  return true;
}

// Compares the sets that were found. Whatever comes after a set that contains all of this one is no
// better.
void CommonAnchors::compare(Asked& asked) {
  const SetNumber set = asked.set;
  std::sort(found_.begin(), found_.end(),
            [](const Found& x, const Found& y) { return x.set < y.set; });
  for (const Found& kept : found_) {
    if (asked.best.score == 1) break;
    throw_if_stopped(options_.stop);
    const auto [a, b] = std::minmax(kept.set, set);
    const std::optional<double> score = verifier_->compare(a, b, set);
    work_ += 64 + sets_.sizes[kept.set];
    if (!score) continue;
    ++confirmed_;
    if (options_.collect != Collect::kNothing) similar_.add({a, b, *score});
    if (const auto share = removal_score(sets_, options_, set, kept.set, *score))
      asked.best.offer(kept.set, *share);
  }
}

void CommonAnchors::find(Asked& asked) {
  throw_if_stopped(options_.stop);
  found_.clear();
  if (asked.best.score < 1 && !ask_index(asked)) scan(asked);
  compared_ += found_.size();
  asked.seen = static_cast<std::uint32_t>(all_kept_.size());
}

MostSimilar CommonAnchors::first_equal(SetNumber reference) {
  Asked* const asked = find_asked(reference);
  if (!asked) return {};
  if (asked->seen > 0) return asked->best;  // all references were kept before
  find(*asked);
  // What contains all of a set has all of its anchors.
  std::erase_if(found_, [&](const Found& kept) {
    return kept.set >= reference || kept.anchors < asked->end - asked->begin;
  });
  std::sort(found_.begin(), found_.end(),
            [](const Found& x, const Found& y) { return x.set < y.set; });
  if (work_ > options_.effort.whole && found_.size() > options_.effort.candidates)
    found_.resize(options_.effort.candidates);
  for (const Found& kept : found_) {
    throw_if_stopped(options_.stop);
    const std::optional<double> score = verifier_->compare(kept.set, reference, reference);
    work_ += 64 + sets_.sizes[kept.set];
    if (!score || removal_score(sets_, options_, reference, kept.set, *score) != 1.0) continue;
    asked->best.offer(kept.set, 1.0);
    break;
  }
  verifier_->take_below();  // pairs of references
  return asked->best;
}

MostSimilar CommonAnchors::best_kept(SetNumber set, std::span<const Neighbour> known) {
  Asked* const asked = find_asked(set);
  if (!asked) return {};
  find(*asked);
  std::erase_if(found_, [&](const Found& kept) {
    return std::ranges::any_of(known, [&](const Neighbour& one) { return one.set == kept.set; });
  });
  const std::size_t most = options_.effort.candidates;
  if (work_ > options_.effort.whole && found_.size() > most) {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Found& x, const Found& y) { return x.anchors > y.anchors; });
    found_.resize(most);
    cut_short_.add(set, sets_.size());
  }
  compare(*asked);
  add_below();
  // The index pays as soon as more was done than it takes to read the sets again.
  if (index_->is_due(work_ > reading_ ? ~std::uint64_t{0} : work_)) make_index(members());
  return asked->best;
}

std::vector<SetNumber> CommonAnchors::members() const {
  std::vector<SetNumber> members;
  for (const Membership& one : held_)
    if (members.empty() || members.back() != one.set) members.push_back(one.set);
  return members;
}

void CommonAnchors::keep(SetNumber set) {
  if (is_member_.empty() || !is_member_[set]) return;
  for (const Membership& one : held_by(set))
    kept_[one.anchor].push_back(static_cast<std::uint32_t>(all_kept_.size()));
  all_kept_.push_back(set);
  counts_.push_back(0);
  index_->add(set);
}

}  // namespace benzer
