// One record of a store's log: a document that was put in, or the id of one that was removed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/store.h"

namespace benzer {

struct LogRecord {
  enum Kind : std::uint32_t { kPut = 1, kRemoval = 2 };

  std::uint64_t number = 0;  // counting up
  std::uint64_t synced = 0;  // bytes of its file that were on the disk when it was written
  bool is_removal = false;   // of the document's id; otherwise all of it
  DocumentHashes document;

  static std::string payload(std::uint64_t number, std::uint64_t synced, bool is_removal,
                             const DocumentHashes& document);
  // False for a record with the right checksum that no log of such a store has.
  bool parse(std::uint32_t kind, std::string_view payload, const HashLayout& layout);

 private:
  bool parse_document(std::uint32_t kind, std::string_view payload, const HashLayout& layout);
};

}  // namespace benzer
