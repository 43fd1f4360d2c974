// Writes a segment from documents that come one after another; there is no other way to make one.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/big_list.h"
#include "base/column_table.h"
#include "base/workspace.h"
#include "store/disk/equal_documents.h"
#include "store/disk/sealed_file.h"
#include "store/disk/segment.h"
#include "store/store.h"

namespace benzer {

// Records are written to the file as they come. The keys of their bands are kept aside until the
// end, and sorted one band at a time. A document that equals an earlier one becomes a copy of it;
// the earlier one is read again to see that they are equal.
// Memory: 16 bytes a document, 8 more a copy, keys up to 256 MiB (beyond that they are in a
// temporary file without a name in the same folder: 4 bytes a band and document, or 8 bytes a key
// if documents may have any number of keys), and as much for the table that is sorted (8 bytes a
// key, beyond that in such files, too); 64 MiB to find equal documents, and the ids of the copies
// of one original. Errors: Error(kStorageFailed). A file that was not sealed is deleted.
class SegmentWriter {
 public:
  static constexpr std::uint64_t kKeyMemory = std::uint64_t{256} << 20;
  // The most copies of one document; the next equal one has keys and copies of its own. This limits
  // what has to be looked at when an original was removed, and the ids that are sorted at a time.
  static constexpr std::uint32_t kMostCopies = 4096;

  // The file must not be there yet. id_seed: of the hashes of ids; segments with the same seed are
  // compared faster.
  SegmentWriter(const std::string& path, const HashLayout& layout, std::uint64_t fingerprint,
                std::uint64_t id_seed, std::uint64_t key_memory = kKeyMemory);

  // Returns the document's number; these count up from 0. Its id must differ from all others, or
  // the earlier documents with it must be listed as removed.
  DocumentNumber add(const DocumentHashes& document);
  DocumentNumber size() const noexcept { return documents_; }

  // Writes and syncs the rest. Throws Error(kInterrupted) if it is stopped.
  void seal(const SegmentOrigin& origin, const std::atomic<bool>* stop = nullptr);

 private:
  // The keys in a row of Field::keys: one of each band or, if a document may have any number of
  // keys, one.
  std::uint32_t key_columns() const noexcept { return layout_.sampling ? 1 : layout_.bands; }
  // The documents that have the field: columns of their numbers and of the keys of each band.
  struct Field {
    std::unique_ptr<ColumnTable> keys;
    std::vector<const void*> row;
  };

  // Finds the original of the record that is about to be written; nothing if no known one is equal.
  std::optional<DocumentNumber> find_original(DocumentNumber number, std::uint64_t brief);
  std::string_view read_back(DocumentNumber document, std::string& buffer) const;
  void append_number(std::uint64_t number) { file_.append(&number, sizeof number); }
  void write_starts();
  void write_ids();
  void write_copies(const std::atomic<bool>* stop);
  void write_table(const ColumnTable& keys, std::uint32_t table);
  void write_filter(const BigList<std::uint64_t>& entries);

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
  std::vector<std::uint64_t> copies_;  // the original in the upper half, the copy in the lower
  std::vector<std::uint64_t> starts_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::uint64_t> contents_;  // for each band: entries, their number, filter, its blocks
};

}  // namespace benzer
