// Reads and writes the records of a store's log: documents that were put in, and ids of removed
// ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/store.h"

namespace benzer {

struct LogRecord {
  enum Kind : std::uint32_t { kPut = 1, kRemoval = 2 };

  std::uint64_t number = 0;  // counts up
  std::uint64_t synced = 0;  // bytes of its file that were on the disk when it was written
  bool is_removal = false;   // then the document has only its id
  DocumentHashes document;

  static std::string payload(std::uint64_t number, std::uint64_t synced, bool is_removal,
                             const DocumentHashes& document);
  // Returns false for a record that no log of such a store has, even if its checksum is right.
  bool parse(std::uint32_t kind, std::string_view payload, const HashLayout& layout);

 private:
  bool parse_document(std::uint32_t kind, std::string_view payload, const HashLayout& layout);
};

}  // namespace benzer
