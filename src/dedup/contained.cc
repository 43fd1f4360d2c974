#include "dedup/contained.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "benzer/runtime.h"

#include "base/key_filter.h"
#include "base/parallel.h"
#include "base/pool.h"
#include "dedup/anchors.h"
#include "dedup/document.h"
#include "dedup/fingerprint.h"

namespace benzer {
namespace {

// Where the pairs of one anchor are more than these, dedup() works through kept documents only. The
// square of the sets that a bucket of bands may have.
constexpr std::uint64_t kMostPairs = 64 * 64;

// Lists that only this step needs go to temporary files beyond this size, with or without a memory
// limit.
constexpr std::size_t kMostJoinBytes = std::size_t{256} << 20;

constexpr std::size_t kBytesPerHolder = 32;  // here and in CommonAnchors

// A set that has a feature which is an anchor of some set. The key is the feature and the group.
struct AnchorEntry {
  std::uint64_t key;
  SetNumber set;
  std::uint32_t is_anchor;  // 1: of this set
  friend auto operator<=>(const AnchorEntry&, const AnchorEntry&) = default;
};

// What is known of the anchors of all sets before and during the second reading.
struct AnchorFilters {
  KeyFilter anchors;   // of any set
  KeyFilter repeated;  // of more than one set
  KeyFilter hit;       // that are in a set whose anchor they are not
};

// Calls visit(key, set) for every anchor of every set.
template <class Visit>
void for_each_anchor(const SketchedCorpus& sketched, const NeededAnchors& needed,
                     const std::atomic<bool>* stop, Visit visit) {
  const DistinctSets& sets = sketched.sets;
  for (std::size_t place = 0; place < sketched.table.bands(); ++place) {
    throw_if_stopped(stop);
    auto keys = sketched.table.keys(place);
    for (std::uint32_t document = 0; document < sketched.table.size(); ++document) {
      if (!sets.is_first[document]) continue;
      const SetNumber set = sets.set_of[document];
      if (place < needed.anchors(sets.sizes[set])) visit(*keys.row(document), set);
    }
  }
}

// Looks the features of all documents up among the anchors.
class LookUpVisitor : public DocumentVisitor {
 public:
  LookUpVisitor(const SketchedCorpus& sketched, const AnchorPlan& plan,
                const SimilarityOptions& options, AnchorFilters& filters,
                Sorter<AnchorEntry>& entries)
      : sketched_(sketched),
        plan_(plan),
        options_(options),
        fingerprinter_(sketched.table.has_secret_fingerprints),
        room_(options.memory_limit),
        filters_(filters),
        entries_(entries) {}

  std::unique_ptr<Block> start_block() override {
    throw_if_stopped(options_.stop);
    return blocks_.take([this] { return std::make_unique<LookUpBlock>(*this); });
  }

  void finish_block(std::unique_ptr<Block> finished) override {
    auto& block = static_cast<LookUpBlock&>(*finished);
    block.hand_over(*this);
    if (options_.progress) options_.progress({"look up", next_document_, sketched_.table.size()});
    blocks_.give(std::move(finished));
  }

 private:
  class LookUpBlock : public Block {
   public:
    explicit LookUpBlock(LookUpVisitor& visitor)
        : visitor_(visitor),
          buffer_(visitor.options_.stop),
          own_(visitor.plan_.anchors, visitor.options_.config.features.seed) {}

    void add(const DocumentView& document) override {
      const MemoryRoom::Part part =
          visitor_.room_.take(extraction_bytes(document, visitor_.options_.config.features));
      const std::uint64_t group = visitor_.fingerprinter_.group(document.group);
      const std::size_t begin = found_.size();
      own_.clear();
      const auto look_up = [&](std::span<const std::uint64_t> features) {
        throw_if_stopped(visitor_.options_.stop);
        own_.add(features);
        collect(features, group);
      };
      extract_features(visitor_.sketched_.extractor, document, buffer_, std::ref(look_up));
      reduce(begin, group);
      ends_.push_back(found_.size());
      if (part) buffer_ = FeatureBuffer(visitor_.options_.stop);
    }

    void hand_over(LookUpVisitor& to) {
      std::size_t next = 0;
      for (const std::size_t end : ends_) {
        const std::uint32_t document = to.next_document_++;
        const SetNumber set = to.sketched_.sets.set_of[document];
        const bool is_first = to.sketched_.sets.is_first[document];
        for (; next < end; ++next) {
          if (!is_first) continue;
          const Found& found = found_[next];
          to.entries_.add({found.key, set, found.is_anchor});
          if (found.is_anchor == 0) to.filters_.hit.add(found.key);
        }
      }
      ends_.clear();
      found_.clear();
    }

   private:
    struct Found {
      std::uint64_t key;
      std::uint32_t is_anchor;
      friend auto operator<=>(const Found&, const Found&) = default;
    };

