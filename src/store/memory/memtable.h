// Documents by number, with a hash table for each band of each field. A document that equals an
// earlier one is a copy of it (store.h), with no entries of its own.
//
// Where the bytes of a document with one field go, at 16 bands and 128 slots: 171 into the tables
// (16 entries of 8 bytes at a load of three quarters), 64 into the keys, which a removal needs to
// find its entries, 64 into the cut signature. Apart from that, 8 for each feature, and the id.
#pragma once

#include <atomic>
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
#include "store/memory/band_table.h"
#include "store/store.h"
#include "store/versions.h"

namespace benzer {

// Rows of equal width that never move: one thread makes more of them while others read.
template <class T>
class Rows {
 public:
  explicit Rows(std::size_t width) : width_(width) {}
  // Nobody may know it yet.
  Rows(Rows&& other) noexcept
      : width_(other.width_),
        chunks_(std::move(other.chunks_)),
        directories_(std::move(other.directories_)),
        room_(other.room_),
        directory_(other.directory_.load()) {}

  // Makes room for the row if there was none; new ones are made by their constructor, or zeros.
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
  std::vector<std::unique_ptr<T*[]>> directories_;  // earlier ones may be read still
  std::size_t room_ = 0;                            // of the last one
  std::atomic<T**> directory_ = nullptr;
};

// Threads: one writer and any number of readers, who name the version of which they are. What they
// see does not go as long as reclaim() is told of their version.
class Memtable {
 public:
  // Of more the tables have no numbers (BandTable).
  static constexpr std::uint64_t kMost = BandTable::kMostNumbers;
  // Of one document; the next equal one has entries and copies of its own. So there is an end to
  // what a writer moves for one of them.
  static constexpr std::size_t kMostCopies = 4096;

  static constexpr std::size_t kAtOnce = 4096;

  // most: documents at a time; tests lower it.
  explicit Memtable(const HashLayout& layout, std::uint64_t most = kMost);

  // Nothing of it is checked. If there is a document of the same id, one of the two must be removed
  // before that version is asked for it. Throws Error(kStorageFailed) for a document more than
  // there may be. On that and on std::bad_alloc everything is as it was.
  DocumentNumber add(const DocumentHashes& document, Version born);
  // From that version on it is not there. The number may be given to another document later.
  void remove(DocumentNumber document, Version died) noexcept;
  // Gives back the memory of what no reader sees any more: of at most twice as many documents as
  // were removed since the last call, and kAtOnce, so that nobody waits for what a long question
  // has kept. All that was removed must have been published.
  template <class State>
  void reclaim(const Versions<State>& versions) noexcept {
    if (!has_removed()) return;
    try {
      reclaim(versions.earlier());
    } catch (const std::bad_alloc&) {
      // The next time.
    }
  }

  std::optional<DocumentNumber> find(std::string_view id, Version at) const;
  // visit(document) for each band in which the document has the query's key.
  template <class Visit>
  void meet(const FieldHashes& query, Version at, Visit visit) const {
    const std::shared_lock lock(latch_);
    if (newest_ <= at && !has_removed() && orphaned_ == 0) return meet(query, visit);
    meet(query, [&](DocumentNumber document) {
      if (const auto seen = seen_of(document, at)) visit(*seen);
    });
  }
  // What meet() names for a document of this version.
  DocumentNumber original(DocumentNumber document, Version at) const {
    const DocumentNumber content = content_of(document);
    if (content == document) return document;
    const std::shared_lock lock(latch_);
    return seen_of(content, at).value_or(document);
  }
  // The copies of an original that has the smallest ids, at most so many, by id.
  std::vector<DocumentNumber> first_copies(DocumentNumber original, std::size_t most,
                                           Version at) const;
  // Starts to load what meet() looks at first.
  void prefetch(const FieldHashes& query) const noexcept {
    const std::shared_lock lock(latch_);
    const std::vector<BandTable>& bands = fields_[query.field].bands;
    for (std::uint32_t band = 0; band < layout_.bands; ++band)
      bands[layout_.table(band)].prefetch(hidden_(query.keys[band]));
  }

  std::string_view id(DocumentNumber document) const noexcept;
  const std::uint8_t* cut(DocumentNumber document, std::uint32_t field) const noexcept {
    if (has(document, field)) return fields_[field].cuts.at(document);
    const DocumentNumber content = content_of(document);
    return has(content, field) ? fields_[field].cuts.at(content) : nullptr;
  }
  std::span<const std::uint64_t> features(DocumentNumber document,
                                          std::uint32_t field) const noexcept;
  DocumentHashes get_hashes(DocumentNumber document) const;

  // One more than the largest number; some between may be free.
  DocumentNumber end() const noexcept { return end_; }
  bool has_document(DocumentNumber document, Version at) const noexcept {
    const Life& life = *lives_.at(document);
    // In this order: a number that is given to another document has no birth before its death goes.
    return at < life.died.load(std::memory_order_acquire) &&
           life.born.load(std::memory_order_relaxed) <= at;
  }
  std::uint64_t size() const noexcept { return size_; }  // of the writer's version

