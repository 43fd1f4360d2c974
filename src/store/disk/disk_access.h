// What DiskStore hands out: all its parts as one.
#pragma once

#include <shared_mutex>
#include <utility>

#include "store/disk/disk_store.h"
#include "store/get_ids.h"

namespace benzer {

// Base: StoreReader or StoreWriter; Lock: what keeps others out. Numbers of documents go through
// the segments, then the frozen table, then the active one, which alone can grow.
template <class Base, class Lock>
class DiskStore::Access : public Base {
 public:
  template <class Owner>  // DiskStore, const or not
  Access(Owner& store, Lock lock) : lock_(std::move(lock)) {
    DocumentNumber begin = 0;
    const auto add = [&](const Segment* segment, const Memtable* table,
                         const std::vector<bool>* removed, std::size_t place) {
      views_.push_back({begin, segment, table, removed, place, segment ? segment->failures() : 0});
      begin += segment ? segment->size() : table->end();
    };
    for (std::size_t i = 0; i < store.parts_.size(); ++i)
      add(store.parts_[i].segment.get(), nullptr, &store.parts_[i].removed, i);
    if (store.frozen_) add(nullptr, &store.frozen_->table, &store.frozen_->removed, 0);
    add(nullptr, store.active_.get(), nullptr, 0);
    for (const Part& part : store.parts_) sealed_ += part.segment->size() - part.removed_count;
    if (store.frozen_) sealed_ += store.frozen_->live;
  }

  // Of the same moment as one with a lock, which outlives it.
  template <class OtherBase, class OtherLock>
  explicit Access(const Access<OtherBase, OtherLock>& other)
      : failures_(other.failures_), sealed_(other.sealed_) {
    for (const auto& view : other.views_)
      views_.push_back(
          {view.begin, view.segment, view.table, view.removed, view.place, view.failures});
  }

  void get_ids(std::span<const FieldHashes* const> queries,
               std::vector<std::vector<DocumentNumber>>& out) override {
    const auto prefetch = [&](const FieldHashes& query) {
      for (const View& view : views_) {
        if (view.table) {
          view.table->prefetch(query);
          continue;
        }
        for (std::uint32_t band = 0; band < query.keys.size(); ++band)
          view.segment->prefetch(query.field, band, query.keys[band]);
      }
    };
    get_ids_of(queries, out, prefetch, [&](const FieldHashes& query, auto visit) {
      for (const View& view : views_) {
        const auto visit_live = [&](DocumentNumber local) {
          if (!view.removed || !(*view.removed)[local]) visit(view.begin + local);
        };
        if (view.table) {
          view.table->meet(query, visit_live);
          continue;
        }
        for (std::uint32_t band = 0; band < query.keys.size(); ++band)
          view.segment->for_each(query.field, band, query.keys[band], visit_live);
      }
    });
    this->throw_if_unreadable();
  }

  std::optional<DocumentNumber> find(std::string_view id) override {
    for (auto view = views_.rbegin(); view != views_.rend(); ++view) {
      std::optional<DocumentNumber> local;
      if (view->table) {
        local = view->table->find(id);
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

  std::string_view id(DocumentNumber document) override {
    const View& view = view_of(document);
    const DocumentNumber local = document - view.begin;
    return view.table ? view.table->id(local) : view.segment->id(local);
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
    for (const View& view : views_) {
      const DocumentNumber end = view.segment ? view.segment->size() : view.table->end();
      for (DocumentNumber local = 0; local < end; ++local) {
        if (view.table && !view.table->is_taken(local)) continue;
        if (view.removed && (*view.removed)[local]) continue;
        if (!visit(view.begin + local)) return;
      }
    }
  }
  void throw_if_unreadable() override {
    if (MappedFile::all_failures() == failures_) return;
    for (const View& view : views_)
      if (view.segment) view.segment->throw_if_more(view.failures);
  }
  std::uint64_t size() override { return sealed_ + views_.back().table->size(); }
  std::unique_ptr<StoreReader> another() const override {
    return std::make_unique<Access<StoreReader, NoLock>>(*this);
  }

 protected:
  template <class OtherBase, class OtherLock>
  friend class Access;

  struct View {
    DocumentNumber begin;
    const Segment* segment;  // or
    const Memtable* table;
    const std::vector<bool>* removed;  // null: nothing can be
    std::size_t place;                 // of a segment, in parts_
    std::uint64_t failures;            // of a segment, when it was opened
  };
  const View& view_of(DocumentNumber document) const noexcept {
    std::size_t i = views_.size() - 1;
    while (views_[i].begin > document) --i;
    return views_[i];
  }

  Lock lock_;
  std::uint64_t failures_ = MappedFile::all_failures();  // before those of the segments are taken
  std::vector<View> views_;
  std::uint64_t sealed_ = 0;  // live documents outside of the active table
  std::vector<std::uint64_t> features_;
};

}  // namespace benzer