    // The filter is larger than the caches, so its words are prefetched for some features at a
    // time.
    void collect(std::span<const std::uint64_t> features, std::uint64_t group) {
      constexpr std::size_t kAhead = 32;
      const KeyFilter& anchors = visitor_.filters_.anchors;
      for (std::size_t begin = 0; begin < features.size(); begin += kAhead) {
        const auto some = features.subspan(begin, std::min(kAhead, features.size() - begin));
        for (const std::uint64_t feature : some) anchors.prefetch(feature + group);
        for (const std::uint64_t feature : some)
          if (anchors.contains(feature + group)) found_.push_back({feature + group, 0});
      }
    }

    // Drops repeats, and the document's own anchors that are no other set's.
    void reduce(std::size_t begin, std::uint64_t group) {
      const auto first = found_.begin() + static_cast<std::ptrdiff_t>(begin);
      std::sort(first, found_.end());
      found_.erase(std::unique(first, found_.end()), found_.end());
      for (auto at = first; at != found_.end(); ++at)
        at->is_anchor = own_.contains(at->key - group) ? 1 : 0;
      const KeyFilter& repeated = visitor_.filters_.repeated;
      found_.erase(std::remove_if(first, found_.end(),
                                  [&](const Found& one) {
                                    return one.is_anchor != 0 && !repeated.contains(one.key);
                                  }),
                   found_.end());
    }

    LookUpVisitor& visitor_;
    FeatureBuffer buffer_;
    AnchorPicker own_;
    std::vector<Found> found_;       // of all documents, one after the other
    std::vector<std::size_t> ends_;  // of each document in found_
  };

  const SketchedCorpus& sketched_;
  AnchorPlan plan_;
  const SimilarityOptions& options_;
  Fingerprinter fingerprinter_;
  MemoryRoom room_;
  AnchorFilters& filters_;
  Sorter<AnchorEntry>& entries_;
  std::uint32_t next_document_ = 0;
  Pool<Block> blocks_;
};

// That a set has an anchor of another one.
struct SharedAnchor {
  CandidatePair pair;
  std::uint32_t is_of_b;  // 1: the anchor is one of pair.b, which may be contained in pair.a
  friend auto operator<=>(const SharedAnchor&, const SharedAnchor&) = default;
};

// Joins the sets that have an anchor with those whose anchor it is.
class Joiner {
 public:
  Joiner(const SketchedCorpus& sketched, const AnchorPlan& plan, const SimilarityOptions& options,
         Contained wanted)
      : sets_(sketched.sets),
        workspace_(sketched.table.workspace()),
        plan_(plan),
        needed_(plan, options.threshold),
        options_(options),
        wanted_(wanted) {
    if (wanted == Contained::kSmaller) return;
    common_.resize(sets_.size());
    has_copies_.resize(sets_.size());
    for (const std::uint32_t document : sets_.order)
      if (!sets_.is_first[document]) has_copies_[sets_.set_of[document]] = true;
  }

  Candidates join(const BigList<AnchorEntry>& entries) {
    Candidates out;
    out.anchors = plan_;
    Sorter<SharedAnchor> met(workspace_, workspace_.share(16, kMostJoinBytes));
    bool any_common = false;
    for_each_group(entries, [&](std::span<const AnchorEntry> holders, std::uint64_t anchors) {
      if (wanted_ == Contained::kLater && anchors * holders.size() > kMostPairs) {
        for (const AnchorEntry& one : holders)
          if (one.is_anchor != 0) any_common |= ++common_[one.set] >= needed_of(one.set);
        return;
      }
      for (const AnchorEntry& x : holders) {
        if (x.is_anchor == 0) continue;
        for (const AnchorEntry& y : holders) {
          if (!may_be_in(x.set, y.set)) continue;
          const auto [a, b] = std::minmax(x.set, y.set);
          met.add({{a, b}, x.set == b ? 1U : 0U});
          if ((++out.compared & 0xFFFF) == 0) throw_if_stopped(options_.stop);
        }
      }
    });
    if (any_common) collect_common(entries, out);
    out.pairs = choose(met.finish());
    return out;
  }

 private:
  // Calls visit(holders, anchors) for each anchor that several sets have: they, and of how many of
  // them it is an anchor.
  template <class Visit>
  void for_each_group(const BigList<AnchorEntry>& entries, Visit visit) {
    std::vector<AnchorEntry> holders;
    std::uint64_t anchors = 0, done = 0;
    const auto finish = [&] {
      if (anchors > 0 && holders.size() > 1) visit(std::span<const AnchorEntry>(holders), anchors);
      holders.clear();
      anchors = 0;
    };
    entries.for_each([&](const AnchorEntry& entry) {
      if ((++done & 0xFFFF) == 0) {
        throw_if_stopped(options_.stop);
        if (options_.progress) options_.progress({"candidates", done, entries.size()});
      }
      if (!holders.empty() && holders.back().key != entry.key) finish();
      holders.push_back(entry);
      anchors += entry.is_anchor;
    });
    finish();
  }

