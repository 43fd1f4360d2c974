#include "index_additions.h"

#include <utility>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "benzer/runtime.h"

#include "documents.h"

namespace nb = nanobind;

namespace benzer::python {

void Added::count(const std::vector<Document>& documents, const std::vector<IndexResult>& results,
                  std::uint64_t first) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    switch (results[i].outcome) {
      case IndexResult::Outcome::kInserted:
        ++inserted_;
        break;
      case IndexResult::Outcome::kReplaced:
        ++replaced_;
        break;
      default:
        refused_.push_back({first + i, documents[i].id, results[i].problem});
    }
  }
}

nb::tuple Added::tuple() const {
  nb::list list;
  for (const Refused& one : refused_)
    list.append(nb::make_tuple(one.place, python_text(one.id), python_text(one.problem)));
  return nb::make_tuple(inserted_, replaced_, list);
}

void Checked::check(const std::vector<Document>& documents, const std::atomic<bool>* stop) {
  options_.stop = stop;
  for (const Document& document : documents) {
    throw_if_stopped(stop);
    HashedDocuments hashed = index_.hash_documents({document}, 1, stop);
    if (const std::string& problem = hashed.problems()[0]; !problem.empty()) {
      answers_.push_back({.id = document.id, .problem = problem});
      continue;
    }
    CheckResult result = index_.check_and_add(document, std::move(hashed), options_);
    answers_.push_back({document.id, result.added, std::move(result.matches)});
  }
}

nb::list Checked::list() {
  nb::list out;
  for (Answer& one : answers_)
    out.append(nb::make_tuple(one.added, std::move(one.matches), python_text(one.id),
                              python_text(one.problem)));
  return out;
}

}  // namespace benzer::python
