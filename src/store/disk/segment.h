// Reads segments: documents that do not change any more, in one sealed file, with the keys of each
// band of each field in order, and a record for each document. Copies, which are equal to an
// earlier document of the segment, have no keys, and are found by way of that document.
// docs/format.md describes every byte.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "store/disk/sealed_file.h"
#include "store/store.h"

namespace benzer {

namespace segment_bytes {
struct ReadRecord;
}

// The number of no document.
inline constexpr DocumentNumber kNoDocument = ~DocumentNumber{0};

// Where a segment comes from, so that a repair can tell which files count if the manifest is lost.
struct SegmentOrigin {
  // The segment's own number, by which it is known under another name. In versions 1 and 2, which
  // do not have it, 0 if the segment was merged.
  std::uint64_t number = 0;
  // Number of the latest segment, written from memory or by a bulk load, that it has documents of.
  std::uint64_t newest = 0;
  // Records of the log from here on may be about its documents; all earlier ones are in segments.
  std::uint64_t log = 0, first_record = 0;
  // Numbers of the segments that it replaces; for a bulk load, whose documents are in no log, 0.
  std::vector<std::uint64_t> merged;
};

// Threads: any number. Errors: Error(kCorrupt) that names the file, UnreadablePage.
//
// Whoever follows what for_each(), may_have(), id(), attributes() and cut() return may meet a page
// that cannot be read any more, and must ask throw_if_more() afterwards. The other functions do
// that themselves.
class Segment {
 public:
  Segment(const std::string& path, const HashLayout& layout, std::uint64_t fingerprint);

  // Returns the fingerprint of the schema that the file was made with; nothing if the file is
  // damaged or cannot be read.
  static std::optional<std::uint64_t> fingerprint_of(const std::string& path);

  DocumentNumber size() const noexcept { return documents_; }
  std::uint64_t bytes() const noexcept { return file_.size(); }
  const Seal& seal() const noexcept { return file_.seal(); }
  const SegmentOrigin& origin() const noexcept { return origin_; }
  std::uint64_t id_seed() const noexcept { return id_seed_; }

  // How often a page could not be read. throw_if_more() throws UnreadablePage if it happened since.
  std::uint64_t failures() const noexcept { return file_.failures(); }
  void throw_if_more(std::uint64_t failures_before) const { file_.throw_if_more(failures_before); }

  // Calls visit(document) for those that have the key in the band, ascending.
  template <class Visit>
  void for_each(std::uint32_t field, std::uint32_t band, std::uint32_t key, Visit visit) const {
    if (start_look_up(field, band, key)) look_up(field, band, key, visit);
  }
  // The same in two steps: whoever starts several look-ups before the first one waits once for what
  // they read, and not for one after the other. Returns false if no document has the key.
  bool start_look_up(std::uint32_t field, std::uint32_t band, std::uint32_t key) const;
  template <class Visit>
  void look_up(std::uint32_t field, std::uint32_t band, std::uint32_t key, Visit visit) const {
    const Band& keys = table(field, band);
    for (std::uint64_t at = lower_bound(keys.entries, keys.count, key); at < keys.count; ++at) {
      const auto entry = file_.number<std::uint64_t>(keys.entries + 8 * at);
      if (entry >> 32 != key) return;
      visit(check_number(static_cast<DocumentNumber>(entry), keys.entries + 8 * at));
    }
  }
  // Returns false if no document has the key; true means perhaps.
  bool may_have(std::uint32_t field, std::uint32_t band, std::uint32_t key) const {
    return may_have(table(field, band), key);
  }
  // Starts to load what for_each() looks at first.
  void prefetch(std::uint32_t field, std::uint32_t band, std::uint32_t key) const noexcept {
    const Band& keys = table(field, band);
    file_.prefetch(keys.filter + 64 * block_of(keys, key));
  }
  // Start to load where the record of a document is, and then the record.
  void start_record(DocumentNumber document) const noexcept;
  void load_record(DocumentNumber document) const;
  // Calls visit(document) for the documents with this id, until it returns true; returns whether it
  // did.
  bool find(std::string_view id, const std::function<bool(DocumentNumber)>& visit) const;
  // Calls visit(document) for each document if a later one has the same id.
  void for_each_earlier(const std::function<void(DocumentNumber)>& visit) const;
  // Calls visit(document, other's document) for all that have the same id; reads both lists of ids.
  void for_each_same_id(const Segment& other,
                        const std::function<void(DocumentNumber, DocumentNumber)>& visit) const;
  bool has_copies() const noexcept { return copies_count_ > 0; }
  // The document that a copy equals; for other documents the document itself.
  DocumentNumber original(DocumentNumber document) const;
  // Calls visit(copy) for the copies of an original in order of id, until it returns false.
  void for_each_copy(DocumentNumber original,
                     const std::function<bool(DocumentNumber)>& visit) const;
  std::string_view id(DocumentNumber document) const;
  // All documents in order of id. The first call reads and sorts all ids (some 0.3 s for half a
  // million), and keeps 4 bytes for each.
  std::span<const DocumentNumber> by_id() const;
  std::string_view attributes(DocumentNumber document) const;
  const std::uint8_t* cut(DocumentNumber document, std::uint32_t field) const;  // or null
  // Replaces what is in `out`.
  void features(DocumentNumber document, std::uint32_t field,
                std::vector<std::uint64_t>& out) const;
  // Compares the record with the checksum of its own, however long ago its page was checked: a page
  // that the system drops is read again from the disk, and may be another by then. So nothing that
  // is made of the document, in a merge or a change, has damage under a checksum that is right.
  DocumentHashes get_hashes(DocumentNumber document) const;

