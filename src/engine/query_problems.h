// Collects which documents of a call about several cannot be asked about.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "benzer/error.h"

namespace benzer {

// Threads: one document belongs to one thread at a time.
class QueryProblems {
 public:
  using Tell = std::function<void(std::size_t document, const Error& problem)>;

  // tell: called by tell_all(); if it is empty, the first problem that is added is thrown.
  QueryProblems(std::size_t documents, const Tell& tell) : tell_(tell), problems_(documents) {}

  // Notes what is wrong with a document, or throws it with the number of the document.
  void add(std::size_t document, ErrorCode code, const std::string& problem);
  // Returns whether something is wrong with the document, so that it is left out.
  bool has(std::size_t document) const noexcept { return !problems_[document].problem.empty(); }
  // Hands over all problems in the order of the documents.
  void tell_all() const;

 private:
  struct Problem {
    ErrorCode code = ErrorCode::kBadInput;
    std::string problem;  // empty if nothing is wrong
  };
  const Tell& tell_;
  std::vector<Problem> problems_;
};

}  // namespace benzer
