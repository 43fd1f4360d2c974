// What it takes to put many documents into an index, and what is told of each.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "benzer/index.h"

namespace benzer::python {

// What adding many documents has done.
class Added {
 public:
  // first: the place of the first document among all of them.
  void count(const std::vector<Document>& documents, const std::vector<IndexResult>& results,
             std::uint64_t first);
  // Returns how many were inserted and replaced, and place, id and problem of those that were
  // refused. Call it with the GIL.
  nanobind::tuple tuple() const;

 private:
  struct Refused {
    std::uint64_t place;
    std::string id, problem;
  };
  std::uint64_t inserted_ = 0, replaced_ = 0;
  std::vector<Refused> refused_;
};

// Adds documents one after the other unless one is similar, so that each is compared with those
// before it, too.
class Checked {
 public:
  // The index must outlive it.
  Checked(Index& index, SimilarOptions options) : index_(index), options_(std::move(options)) {}

  // A document that the index refuses has an answer with a problem, and the others go on. Throws
  // what Index::check_and_add() throws for other reasons. Call it without the GIL.
  void check(const std::vector<Document>& documents, const std::atomic<bool>* stop);
  // Returns for each document whether it was added, the matches, its id, and the problem if it was
  // refused. To be called once, with the GIL.
  nanobind::list list();

 private:
  struct Answer {
    std::string id;
    bool added = false;
    std::vector<Match> matches = {};
    std::string problem = {};
  };

  Index& index_;
  SimilarOptions options_;
  std::vector<Answer> answers_;
};

}  // namespace benzer::python
