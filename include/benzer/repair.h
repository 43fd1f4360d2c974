// What is sound in a damaged store, in a store again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benzer/index.h"
#include "benzer/schema.h"

namespace benzer {

struct RepairReport {
  struct File {
    std::string name;           // in the store's folder; of a store in Redis its address
    std::string problem;        // one sentence
    std::uint64_t saved = 0;    // documents, or records of a log, that were taken from it
    std::uint64_t lost = 0;     // those that were not, as far as can be told
    bool lost_unknown = false;  // there may have been more
    // Ids of lost documents that could be read, the first 100.
    std::vector<std::string> lost_ids;
    // Documents that are in the store and may have been removed before: who was is not known.
    std::uint64_t returned = 0;
  };
  std::vector<File> files;      // that were damaged
  std::uint64_t documents = 0;  // in the store now
  std::string damaged;          // where the damaged files were copied to; empty: nowhere

  bool was_sound() const noexcept { return files.empty(); }
  // The store holds what it held before: nothing lost, nothing back that was removed.
  bool is_complete() const noexcept;
};

// Brings the store in this folder into order: reads all of it, keeps each document whose own
// checksum is right, rebuilds keys and tables from these, and writes a new manifest. Of a sound
// store nothing is changed. Damaged files are copied to the folder `damaged` in it before anything
// else is done, so it takes as much room as they have twice. Ended in between, it can be done
// again. What is on sectors that cannot be read is lost like damaged bytes. schema: needed if the
// file BENZER is damaged; otherwise it must be the same, which can only be checked where there are
// segments. Errors: Error(kBusy) if somebody writes; Error(kNoStore); Error(kCorrupt) if the schema
// is needed; Error(kInvalidArgument) if it is another one; Error(kStorageFailed).
//
// Of a store in Redis: postings that a write has left which did not come to its end are removed,
// and those are added that a document lacks, also while others use the store.
RepairReport repair_store(const std::string& location, const std::optional<Schema>& schema = {},
                          const ServerOptions& server = {});

}  // namespace benzer
