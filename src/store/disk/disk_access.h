// Lets readers and writers of a DiskStore use all of its parts as one.
#pragma once

#include <utility>

#include "store/disk/disk_store.h"
#include "store/get_ids.h"
#include "store/smallest_ids.h"

namespace benzer {

// Base: StoreReader or StoreWriter. Documents are numbered through the segments, then the frozen
// table, then the active one, which alone can grow.
template <class Base>
class DiskStore::Access : public Base {
 public:
  // Reads a version, which must outlive this object.
  explicit Access(const State& state) : at_(state.at) {
    for (const SealedPart& part : state.sealed->parts)
      add(part.segment.get(), part.table.get(), &part.removed);
    sealed_ = state.sealed->live;
    add_active(state.active.get());
    end_ = state.end;
    in_active_ = state.documents;
  }
  // Reads the present state of the store, and what is changed there later.
  Access(const DiskStore& store, Version at) : at_(at) {
    for (const Part& part : store.parts_) add(part.segment.get(), nullptr, &part.removed);
    if (store.frozen_) add(nullptr, store.frozen_->table.get(), &store.frozen_->removed);
    sealed_ = store.sealed_documents();
    add_active(store.active_.get());
    update();
  }
  // Reads the same version as another object, which must outlive this one.
  template <class OtherBase>
  explicit Access(const Access<OtherBase>& other)
      : failures_(other.failures_),
        at_(other.at_),
        sealed_(other.sealed_),
        in_active_(other.in_active_),
        end_(other.end_) {
    for (const auto& view : other.views_)
      views_.push_back({view.begin, view.segment, view.table, view.removed, view.failures});
  }

  void get_ids(std::span<const FieldHashes* const> queries,
               std::vector<std::vector<DocumentNumber>>& out) override {
    look_up(queries, out);
  }
  void get_hits(std::span<const FieldHashes* const> queries,
                std::vector<std::vector<KeyHits>>& out) override {
    look_up(queries, out);
  }

  DocumentNumber original(DocumentNumber document) override {
    const View& view = view_of(document);
    const DocumentNumber local = document - view.begin;
    if (view.segment && !view.segment->has_copies()) return document;
    const DocumentNumber original =
        view.segment ? view.segment->original(local) : view.table->original(local, at_);
    if (!view.removed || !(*view.removed)[original]) return view.begin + original;
    // The copies of an original are asked for one after another, and a document that was removed
    // never comes back, so the last answer is kept.
    const DocumentNumber removed = view.begin + original;
    if (removed != removed_original_ || (*view.removed)[first_live_]) {
      const std::optional<DocumentNumber> first = first_live_copy(view, original);
      this->throw_if_unreadable();
      if (!first) return document;
      removed_original_ = removed;
      first_live_ = *first;
    }
    return view.begin + first_live_;
  }
  void for_each_copy(DocumentNumber original,
                     const std::function<bool(DocumentNumber)>& visit) override {
    const View& view = view_of(original);
    visit_copies(view, original - view.begin, Memtable::kMostCopies,
                 [&](DocumentNumber copy) { return visit(view.begin + copy); });
    this->throw_if_unreadable();
  }
  std::vector<DocumentNumber> first_copies(DocumentNumber original, std::size_t most) override {
    const View& view = view_of(original);
    std::vector<DocumentNumber> out;
    if (most == 0) return out;
    visit_copies(view, original - view.begin, most, [&](DocumentNumber copy) {
      out.push_back(view.begin + copy);
      return out.size() < most;
    });
    this->throw_if_unreadable();
    return out;
  }

  std::optional<DocumentNumber> find(std::string_view id) override {
    for (auto view = views_.rbegin(); view != views_.rend(); ++view) {
      std::optional<DocumentNumber> local;
      if (view->table) {
        local = view->table->find(id, at_);
        if (local && view->removed && (*view->removed)[*local]) local.reset();
      } else {
        view->segment->find(id, [&](DocumentNumber found) {
          if (!(*view->removed)[found]) local = found;
          return local.has_value();
        });
      }
      if (local) return view->begin + *local;
    }
    return std::nullopt;
  }

