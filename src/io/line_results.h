// Parses a block of lines into what scan() keeps of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/error.h"

#include "io/line_blocks.h"
#include "io/record_parser.h"

namespace benzer {

// Where a document is, relative to its block. 16 bytes a document.
struct LineEntry {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;  // with the line end
  std::uint32_t line = 0;    // the first one of the record; 0 is the first line of the block
  std::uint32_t id_end = 0;  // in the block's ids; the id begins where the previous one ends
};

// The parameter that allows longer records, in brackets, as sentences name it at their end.
ErrorText in_brackets_max_line();

struct LineProblem {
  std::uint64_t line = 0;  // relative to the block
  ByteRange range;         // in the source, with the line end
  std::string what;
  bool is_too_long = false;  // max_line would allow it
  std::string more;          // text after the parameter's name

  ErrorText text() const;
};

// How long a record may be.
struct RecordLimits {
  std::uint64_t allowed = 0;  // longer ones are skipped
  std::uint64_t room = 0;     // longer ones end the run, as the memory limit has no room for them
  std::uint64_t memory = 0;   // the memory limit; 0: none

  RecordLimits() = default;
  explicit RecordLimits(std::uint64_t longest, std::uint64_t memory_limit = 0) noexcept;
  // The most bytes of a record that may be held in memory.
  std::uint64_t held() const noexcept { return std::min(allowed, room); }
  // What is wrong with a record that is longer than held(). The caller appends
  // in_brackets_max_line().
  std::string too_long(std::string_view noun, std::uint64_t bytes) const;
  // The same for one that is longer than `room`, which cannot be skipped.
  std::string has_no_room(std::string_view noun, std::uint64_t bytes) const;
};

struct ParsedBlock {
  std::vector<LineEntry> documents;
  std::string ids;                       // JSON tokens, one after the other
  std::vector<std::uint64_t> id_hashes;  // of the documents that have an id
  std::vector<LineProblem> problems;     // records that gave no document
  std::optional<LineProblem> refused;    // a record that ends the run
  // The line of the first record with a field of LineFields::added, and the field.
  std::optional<std::pair<std::uint64_t, std::string>> annotated;
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;  // of the documents' records
  std::uint64_t without_group = 0;
  std::uint64_t without_number = 0;
  std::uint64_t fields_found = 0;  // by any document; bits of ParsedLine

  // Adds the next document, of which all but id_end is given, and its id, a JSON token; empty if it
  // has none. Throws Error(kBadInput) if the ids take more than 4 GiB.
  void add(LineEntry document, std::string_view id_json);
  void clear();
  std::uint64_t held_bytes() const noexcept;
};

// Parses the records of the block and its tail; hands every document to `sink`.
void parse_block(const LineBlock& block, const RecordLimits& limits, RecordParser& parser,
                 DocumentVisitor::Block& sink, ParsedBlock& out);

}  // namespace benzer
