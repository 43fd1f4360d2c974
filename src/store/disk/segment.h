// Documents that do not change any more, in one sealed file: for each band of each field the keys
// in order, and a record for each document. docs/format.md has every byte.
#pragma once

#include <functional>

#include "store/disk/sealed_file.h"
#include "store/store.h"

namespace benzer {

// What a segment is written from: a memtable, or another segment without what was removed.
class SegmentSource {
 public:
  virtual ~SegmentSource() = default;
  virtual DocumentNumber end() const = 0;  // one more than the largest number
  virtual bool is_live(DocumentNumber document) const = 0;
  virtual DocumentHashes get_hashes(DocumentNumber document) const = 0;
  // visit(key, document) for all documents that have the field, in any order.
  virtual void for_each_key(
      std::uint32_t field, std::uint32_t band,
      const std::function<void(std::uint32_t key, DocumentNumber document)>& visit) const = 0;
};

// Of a document that is not in the new segment.
inline constexpr DocumentNumber kNoDocument = ~DocumentNumber{0};

struct WrittenSegment {
  DocumentNumber documents = 0;
  std::uint64_t bytes = 0;  // of the content
  // For each source and each of its documents: the number in the segment, or kNoDocument.
  std::vector<std::vector<DocumentNumber>> numbers;
};

// The live documents of all sources, in their order. Memory: 4 bytes a document, and 8 a document
// for sorting one band at a time. Errors: Error(kStorageFailed), Error(kCorrupt) of a source; the
// file is removed then.
WrittenSegment write_segment(const std::string& path, const HashLayout& layout,
                             std::uint64_t fingerprint,
                             std::span<const SegmentSource* const> sources);

// Threads: any number. Errors: Error(kCorrupt) that names the file.
class Segment {
 public:
  Segment(const std::string& path, const HashLayout& layout, std::uint64_t fingerprint);

  DocumentNumber size() const noexcept { return documents_; }
  std::uint64_t bytes() const noexcept { return file_.size(); }

  // visit(document) for those that have the key in the band, ascending.
  template <class Visit>
  void for_each(std::uint32_t field, std::uint32_t band, std::uint32_t key, Visit visit) const {
    const Band& keys = bands_[field * layout_.bands + band];
    if (!may_have(keys, key)) return;
    for (std::uint64_t at = lower_bound(keys.entries, keys.count, key); at < keys.count; ++at) {
      const auto entry = file_.number<std::uint64_t>(keys.entries + 8 * at);
      if (entry >> 32 != key) return;
      visit(check_number(static_cast<DocumentNumber>(entry), keys.entries + 8 * at));
    }
  }
  // False: no document has the key. True: perhaps.
  bool may_have(std::uint32_t field, std::uint32_t band, std::uint32_t key) const {
    return may_have(bands_[field * layout_.bands + band], key);
  }
  // Starts to load what for_each() looks at first.
  void prefetch(std::uint32_t field, std::uint32_t band, std::uint32_t key) const noexcept {
    const Band& keys = bands_[field * layout_.bands + band];
    file_.prefetch(keys.filter + 64 * block_of(keys, key));
  }
  void for_each_key(std::uint32_t field, std::uint32_t band,
                    const std::function<void(std::uint32_t, DocumentNumber)>& visit) const;

  // visit(document) until it says true, for those whose id may be this one.
  bool find(std::string_view id, const std::function<bool(DocumentNumber)>& visit) const;
  std::string_view id(DocumentNumber document) const;
  const std::uint8_t* cut(DocumentNumber document, std::uint32_t field) const;  // or null
  // Replaces what is in `out`.
  void features(DocumentNumber document, std::uint32_t field,
                std::vector<std::uint64_t>& out) const;
  DocumentHashes get_hashes(DocumentNumber document) const;

  // Reads all pages. Throws Error(kCorrupt).
  void check_pages() const;
  // Reads all of it. Throws Error(kCorrupt) for what is damaged or does not fit together.
  void verify() const;

 private:
  struct Band {
    std::uint64_t entries, count;  // 8 bytes each: the key above, the document below; ascending
    std::uint64_t filter, blocks;  // a blocked Bloom filter, 64 bytes a block
  };
  struct Record;

  static std::uint64_t block_of(const Band& band, std::uint32_t key) noexcept {
    return static_cast<std::uint64_t>(key) * band.blocks >> 32;
  }
  bool may_have(const Band& band, std::uint32_t key) const;
  std::uint64_t lower_bound(std::uint64_t entries, std::uint64_t count, std::uint32_t key) const;
  DocumentNumber check_number(DocumentNumber document, std::uint64_t offset) const;
  Record record(DocumentNumber document) const;
  std::uint32_t key_at(std::uint64_t entries, std::uint64_t at) const {
    return static_cast<std::uint32_t>(file_.number<std::uint64_t>(entries + 8 * at) >> 32);
  }
  void check_section(std::uint64_t begin, std::uint64_t count, std::uint64_t width) const;

  HashLayout layout_;
  SealedFile file_;
  DocumentNumber documents_ = 0;
  std::uint64_t records_ = 0, records_end_ = 0;
  std::uint64_t starts_ = 0;  // of records: documents_ + 1 offsets
  std::uint64_t ids_ = 0;     // 8 bytes each: the id's hash above, the document below; ascending
  std::vector<Band> bands_;
};

}  // namespace benzer
