// Tells what is wrong with the records of one file after another: of many problems with one cause
// the first, and then how many more there are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/corpus_body.h"
#include "io/line_parser.h"
#include "io/line_source.h"

namespace benzer {

class LineProblems {
 public:
  // Of a file whose lines all lack the fields, one sentence says so, and which there are instead.
  LineProblems(ProblemLog& log, const LineFields& fields, bool strict)
      : log_(log), fields_(fields), missing_(LineParser::missing_field(fields)), strict_(strict) {}

  // What follows is of this source: one after the other.
  void come_to(const LineSource& source);
  // A record gave no document.
  void add(std::uint64_t line, const ErrorText& what, std::string_view noun);
  // Some did.
  void found_documents();
  // No more comes of the source.
  void end_source();

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
  bool lacks_all_ = true;                  // no record had the field so far
  Cause held_;                             // while that is so, they are not told
  std::vector<std::uint64_t> held_lines_;  // the first
  std::vector<Cause> causes_;              // in the order in which they came
};

}  // namespace benzer
