// Keeps documents in memory by number, with a hash table for each band of each field. A document
// that equals an earlier one is a copy of it (store.h) and has no entries of its own.
//
// The bytes of a document with one field, at 16 bands and 128 slots: 171 in the tables (16 entries
// of 8 bytes at a load of three quarters), 64 for the keys, by which a removal finds its entries,
// and 64 for the cut signature. Besides, 8 for each feature, and the id.
#pragma once

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/latch.h"
#include "base/secret.h"
#include "store/get_ids.h"
#include "store/memory/band_table.h"
#include "store/sampled_keys.h"
#include "store/store.h"
#include "store/versions.h"

namespace benzer {

// Rows of equal width that never move: one thread makes more of them while others read.
template <class T>
class Rows {
 public:
  explicit Rows(std::size_t width) : width_(width) {}
  // No other thread may use `other` yet.
  Rows(Rows&& other) noexcept
      : width_(other.width_),
        chunks_(std::move(other.chunks_)),
        directories_(std::move(other.directories_)),
        room_(other.room_),
        directory_(other.directory_.load()) {}

  // Returns the row, after making room for it if needed. New rows have the values of their default
  // constructor, or zeros.
  T* make(std::size_t row) {
    while (row / kRowsInChunk >= chunks_.size()) {
      auto chunk = std::make_unique<T[]>(width_ * kRowsInChunk);
      if (chunks_.size() == room_) grow();
      directories_.back()[chunks_.size()] = chunk.get();
      chunks_.push_back(std::move(chunk));  // there is room
    }
    return at(row);
  }
  T* at(std::size_t row) { return const_cast<T*>(std::as_const(*this).at(row)); }
  const T* at(std::size_t row) const {
    return directory_.load(std::memory_order_acquire)[row / kRowsInChunk] +
           row % kRowsInChunk * width_;
  }
  std::size_t bytes() const noexcept { return chunks_.size() * kRowsInChunk * width_ * sizeof(T); }

 private:
  static constexpr std::size_t kRowsInChunk = 1024;

  void grow() {
    const std::size_t room = std::max<std::size_t>(8, 2 * room_);
    auto wider = std::make_unique<T*[]>(room);
    for (std::size_t i = 0; i < chunks_.size(); ++i) wider[i] = chunks_[i].get();
    chunks_.reserve(room);
    directories_.push_back(std::move(wider));
    room_ = room;
    directory_.store(directories_.back().get(), std::memory_order_release);
  }

  std::size_t width_;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::vector<std::unique_ptr<T*[]>> directories_;  // readers may still use earlier ones
  std::size_t room_ = 0;                            // chunks that fit into the last one
  std::atomic<T**> directory_ = nullptr;
};

// Threads: one writer and any number of readers, who name their version in each call. Nothing that
// a reader's version has is given back as long as reclaim() is told of that version.
class Memtable {
 public:
  // The most documents: the tables have no larger numbers (BandTable).
  static constexpr std::uint64_t kMost = BandTable::kMostNumbers;
  // The most copies of one document; the next equal one has entries and copies of its own. This
  // limits what a writer moves when it adds or removes a copy.
  static constexpr std::size_t kMostCopies = 4096;

  static constexpr std::size_t kAtOnce = 4096;

  // most: how many documents there may be at a time; tests lower it.
  explicit Memtable(const HashLayout& layout, std::uint64_t most = kMost);

  // Loads what find() and add() look at in the tables, for all of these at the same time. Only the
  // writer may call it.
  void load_places(const DocumentHashes& document) const noexcept;
  // Does not check the document. If there is another one with the same id, one of the two must be
  // removed before a reader looks for the id in the version `born`. Throws Error(kStorageFailed) if
  // there are too many documents. If it throws that or std::bad_alloc, nothing has changed.
  DocumentNumber add(const DocumentHashes& document, Version born);
  // Removes the document from the version `died` on. Its number may be given to another one later.
  void remove(DocumentNumber document, Version died) noexcept;
  // Gives back the memory of documents that no reader sees any more. A call frees at most kAtOnce
  // documents plus twice as many as were removed since the last call, so that nobody waits for all
  // that a long query has kept. All removals must have been published.
  template <class State>
  void reclaim(const Versions<State>& versions) noexcept {
    if (!has_removed()) return;
    try {
      reclaim(versions.earlier());
    } catch (const std::bad_alloc&) {
      // The next call does it.
    }
  }