  std::vector<DocumentNumber> ids_after(std::string_view after, std::size_t most,
                                        const StoreReader::Accepts& accepts) override {
    SmallestIds first(most);
    for (const View& view : views_) {
      if (view.table) {
        for_each_of(view, [&](DocumentNumber local) {
          const std::string_view own = view.table->id(local);
          if (own > after && first.has_room_for(own) && accepts(view.begin + local))
            first.offer(own, view.begin + local);
          return true;
        });
        continue;
      }
      const std::span<const DocumentNumber> sorted = view.segment->by_id();
      auto at = std::upper_bound(sorted.begin(), sorted.end(), after,
                                 [&](std::string_view one, DocumentNumber local) {
                                   return one < view.segment->id(local);
                                 });
      for (; at != sorted.end(); ++at) {
        const std::string_view own = view.segment->id(*at);
        if (!first.has_room_for(own)) break;
        if (!(*view.removed)[*at] && accepts(view.begin + *at)) first.offer(own, view.begin + *at);
      }
    }
    this->throw_if_unreadable();
    return first.take();
  }

  std::string_view id(DocumentNumber document) override {
    const View& view = view_of(document);
    const DocumentNumber local = document - view.begin;
    return view.table ? view.table->id(local) : view.segment->id(local);
  }
  std::string_view attributes(DocumentNumber document) override {
    const View& view = view_of(document);
    const DocumentNumber local = document - view.begin;
    return view.table ? view.table->attributes(local) : view.segment->attributes(local);
  }
  const std::uint8_t* cut(DocumentNumber document, std::uint32_t field) override {
    const View& view = view_of(document);
    const DocumentNumber local = document - view.begin;
    return view.table ? view.table->cut(local, field) : view.segment->cut(local, field);
  }
  std::span<const std::uint64_t> features(DocumentNumber document, std::uint32_t field) override {
    const View& view = view_of(document);
    const DocumentNumber local = document - view.begin;
    if (view.table) return view.table->features(local, field);
    view.segment->features(local, field, features_);
    return features_;
  }
  DocumentHashes get_hashes(DocumentNumber document) override {
    const View& view = view_of(document);
    const DocumentNumber local = document - view.begin;
    return view.table ? view.table->get_hashes(local) : view.segment->get_hashes(local);
  }
  void for_each(const std::function<bool(DocumentNumber)>& visit) override {
    for (const View& view : views_)
      if (!for_each_of(view, [&](DocumentNumber local) { return visit(view.begin + local); }))
        return;
  }
  void throw_if_unreadable() override {
    if (MappedFile::all_failures() == failures_) return;
    for (const View& view : views_)
      if (view.segment) view.segment->throw_if_more(view.failures);
  }
  std::uint64_t size() override { return sealed_ + in_active_; }
  std::unique_ptr<StoreReader> another() const override {
    return std::make_unique<Access<StoreReader>>(*this);
  }

 protected:
  template <class OtherBase>
  friend class Access;

