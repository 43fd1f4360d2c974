#include <fmt/format.h>

#include "store/redis_place.h"

namespace benzer {

std::string ScrubReport::str() const {
  return fmt::format(
      "{} documents, of which {} lack {} of their postings, {} records that cannot be read, {} "
      "postings of no document",
      documents, torn, missing, unreadable, strays);
}

}  // namespace benzer
