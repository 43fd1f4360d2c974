// Keeps the decisions of an index in memory and, for an index in a folder, in a file of JSON lines
// next to its store. The first line has a checksum of the others.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "benzer/index.h"

#include "store/store.h"

namespace benzer {

// Threads: any number.
class DecisionBook {
 public:
  DecisionBook() = default;
  // Reads the file, if it exists; changes are written to it. Throws Error(kCorrupt) and
  // Error(kStorageFailed).
  explicit DecisionBook(std::string file);

  std::vector<Decision> all() const;
  // Does what Index::decision_from() promises.
  std::optional<Decision> from(std::uint64_t id) const;
  // These do what Index::put_decision() and Index::remove_decision() promise.
  std::optional<Decision> put(Decision decision);
  bool remove(std::uint64_t id, std::uint64_t version);
  // Writes the decisions as they are now, also if another process has changed them since they were
  // read, to another file. Returns false, and writes nothing, if there has never been a decision.
  bool write(const std::string& file) const;
  // Reads the file again, if there is one. Throws Error(kCorrupt) if it is damaged, or missing
  // although there has been a decision, and Error(kStorageFailed).
  void verify() const;

 private:
  // lines: the decisions as the file has them.
  void change(std::vector<Decision> decisions, const std::string& lines, std::uint64_t last_id);

  std::string file_;  // empty: decisions are kept in memory only
  mutable std::mutex mutex_;
  std::vector<Decision> decisions_;  // by id
  std::uint64_t last_id_ = 0;
};

// Looks up decisions by the numbers that one reader gives the documents.
class DecidedDocuments {
 public:
  DecidedDocuments(const std::vector<Decision>& decisions, StoreReader& reader);

  // Whether a decision says that the two documents are not duplicates.
  bool are_apart(DocumentNumber a, DocumentNumber b) const;
  // Whether a decision says that the document is not a duplicate of some others.
  bool is_apart(DocumentNumber document) const { return apart_.contains(document); }
  // Whether a decision names the document as a keeper.
  bool is_chosen(DocumentNumber document) const { return keepers_.contains(document); }
  // Moves the documents that decisions name as keepers to the front, the latest decision first.
  void put_keepers_first(std::vector<DocumentNumber>& cluster) const;

 private:
  std::unordered_map<DocumentNumber, std::vector<std::size_t>> apart_;  // decisions, by time
  std::unordered_map<DocumentNumber, std::size_t> keepers_;             // the last decision
};

}  // namespace benzer