  struct View {
    DocumentNumber begin;
    const Segment* segment;  // null: the view is of a table
    const Memtable* table;
    const DocumentBits* removed;  // null: the view is of the active table
    std::uint64_t failures;       // of a segment, when its view was made
  };
  // Calls visit(local) for the documents of a view until it returns false, and returns whether it
  // did not.
  template <class Visit>
  bool for_each_of(const View& view, Visit visit) const {
    const DocumentNumber end = view.segment   ? view.segment->size()
                               : view.removed ? view.table->end()
                                              : end_;
    for (DocumentNumber local = 0; local < end; ++local) {
      if (view.table && !view.table->has_document(local, at_)) continue;
      if (view.removed && (*view.removed)[local]) continue;
      if (!visit(local)) return false;
    }
    return true;
  }
  // Calls visit(copy) for the documents of which `original` is the original and that are not
  // removed, in order of id, until it returns false; for at least `most` of them.
  template <class Visit>
  void visit_copies(const View& view, DocumentNumber original, std::size_t most,
                    Visit visit) const {
    const auto is_removed = [&](DocumentNumber copy) {
      return view.removed && (*view.removed)[copy];
    };
    if (view.segment) {
      if (!view.segment->has_copies()) return;
      view.segment->for_each_copy(view.segment->original(original), [&](DocumentNumber copy) {
        return copy == original || is_removed(copy) || visit(copy);
      });
      return;
    }
    for (const DocumentNumber copy :
         view.table->first_copies(original, view.removed ? Memtable::kMostCopies : most, at_))
      if (!is_removed(copy) && !visit(copy)) return;
  }
  // Not inlined into get_ids(), which is faster without it.
  [[gnu::noinline]] std::optional<DocumentNumber> first_live_copy(const View& view,
                                                                  DocumentNumber original) const {
    std::optional<DocumentNumber> out;
    visit_copies(view, original, Memtable::kMostCopies, [&](DocumentNumber copy) {
      out = copy;
      return false;
    });
    return out;
  }
  template <class List>
  void look_up(std::span<const FieldHashes* const> queries, std::vector<List>& out) {
    const auto prefetch = [&](const FieldHashes& query) {
      for (const View& view : views_) {
        if (view.table) {
          view.table->prefetch(query);
          continue;
        }
        const std::size_t keys = std::min(query.keys.size(), kMostPrefetched);
        for (std::uint32_t band = 0; band < keys; ++band)
          view.segment->prefetch(query.field, band, query.keys[band]);
      }
    };
    get_ids_of(queries, out, prefetch, [&](const FieldHashes& query, auto visit) {
      started_.clear();
      for (const View& view : views_)
        for (std::uint32_t band = 0; view.segment && band < query.keys.size(); ++band)
          if (view.segment->start_look_up(query.field, band, query.keys[band]))
            started_.emplace_back(&view, band);
      const auto visit_live = [&](const View& view) {
        return [&](DocumentNumber local) {
          if (!view.removed || !(*view.removed)[local]) {
            visit(view.begin + local);
          } else if (const auto copy = first_live_copy(view, local)) {
            visit(view.begin + *copy);
          }
        };
      };
      for (const View& view : views_)
        if (view.table) view.table->meet(query, at_, visit_live(view));
      for (const auto& [view, band] : started_)
        view->segment->look_up(query.field, band, query.keys[band], visit_live(*view));
    });
    const auto of_view = [&](DocumentNumber document, auto in_segment, auto in_table) {
      const View& view = view_of(document);
      const DocumentNumber local = document - view.begin;
      view.segment ? in_segment(*view.segment, local) : in_table(*view.table, local);
    };
    load_found(
        out,
        [&](DocumentNumber document) {
          of_view(
              document,
              [](const Segment& segment, DocumentNumber local) { segment.start_record(local); },
              [](const Memtable& table, DocumentNumber local) { table.start_row(local); });
        },
        [&](DocumentNumber document) {
          of_view(
              document,
              [](const Segment& segment, DocumentNumber local) { segment.load_record(local); },
              [](const Memtable& table, DocumentNumber local) { table.load_row(local); });
        });
    this->throw_if_unreadable();
  }
  const View& view_of(DocumentNumber document) const noexcept {
    std::size_t i = views_.size() - 1;
    while (views_[i].begin > document) --i;
    return views_[i];
  }

  void add(const Segment* segment, const Memtable* table, const DocumentBits* removed) {
    views_.push_back({next_, segment, table, removed, segment ? segment->failures() : 0});
    next_ += segment ? segment->size() : table->end();
  }
  void add_active(const Memtable* table) { views_.push_back({next_, nullptr, table, nullptr, 0}); }
  // Takes over what the writer has changed in the active table.
  void update() noexcept {
    end_ = views_.back().table->end();
    in_active_ = views_.back().table->size();
  }

  std::uint64_t failures_ = MappedFile::all_failures();  // read before those of the segments
  std::vector<View> views_;
  DocumentNumber next_ = 0;  // first number after the views
  Version at_;
  std::uint64_t sealed_ = 0;     // documents outside of the active table
  std::uint64_t in_active_ = 0;  // documents
  DocumentNumber end_ = 0;       // of the active table
  std::vector<std::uint64_t> features_;
  std::vector<std::pair<const View*, std::uint32_t>> started_;  // bands of a query that may have it
  DocumentNumber removed_original_ = kNoDocument;               // the one that was asked for last
  DocumentNumber first_live_ = 0;  // first of its copies, as numbered in its view
};

}  // namespace benzer
