// Binds runs that find what documents share, of tables and of files.
#include "benzer/passages.h"

#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "../../apps/shared/passage_json.h"
#include "bind.h"
#include "options.h"
#include "result_tables.h"
#include "run_documents.h"

namespace nb = nanobind;

namespace benzer::python {
namespace {

// Of tables the references are no options, but options depend on whether there are some.
apps::Options given_options(nb::dict settings, nb::list references) {
  apps::Options out = options_of(apps::kPassages, settings);
  if (out.against.empty()) out.against.resize(nb::len(references));
  return out;
}

class PassagesRun {
 public:
  PassagesRun(nb::dict settings, nb::list tables, nb::list references)
      : options_(given_options(settings, references)),
        asked_(apps::passage_options(options_)),
        documents_(options_, asked_.features, tables, references) {}

  void run(nb::object progress) {
    PassageTable found(documents_.corpus());
    documents_.run(asked_, std::move(progress), [&] {
      counts_ = find_passages(documents_.corpus(), asked_,
                              [&](const Passage& passage) { found.add(passage); });
    });
    table_ = found.take();
  }

  nb::object table() const { return table_; }
  std::string summary() const {
    return apps::PassageSummary{asked_, counts_, documents_.counts(), ""}.json(options_);
  }
  std::vector<std::string> problems() const { return documents_.problems(); }

 private:
  apps::Options options_;
  PassageRemovalOptions asked_;
  Documents documents_;
  PassageCounts counts_;
  nb::object table_;
};

}  // namespace

void bind_passages(nb::module_& module) {
  nb::class_<PassagesRun>(module, "PassagesRun")
      .def(nb::init<nb::dict, nb::list, nb::list>())
      .def("run", &PassagesRun::run, nb::arg("progress").none())
      .def("table", &PassagesRun::table)
      .def("summary", &PassagesRun::summary)
      .def("problems", &PassagesRun::problems);
}

}  // namespace benzer::python