  // Reads all pages. Throws Error(kInterrupted) if it is stopped.
  void check_pages(const std::atomic<bool>* stop = nullptr) const { file_.check_pages(stop); }
  // Reads everything. Throws also for what is damaged or does not fit together.
  void verify() const;

 private:
  struct Band {
    std::uint64_t entries, count;  // 8 bytes each: upper half key, lower half document; ascending
    std::uint64_t filter, blocks;  // a blocked Bloom filter, 64 bytes a block
  };
  struct Record;

  const Band& table(std::uint32_t field, std::uint32_t band) const noexcept {
    return bands_[field * layout_.tables() + layout_.table(band)];
  }
  static std::uint64_t block_of(const Band& band, std::uint32_t key) noexcept {
    return static_cast<std::uint64_t>(key) * band.blocks >> 32;
  }
  bool may_have(const Band& band, std::uint32_t key) const;
  // for_each_same_id() if the lists of ids of both are in the same order.
  void join_ids(const Segment& other,
                const std::function<void(DocumentNumber, DocumentNumber)>& visit) const;
  std::uint64_t lower_bound(std::uint64_t entries, std::uint64_t count, std::uint32_t key) const;
  // Whether a list that ascends has the entry. It does not go through all entries of a key.
  bool has_entry(std::uint64_t entries, std::uint64_t count, std::uint32_t key,
                 DocumentNumber document) const;
  segment_bytes::ReadRecord read_checked(DocumentNumber document) const;
  DocumentNumber check_number(DocumentNumber document, std::uint64_t offset) const;
  Record record(DocumentNumber document) const;
  std::string_view text_at(const Record& record, std::uint64_t place) const;
  // The record of its original.
  Record content(DocumentNumber document) const;
  DocumentNumber original(const Record& record, DocumentNumber document) const;
  void verify_copies() const;
  std::uint32_t key_at(std::uint64_t entries, std::uint64_t at) const {
    return static_cast<std::uint32_t>(file_.number<std::uint64_t>(entries + 8 * at) >> 32);
  }
  void check_section(std::uint64_t begin, std::uint64_t count, std::uint64_t width) const;

  HashLayout layout_;
  SealedFile file_;
  SegmentOrigin origin_;
  DocumentNumber documents_ = 0;
  std::uint64_t records_ = 0, records_end_ = 0;
  std::uint64_t starts_ = 0;  // of records: documents_ + 1 offsets
  std::uint64_t id_seed_ = 0;
  std::uint64_t ids_ = 0;  // 8 bytes each: upper half the id's hash, lower half document; ascending
  // 8 bytes each: original in the upper half, copy in the lower; by original, then the copy's id
  std::uint64_t copies_ = 0, copies_count_ = 0;
  std::vector<Band> bands_;  // for each field its tables
  mutable std::mutex ordering_;
  mutable std::optional<std::vector<DocumentNumber>> by_id_;  // guarded, and final once it is there
};

}  // namespace benzer