  std::optional<DocumentNumber> find(std::string_view id, Version at) const;
  // Calls visit(document) for each band in which a document has the query's key.
  template <class Visit>
  void meet(const FieldHashes& query, Version at, Visit visit) const {
    const std::shared_lock lock(latch_);
    if (newest_ <= at && !has_removed() && orphaned_ == 0) return meet(query, visit);
    meet(query, [&](DocumentNumber document) {
      if (const auto seen = seen_of(document, at)) visit(*seen);
    });
  }
  // The document that meet() visits for this one in this version.
  DocumentNumber original(DocumentNumber document, Version at) const {
    const DocumentNumber content = content_of(document);
    if (content == document) return document;
    const std::shared_lock lock(latch_);
    return seen_of(content, at).value_or(document);
  }
  // The `most` copies of an original with the smallest ids, or all if there are fewer, in order of
  // id.
  std::vector<DocumentNumber> first_copies(DocumentNumber original, std::size_t most,
                                           Version at) const;
  // Loads what meet() looks at first.
  void prefetch(const FieldHashes& query) const noexcept {
    const std::shared_lock lock(latch_);
    for_each_place(query,
                   [](const BandTable& table, BandTable::Key key) { table.load_to_find(key); });
  }
  // Start to load where a document's id and features are, and then these and its signatures.
  void start_row(DocumentNumber document) const noexcept {
    __builtin_prefetch(ids_.at(document));
    for (const FieldPart& field : fields_) __builtin_prefetch(field.features.at(document));
  }
  void load_row(DocumentNumber document) const noexcept {
    __builtin_prefetch(ids_.at(document)->get());
    for (const FieldPart& field : fields_) {
      const auto* features = reinterpret_cast<const char*>(field.features.at(document)->get());
      if (features == nullptr) continue;  // there may be no row of its signature either
      __builtin_prefetch(field.cuts.at(document));
      // The processor goes on by itself when the first lines are read one after the other.
      for (std::size_t line = 0; line < 4; ++line) __builtin_prefetch(features + 64 * line);
    }
  }

  std::string_view id(DocumentNumber document) const noexcept { return text(document, 0); }
  std::string_view attributes(DocumentNumber document) const noexcept {
    if (!layout_.attributes) return {};
    return text(document, 2 + id(document).size());
  }
  const std::uint8_t* cut(DocumentNumber document, std::uint32_t field) const noexcept {
    if (has(document, field)) return fields_[field].cuts.at(document);
    const DocumentNumber content = content_of(document);
    return has(content, field) ? fields_[field].cuts.at(content) : nullptr;
  }
  std::span<const std::uint64_t> features(DocumentNumber document,
                                          std::uint32_t field) const noexcept;
  DocumentHashes get_hashes(DocumentNumber document) const;

  // One more than the largest number; some below it may be free.
  DocumentNumber end() const noexcept { return end_; }
  bool has_document(DocumentNumber document, Version at) const noexcept {
    const Life& life = *lives_.at(document);
    // `died` is read first: a number that is reused loses its old `born` before its old `died`.
    return at < life.died.load(std::memory_order_acquire) &&
           life.born.load(std::memory_order_relaxed) <= at;
  }
  std::uint64_t size() const noexcept { return size_; }  // of the writer's version

  StoreBytes bytes() const noexcept;
  // Roughly the sum of bytes(), in constant time. Only the writer may call it.
  std::uint64_t rough_bytes() const noexcept;

 private:
  static constexpr Version kNever = ~Version{0};
  // The copies of each document, in order of id; the document itself may have been removed.
  using Copies = std::unordered_map<DocumentNumber, std::vector<DocumentNumber>>;

  // A version has a document if born <= version < died.
  struct Life {
    std::atomic<Version> born = kNever, died = kNever;
  };
  struct FieldPart {
    explicit FieldPart(const HashLayout& layout)
        : bands(layout.tables()), keys(layout.bands), cuts(layout.cut_bytes()), features(1) {}
    std::vector<BandTable> bands;  // or one table for all bands
    Rows<std::uint32_t> keys;
    Rows<std::uint8_t> cuts;
    // For each document, the number of its features, then the features. Null if it lacks the field.
    Rows<std::unique_ptr<std::uint64_t[]>> features;
  };

  // Calls visit(table, key) for the keys of a query or a document, in each table that is to have
  // it.
  template <class Visit>
  void for_each_place(const FieldHashes& hashes, Visit visit) const noexcept {
    const std::vector<BandTable>& bands = fields_[hashes.field].bands;
    const std::size_t keys = std::min(hashes.keys.size(), kMostPrefetched);
    for (std::uint32_t band = 0; band < keys; ++band)
      visit(bands[layout_.table(band)], hidden_(hashes.keys[band]));
  }
  template <class Visit>
  void meet(const FieldHashes& query, Visit visit) const {
    const std::vector<BandTable>& bands = fields_[query.field].bands;
    for (std::uint32_t band = 0; band < query.keys.size(); ++band)
      if (layout_.is_key(query.keys[band]))
        bands[layout_.table(band)].for_each(hidden_(query.keys[band]), visit);
  }
  bool has_removed() const noexcept {
    return !removed_.empty() || !seen_.empty() || forgotten_ > 0;
  }
  void reclaim(const std::vector<Version>& earlier);
  DocumentNumber free_number();
  void erase(DocumentNumber document) noexcept;  // removes all of it

