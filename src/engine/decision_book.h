// The decisions of an index: in memory, and in a file of JSON lines beside its store.
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
  // Reads the file, if it is there; changes go into it. Throws Error(kCorrupt).
  explicit DecisionBook(std::string file);

  std::vector<Decision> all() const;
  // As Index has them.
  std::optional<Decision> put(Decision decision);
  bool remove(std::uint64_t id, std::uint64_t version);
  void write(const std::string& file) const;  // nothing, if there were none

 private:
  void change(std::vector<Decision> decisions);

  std::string file_;  // empty: none
  mutable std::mutex mutex_;
  std::vector<Decision> decisions_;  // by id
  std::uint64_t last_id_ = 0;
};

// Decisions by the numbers that documents have for one reader.
class DecidedDocuments {
 public:
  DecidedDocuments(const std::vector<Decision>& decisions, StoreReader& reader);

  bool are_apart(DocumentNumber a, DocumentNumber b) const;
  // From some other one that is named with it.
  bool is_apart(DocumentNumber document) const { return apart_.contains(document); }
  // Those that were chosen come before the others, whoever was chosen last before all.
  void put_keepers_first(std::vector<DocumentNumber>& cluster) const;

 private:
  std::unordered_map<DocumentNumber, std::vector<std::size_t>> apart_;  // which decisions
  std::unordered_map<DocumentNumber, std::size_t> keepers_;             // how late it was chosen
};

}  // namespace benzer