  // Returns whether it is asked if set x is contained in set y.
  bool may_be_in(SetNumber x, SetNumber y) const {
    if (sets_.only_references[x] && (wanted_ == Contained::kLater || sets_.only_references[y]))
      return false;
    if (x == y) return false;
    if (wanted_ == Contained::kSmaller) return is_smaller(x, y);
    // A later copy of x may go because of a set that was kept in between.
    const std::uint32_t size = sets_.sizes[x];
    return (y < x || has_copies_[x]) &&
           (size <= sets_.sizes[y] || options_.threshold.needed_intersection(
                                          size, size, Measure::kContainment) <= sets_.sizes[y]);
  }
  bool is_smaller(SetNumber x, SetNumber y) const {
    return sets_.sizes[x] != sets_.sizes[y] ? sets_.sizes[x] < sets_.sizes[y] : y < x;
  }
  std::uint32_t needed_of(SetNumber set) const { return needed_.needed(sets_.sizes[set]); }
  bool is_common(SetNumber set) const { return !common_.empty() && common_[set] >= needed_of(set); }

  // Collects all anchors of the sets that have too many common ones.
  void collect_common(const BigList<AnchorEntry>& entries, Candidates& out) {
    std::uint64_t members = 0;
    for_each_group(entries, [&](std::span<const AnchorEntry> holders, std::uint64_t) {
      Candidates::CommonAnchor anchor;
      for (const AnchorEntry& one : holders)
        if (one.is_anchor != 0 && is_common(one.set)) anchor.anchor_of.push_back(one.set);
      if (anchor.anchor_of.empty()) return;
      for (const AnchorEntry& one : holders) anchor.holders.push_back(one.set);
      members += anchor.holders.size() + anchor.anchor_of.size();
      if (members > workspace_.share(8) / kBytesPerHolder)
        throw_too_much_boilerplate(workspace_.limit());
      out.common_anchors.push_back(std::move(anchor));
    });
    // The order of the keys depends on secret hashes of groups.
    std::sort(out.common_anchors.begin(), out.common_anchors.end());
  }

  // Returns the pairs that share enough anchors. Those with an anchor that very many sets have were
  // not counted, so they may be missing.
  BigList<CandidatePair> choose(const BigList<SharedAnchor>& met) {
    Sorter<CandidatePair> chosen(workspace_, workspace_.share(16), Sorter<CandidatePair>::kDrop);
    SharedAnchor last{};
    std::uint32_t count = 0;
    const auto finish = [&] {
      if (count == 0) return;
      const SetNumber x = last.is_of_b != 0 ? last.pair.b : last.pair.a;
      const std::uint32_t common = common_.empty() ? 0 : common_[x];
      if (!is_common(x) && count + common >= needed_of(x)) chosen.add(last.pair);
    };
    met.for_each([&](const SharedAnchor& shared) {
      if (shared != last) {
        finish();
        last = shared;
        count = 0;
      }
      ++count;
    });
    finish();
    return chosen.finish();
  }

  const DistinctSets& sets_;
  const Workspace& workspace_;
  AnchorPlan plan_;
  NeededAnchors needed_;
  const SimilarityOptions& options_;
  Contained wanted_;
  // Of each set, only if the later one is asked for: how many of its anchors have too many pairs,
  // and whether other documents are equal to its first one.
  std::vector<std::uint8_t> common_;
  std::vector<bool> has_copies_;
};

}  // namespace

Candidates find_contained(Corpus& corpus, const SketchedCorpus& sketched, const AnchorPlan& plan,
                          const SimilarityOptions& options, Contained wanted) {
  const NeededAnchors needed(plan, options.threshold);
  const Workspace& workspace = sketched.table.workspace();
  Sorter<AnchorEntry> sorter(workspace, workspace.share(16, kMostJoinBytes));
  {
    const std::uint64_t anchors =
        std::uint64_t{sketched.sets.size()} * static_cast<std::uint64_t>(plan.anchors);
    AnchorFilters filters{KeyFilter(anchors, workspace.share(16)),
                          KeyFilter(anchors / 2, workspace.share(32)),
                          KeyFilter(anchors / 2, workspace.share(32))};
    const auto note = [&](std::uint64_t key, SetNumber) {
      if (filters.anchors.contains(key)) filters.repeated.add(key);
      filters.anchors.add(key);
    };
    for_each_anchor(sketched, needed, options.stop, note);
    LookUpVisitor visitor(sketched, plan, options, filters, sorter);
    corpus.scan_again(visitor, resolve_threads(options.threads));
    // Anchors of one set only that another set has. The visitor has added all others.
    const auto add = [&](std::uint64_t key, SetNumber set) {
      if (!filters.repeated.contains(key) && filters.hit.contains(key)) sorter.add({key, set, 1});
    };
    for_each_anchor(sketched, needed, options.stop, add);
  }
  return Joiner(sketched, plan, options, wanted).join(sorter.finish());
}

}  // namespace benzer
