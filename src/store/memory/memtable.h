// Documents by number, with a hash table for each band of each field.
//
// Where the bytes of a document with one field go, at 16 bands and 128 slots: 171 into the tables
// (16 entries of 8 bytes at a load of three quarters), 64 into the keys, which a removal needs to
// find its entries, 64 into the cut signature. Apart from that, 8 for each feature, and the id.
#pragma once

#include <memory>
#include <vector>

#include "base/secret.h"
#include "store/memory/band_table.h"
#include "store/store.h"

namespace benzer {

// Rows of equal width that never move.
template <class T>
class Rows {
 public:
  explicit Rows(std::size_t width) : width_(width) {}
  // Makes room for the row if there was none; new ones are zeros.
  T* make(std::size_t row) {
    while (row / kRowsInChunk >= chunks_.size())
      chunks_.push_back(std::make_unique<T[]>(width_ * kRowsInChunk));
    return at(row);
  }
  T* at(std::size_t row) { return chunks_[row / kRowsInChunk].get() + row % kRowsInChunk * width_; }
  const T* at(std::size_t row) const {
    return chunks_[row / kRowsInChunk].get() + row % kRowsInChunk * width_;
  }
  std::size_t bytes() const noexcept { return chunks_.size() * kRowsInChunk * width_ * sizeof(T); }

 private:
  static constexpr std::size_t kRowsInChunk = 1024;
  std::size_t width_;
  std::vector<std::unique_ptr<T[]>> chunks_;
};

// Threads: any number of readers, or one writer.
class Memtable {
 public:
  // Of more the tables have no numbers (BandTable).
  static constexpr std::uint64_t kMost = BandTable::kMostNumbers;

  // most: documents at a time; tests lower it.
  explicit Memtable(const HashLayout& layout, std::uint64_t most = kMost);

  // Nothing of it is checked. If there is a document of the same id, one of the two must be removed
  // before find() is asked for it. Throws Error(kStorageFailed) for a document more than there may
  // be. On that and on std::bad_alloc everything is as it was.
  DocumentNumber add(const DocumentHashes& document);
  // Leaves no trace. The number may be given to another document later.
  void remove(DocumentNumber document) noexcept;

  std::optional<DocumentNumber> find(std::string_view id) const;
  // visit(document) for each band in which the document has the query's key.
  template <class Visit>
  void meet(const FieldHashes& query, Visit visit) const {
    const std::vector<BandTable>& bands = fields_[query.field].bands;
    for (std::uint32_t band = 0; band < layout_.bands; ++band)
      if (layout_.is_key(query.keys[band]))
        bands[layout_.table(band)].for_each(hidden_(query.keys[band]), visit);
  }
  // Starts to load what meet() looks at first.
  void prefetch(const FieldHashes& query) const noexcept {
    const std::vector<BandTable>& bands = fields_[query.field].bands;
    for (std::uint32_t band = 0; band < layout_.bands; ++band)
      bands[layout_.table(band)].prefetch(hidden_(query.keys[band]));
  }

  std::string_view id(DocumentNumber document) const noexcept;
  bool has(DocumentNumber document, std::uint32_t field) const noexcept {
    return fields_[field].features[document] != nullptr;
  }
  const std::uint8_t* cut(DocumentNumber document, std::uint32_t field) const noexcept {
    return has(document, field) ? fields_[field].cuts.at(document) : nullptr;
  }
  std::span<const std::uint64_t> features(DocumentNumber document,
                                          std::uint32_t field) const noexcept;
  DocumentHashes get_hashes(DocumentNumber document) const;

  // One more than the largest number; some between may be free.
  DocumentNumber end() const noexcept { return static_cast<DocumentNumber>(ids_.size()); }
  bool is_taken(DocumentNumber document) const noexcept { return ids_[document] != nullptr; }
  std::uint64_t size() const noexcept { return size_; }

  StoreBytes bytes() const noexcept;
  // About the sum of them, at once.
  std::uint64_t rough_bytes() const noexcept;

  std::uint32_t key(DocumentNumber document, std::uint32_t field,
                    std::uint32_t band) const noexcept {
    return fields_[field].keys.at(document)[band];
  }

 private:
  struct FieldPart {
    explicit FieldPart(const HashLayout& layout)
        : bands(layout.tables()), keys(layout.bands), cuts(layout.cut_bytes()) {}
    std::vector<BandTable> bands;  // or the one table
    Rows<std::uint32_t> keys;
    Rows<std::uint8_t> cuts;
    // Of each document: their number, then the features. Null: it lacks the field.
    std::vector<std::unique_ptr<std::uint64_t[]>> features;
  };

  DocumentNumber free_number();

  HashLayout layout_;
  std::uint64_t most_;
  // Keys that texts were made to have would lie side by side in a table, and be pushed aside one by
  // one.
  SecretKeys hidden_;
  std::vector<FieldPart> fields_;
  // Two bytes of length, then the id. Null: the number is free.
  std::vector<std::unique_ptr<char[]>> ids_;
  BandTable by_id_;  // under the upper halves of the ids' hashes
  std::vector<DocumentNumber> free_;
  std::uint64_t size_ = 0;  // documents
  std::uint64_t feature_bytes_ = 0;
  std::uint64_t id_bytes_ = 0;
};

}  // namespace benzer
