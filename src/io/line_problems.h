// Reports what is wrong with the records of one file after another: for many problems with one
// cause the first ones, and then how many more there are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/corpus_body.h"
#include "io/line_blocks.h"
#include "io/line_parser.h"
#include "io/line_source.h"

namespace benzer {

// What is wrong if no document has one of the fields that are named beside its text: it is
// misspelt, and ids would be numbers, groups would be compared. Null is a value here. "id", which
// is named by default, may lack. found: bits of ParsedLine::fields_found, of all documents; first:
// where one is.
std::optional<Error> unknown_field(const LineFields& fields, std::uint64_t found,
                                   const LineSource& source, ByteRange first);

class LineProblems {
 public:
  // If all lines of a file lack the fields, one sentence says so and lists the fields they have.
  LineProblems(ProblemLog& log, const LineFields& fields, bool strict)
      : log_(log), fields_(fields), missing_(LineParser::missing_field(fields)), strict_(strict) {}

  // The following calls are about this source. Sources come one after the other.
  void come_to(const LineSource& source);
  // The record at this range of the source gave no document.
  void add(std::uint64_t line, ByteRange range, const ErrorText& what, std::string_view noun);
  // Some records gave documents.
  void found_documents();
  // The source has no more records.
  void end_source();
  // What is wrong if no document was found, and all records of a source lack the fields: their
  // name is misspelt. Outputs of earlier runs must not be replaced by empty ones.
  std::optional<Error> unknown_content() const;

 private:
  struct Cause {
    ErrorText what;
    std::uint64_t count = 0;
    std::uint64_t last_line = 0;
  };

  void tell(std::uint64_t line, const ErrorText& what);
  void tell_held();

  ProblemLog& log_;
  LineFields fields_;
  ErrorText missing_;
  bool strict_;
  const LineSource* source_ = nullptr;
  std::string noun_;
  bool lacks_all_ = true;                  // all records so far lacked the fields
  bool is_content_unknown_ = false;        // so did those of a source before
  Cause held_;                             // those records, not reported as long as that is so
  std::vector<std::uint64_t> held_lines_;  // the lines of the first ones
  ByteRange held_range_;                   // the first one, and those that are next to it
  std::vector<Cause> causes_;              // in the order in which they occurred
};

}  // namespace benzer
