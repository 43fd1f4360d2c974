// Makes the marked texts of a report readable for tests.
#pragma once

#include <string>

#include "benzer/report.h"

namespace benzer {

// Returns a text with its marks: what is shared in [], what it has of its own in {}.
inline std::string marked(const ReportedText& text) {
  std::string out;
  for (const ReportedText::Piece& piece : text.pieces)
    out += piece.mark == Mark::kShared ? "[" + piece.text + "]"
           : piece.mark == Mark::kOwn  ? "{" + piece.text + "}"
                                       : piece.text;
  return out;
}

}  // namespace benzer
