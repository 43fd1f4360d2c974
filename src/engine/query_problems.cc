#include "engine/query_problems.h"

#include <fmt/format.h>

namespace benzer {

void QueryProblems::add(std::size_t document, ErrorCode code, const std::string& problem) {
  if (!tell_) throw Error(code, fmt::format("document {}: {}", document, problem));
  problems_[document] = {code, problem};
}

void QueryProblems::tell_all() const {
  for (std::size_t i = 0; i < problems_.size(); ++i)
    if (has(i)) tell_(i, Error(problems_[i].code, problems_[i].problem));
}

}  // namespace benzer