  // A text in the row of ids_, at this place.
  std::string_view text(DocumentNumber document, std::size_t at) const noexcept {
    const char* const row = ids_.at(document)->get() + at;
    std::uint16_t length = 0;
    std::memcpy(&length, row, 2);
    return {row + 2, length};
  }
  std::size_t row_bytes(std::string_view id, std::string_view attributes) const noexcept {
    return 2 + id.size() + (layout_.attributes ? 2 + attributes.size() : 0);
  }

  // Does this number have features of its own?
  bool has(DocumentNumber content, std::uint32_t field) const noexcept {
    return *fields_[field].features.at(content) != nullptr;
  }
  // The number that has a document's features and entries, which is another one for a copy.
  DocumentNumber content_of(DocumentNumber document) const noexcept {
    return *contents_.at(document);
  }
  bool has_content(DocumentNumber content, const DocumentHashes& document) const noexcept;
  // Finds the contents that have the document's first key; those that equal it are among them.
  // Writes the first ones to `out`, as many as fit, and returns how many; for a document without
  // keys, the size of `out`.
  std::size_t meet_first_key(const DocumentHashes& document,
                             std::span<DocumentNumber> out) const noexcept;
  // Finds the content that equals the document among those with `hash`, the document's hash.
  std::optional<DocumentNumber> find_content(std::uint32_t hash,
                                             const DocumentHashes& document) const;
  void add_hash(std::uint32_t hash, DocumentNumber content);  // unless it is there
  std::uint32_t hash_of_content(DocumentNumber content) const noexcept;
  void add_content(const DocumentHashes& document, DocumentNumber number);
  void erase_content(DocumentNumber content) noexcept;
  // Calls visit(band, key) for the keys under which a content is in the tables of a field.
  template <class Visit>
  void for_each_key(DocumentNumber content, std::uint32_t field, Visit visit) const noexcept {
    if (layout_.sampling) {
      const auto visit_key = [&](std::uint32_t key) { visit(std::uint32_t{0}, key); };
      return for_each_sampled_key(features(content, field), *layout_.sampling, visit_key);
    }
    const std::uint32_t* keys = fields_[field].keys.at(content);
    for (std::uint32_t band = 0; band < layout_.bands; ++band)
      if (layout_.is_key(keys[band])) visit(band, keys[band]);
  }
  void release(DocumentNumber number) noexcept;  // to free_
  // The document of a content, or the first of its copies, that the version has.
  std::optional<DocumentNumber> seen_of(DocumentNumber content, Version at) const;
  std::size_t place_among(const std::vector<DocumentNumber>& copies,
                          DocumentNumber document) const noexcept;

  HashLayout layout_;
  std::uint64_t most_;
  // Keys are changed by a secret: texts could be made to have keys that are adjacent in a table,
  // and each insertion would then push all of them back.
  SecretKeys hidden_;
  // Guards the tables and all counts. Rows are read without it, by readers whose version has the
  // numbers of these rows.
  mutable Latch latch_;
  std::vector<FieldPart> fields_;
  Rows<Life> lives_;
  Rows<DocumentNumber> contents_;
  Copies copies_;               // by the number of the content
  std::uint64_t copied_ = 0;    // number of copies
  std::uint64_t orphaned_ = 0;  // contents whose document was removed, but not all of its copies
  // The contents of which the next equal document becomes a copy, by a hash of their features. A
  // content that is the only one with its first key need not be here, so most documents are never
  // hashed.
  BandTable by_content_;
  // Two bytes of length, then the id; if documents may have attributes, the same for these. Null:
  // no document has the number.
  Rows<std::unique_ptr<char[]>> ids_;
  DocumentNumber end_ = 0;
  BandTable by_id_;  // under the upper halves of the ids' hashes
  std::vector<DocumentNumber> free_;
  Version newest_ = 0;                   // the latest birth or death
  std::vector<DocumentNumber> removed_;  // removed documents that reclaim() has not looked at
  std::size_t left_ = 0;                 // how many of these the last reclaim() left
  std::uint64_t forgotten_ = 0;  // removed documents for which there was no memory in removed_
  // Removed documents that a reader still sees, by the latest version that sees them.
  std::map<Version, std::vector<DocumentNumber>> seen_;
  std::uint64_t size_ = 0;  // documents
  std::uint64_t feature_bytes_ = 0;
  std::uint64_t id_bytes_ = 0;
};

}  // namespace benzer
