// Which parts of a document the comparison with another one saw there, too.
#pragma once

#include <string>

namespace benzer {

enum class Mark {
  kNone,    // no shingle covers it: punctuation, blanks
  kShared,  // a shingle (or value) covers it that the other document has, too
  kOwn,     // only shingles cover it that the other document does not have
};

struct MarkedPiece {
  Mark mark = Mark::kNone;
  std::string text;  // valid UTF-8
};

}  // namespace benzer
