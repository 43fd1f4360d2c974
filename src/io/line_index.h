// Where each document of a corpus of lines stands: 16 bytes a document and its id.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/line_results.h"

namespace benzer {

class LineIndex {
 public:
  struct Place {
    std::uint32_t source = 0;
    std::uint64_t line = 0;  // 1-based
    ByteRange range;         // with the line end
    std::string_view id;     // one JSON token; empty: none
  };

  // Adds the documents of a block that begins at `offset` of the source, behind `lines_before`
  // lines.
  void append(std::uint32_t source, std::uint64_t offset, std::uint64_t lines_before,
              const ParsedBlock& parsed);

  std::uint32_t size() const noexcept { return size_; }
  Place at(std::uint32_t document) const noexcept;

  // Documents whose id an earlier one has, by 64-bit hash. Call once: it uses up the hashes.
  std::uint64_t count_duplicate_ids();

 private:
  struct Block {
    std::uint32_t first_document;
    std::uint32_t source;
    std::uint64_t offset;
    std::uint64_t lines_before;
    std::vector<LineEntry> documents;
    std::string ids;
  };

  std::vector<Block> blocks_;
  std::vector<std::vector<std::uint64_t>> id_hashes_;
  std::uint32_t size_ = 0;
};

}  // namespace benzer
