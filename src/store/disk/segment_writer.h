// Writes a segment from documents that come one after another: the one way to make one.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/column_table.h"
#include "base/workspace.h"
#include "store/disk/equal_documents.h"
#include "store/disk/sealed_file.h"
#include "store/disk/segment.h"
#include "store/store.h"

namespace benzer {

// Records go to the file as they come. The keys of their bands are kept aside until the end, and
// sorted one band at a time. A document that equals an earlier one becomes a copy of it; that they
// are equal is seen by reading the earlier one again.
// Memory: 16 bytes a document, 8 more a copy, keys up to 256 MiB (beyond that they go to a
// temporary file without a name in the same folder: 4 bytes a band and document), and 8 bytes a
// document for the band that is sorted; 64 MiB to find equal documents by, and the ids of one
// original's copies. Errors: Error(kStorageFailed). What was not sealed is removed.
class SegmentWriter {
 public:
  static constexpr std::uint64_t kKeyMemory = std::uint64_t{256} << 20;
  // Of one document; the next equal one has keys and copies of its own. So there is an end to what
  // has to be looked at when an original was removed, and to the ids that are sorted at once.
  static constexpr std::uint32_t kMostCopies = 4096;

  // The file must not be there yet. id_seed: of the hashes of ids; segments that have the same one
  // are compared faster.
  SegmentWriter(const std::string& path, const HashLayout& layout, std::uint64_t fingerprint,
                std::uint64_t id_seed, std::uint64_t key_memory = kKeyMemory);

  // Returns the document's number: they count up from 0. Its id must differ from all others, or
  // the former ones be listed as removed.
  DocumentNumber add(const DocumentHashes& document);
  DocumentNumber size() const noexcept { return documents_; }

  // Writes and syncs the rest, unless it is stopped: Error(kInterrupted).
  void seal(const SegmentOrigin& origin, const std::atomic<bool>* stop = nullptr);

 private:
  // The documents that have the field: columns of their numbers and of the keys of each band.
  struct Field {
    std::unique_ptr<ColumnTable> keys;
    std::vector<const void*> row;
  };

  // Of the record that is about to be written; nothing: it equals none that is known.
  std::optional<DocumentNumber> find_original(DocumentNumber number, std::uint64_t brief);
  std::string_view read_back(DocumentNumber document, std::string& buffer) const;
  void append_number(std::uint64_t number) { file_.append(&number, sizeof number); }
  void write_starts();
  void write_ids();
  void write_copies(const std::atomic<bool>* stop);
  void write_table(const ColumnTable& keys, std::uint32_t table);

  const HashLayout layout_;
  const std::uint64_t fingerprint_;
  const std::uint64_t id_seed_;
  SealedFileWriter file_;
  Workspace workspace_;
  std::vector<Field> fields_;
  DocumentNumber documents_ = 0;
  std::uint64_t records_ = 0, starts_begin_ = 0, ids_begin_ = 0, copies_begin_ = 0;
  std::string record_, earlier_;
  EqualDocuments equal_;
  std::vector<std::uint64_t> copies_;  // the original above, the copy below
  std::vector<std::uint64_t> starts_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::uint64_t> entries_;
  std::vector<std::uint8_t> filter_;
  std::vector<std::uint64_t> contents_;  // entries, their number, filter, its blocks: of each band
};

}  // namespace benzer