  StoreBytes bytes() const noexcept;
  // About the sum of them, at once. By the writer.
  std::uint64_t rough_bytes() const noexcept;

 private:
  static constexpr Version kNever = ~Version{0};
  // Copies by id, of a document that may have gone itself.
  using Copies = std::unordered_map<DocumentNumber, std::vector<DocumentNumber>>;

  // The versions that have a document: those from its birth until before its death.
  struct Life {
    std::atomic<Version> born = kNever, died = kNever;
  };
  struct FieldPart {
    explicit FieldPart(const HashLayout& layout)
        : bands(layout.tables()), keys(layout.bands), cuts(layout.cut_bytes()), features(1) {}
    std::vector<BandTable> bands;  // or the one table
    Rows<std::uint32_t> keys;
    Rows<std::uint8_t> cuts;
    // Of each document: their number, then the features. Null: it lacks the field.
    Rows<std::unique_ptr<std::uint64_t[]>> features;
  };

  template <class Visit>
  void meet(const FieldHashes& query, Visit visit) const {
    const std::vector<BandTable>& bands = fields_[query.field].bands;
    for (std::uint32_t band = 0; band < layout_.bands; ++band)
      if (layout_.is_key(query.keys[band]))
        bands[layout_.table(band)].for_each(hidden_(query.keys[band]), visit);
  }
  bool has_removed() const noexcept {
    return !removed_.empty() || !seen_.empty() || forgotten_ > 0;
  }
  void reclaim(const std::vector<Version>& earlier);
  DocumentNumber free_number();
  void erase(DocumentNumber document) noexcept;  // leaves no trace

  // Does this number have features of its own?
  bool has(DocumentNumber content, std::uint32_t field) const noexcept {
    return *fields_[field].features.at(content) != nullptr;
  }
  // The number that has a document's features and entries, which is another one for a copy.
  DocumentNumber content_of(DocumentNumber document) const noexcept {
    return *contents_.at(document);
  }
  bool has_content(DocumentNumber content, const DocumentHashes& document) const noexcept;
  // Contents that have the document's first key, which it shares with whatever it equals: the first
  // of them, as many as there is room for. How many; of a document without keys, as many.
  std::size_t meet_first_key(const DocumentHashes& document,
                             std::span<DocumentNumber> out) const noexcept;
  // The one that equals the document, of those with its hash, which is given.
  std::optional<DocumentNumber> find_content(std::uint32_t hash,
                                             const DocumentHashes& document) const;
  void add_hash(std::uint32_t hash, DocumentNumber content);  // unless it is there
  std::uint32_t hash_of_content(DocumentNumber content) const noexcept;
  void add_content(const DocumentHashes& document, DocumentNumber number);
  void erase_content(DocumentNumber content) noexcept;
  void release(DocumentNumber number) noexcept;  // to free_
  // Its document, or the first of its copies, that the version has.
  std::optional<DocumentNumber> seen_of(DocumentNumber content, Version at) const;
  std::size_t place_among(const std::vector<DocumentNumber>& copies,
                          DocumentNumber document) const noexcept;

  HashLayout layout_;
  std::uint64_t most_;
  // Keys that texts were made to have would lie side by side in a table, and be pushed aside one by
  // one.
  SecretKeys hidden_;
  // Of the tables, and of all that is counted here: rows are read without it, by those who found
  // their numbers in a version that has them.
  mutable Latch latch_;
  std::vector<FieldPart> fields_;
  Rows<Life> lives_;
  Rows<DocumentNumber> contents_;
  Copies copies_;               // by the number of the content
  std::uint64_t copied_ = 0;    // how many there are
  std::uint64_t orphaned_ = 0;  // contents whose documents have gone, and whose copies have not
  // The content that the next equal one is a copy of, under a hash of its features. One that is
  // alone with its first key need not be here: most documents are never hashed.
  BandTable by_content_;
  // Two bytes of length, then the id. Null: no document has the number.
  Rows<std::unique_ptr<char[]>> ids_;
  DocumentNumber end_ = 0;
  BandTable by_id_;  // under the upper halves of the ids' hashes
  std::vector<DocumentNumber> free_;
  Version newest_ = 0;                   // of all births and deaths
  std::vector<DocumentNumber> removed_;  // and not looked at by reclaim()
  std::size_t left_ = 0;                 // of these by the last one, which had done enough
  std::uint64_t forgotten_ = 0;          // removed when there was no memory to note it
  // Removed ones, under the latest of the versions that readers have and that has them.
  std::map<Version, std::vector<DocumentNumber>> seen_;
  std::uint64_t size_ = 0;  // documents
  std::uint64_t feature_bytes_ = 0;
  std::uint64_t id_bytes_ = 0;
};

}  // namespace benzer
