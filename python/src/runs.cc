// Binds runs over a corpus: deduplicate, pairs and audit, of tables and of files.
#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "benzer/dedup.h"
#include "benzer/output.h"
#include "benzer/report.h"

#include "../../apps/shared/audit_report.h"
#include "../../apps/shared/dedup_records.h"
#include "../../apps/shared/guard_rail_error.h"
#include "../../apps/shared/run_summary.h"
#include "../../apps/shared/settings.h"
#include "background.h"
#include "bind.h"
#include "documents.h"
#include "options.h"
#include "report_totals.h"
#include "result_tables.h"
#include "run_documents.h"

namespace nb = nanobind;

namespace benzer::python {
namespace {

using apps::Options;

class DedupRun {
 public:
  DedupRun(nb::dict settings, nb::list tables, nb::list references)
      : options_(options_of(apps::kDedup, settings)) {
    asked_ = apps::dedup_options(options_);
    asked_.collect = options_.pairs_list ? Collect::kSimilar : Collect::kNothing;
    if (options_.report) asked_.collect = Collect::kCompared;
    documents_ = std::make_unique<Documents>(options_, asked_.config.features, tables, references);
  }

  void run(nb::object progress) {
    documents_->run(asked_, std::move(progress), [&] {
      result_ = deduplicate(documents_->corpus(), asked_);
      clusters_ = std::make_unique<Clusters>(result_);
    });
  }

  void check_guard_rails() const {
    const auto breaches = benzer::check_guard_rails(documents_->corpus(), result_);
    if (!breaches.empty()) throw apps::guard_rail_error(documents_->corpus(), breaches);
  }

  std::string summary() const {
    apps::Summary out =
        apps::dedup_summary(options_, documents_->corpus(), documents_->reference_sources(),
                            documents_->counts(), asked_, result_, *clusters_);
    out.output = options_.output.value_or("");
    out.removed_list = options_.removed.value_or("");
    out.report = options_.report.value_or("");
    return out.json();
  }

  nb::object removed() const { return removed_table(documents_->corpus(), result_); }
  nb::object clusters() const { return clusters_table(documents_->corpus(), result_, *clusters_); }
  nb::bytes kept() const { return kept_mask(documents_->corpus(), result_); }
  nb::object annotations() const {
    return annotations_table(documents_->corpus(), result_, *clusters_);
  }
  // Documents of each source, references first.
  std::vector<std::uint64_t> source_sizes() const {
    return benzer::python::source_sizes(documents_->corpus(), result_);
  }

  // The compared pairs that reach the threshold, if they were asked for.
  nb::object pairs() const;

  // The report as a page and as JSON. is_stopped: nothing was written, whatever the options say.
  // totals: the numbers of the whole run, if these documents are a sample of it; else null.
  std::pair<std::string, std::string> report(const std::vector<std::string>& command,
                                             bool is_stopped, const ReportTotals* totals) {
    const Turn turn(reading_);
    Options options = options_;
    options.dry_run |= is_stopped;
    RunFacts facts = apps::run_facts(options, documents_->counts(), documents_->problems());
    facts.command = command;
    Background background(documents_->stop());
    std::pair<std::string, std::string> out;
    DedupOptions asked = asked_;
    asked.stop = background.stop();
    background.run([&] {
      Report report = totals
                          ? collect_report(documents_->corpus(), asked,
                                           totals->of_clusters(result_), facts, &totals->sample())
                          : collect_report(documents_->corpus(), asked, result_, facts);
      if (totals) totals->apply(report);
      out = {report_html(report), report_json(report)};
    });
    return out;
  }

  // The list of removed documents, as the command line writes it.
  std::string removed_lines() const {
    std::string out;
    for (std::size_t i = 0; i < result_.removed.size(); ++i)
      out += apps::removed_line(documents_->corpus(), result_, i);
    return out;
  }

  // Where write() saves the records that were skipped; empty if it does not.
  std::string skipped_path(const std::string& output) const {
    return documents_->skipped_list(output).path();
  }

  // For inputs that are files: writes the records that are kept, or all of them with annotations,
  // and next to them those that were skipped. The files have no names until commit().
  void write(const std::string& path, bool annotated, nb::object progress) {
    const Turn turn(reading_);
    FileCorpus* files = documents_->files();
    if (!files)
      throw Error(ErrorCode::kInvalidArgument, "only records of files are written as they are");
    Background background(documents_->stop(), std::move(progress));
    const auto report = background.report();
    const auto tell = [&](std::uint64_t done) {
      throw_if_stopped(background.stop());
      if (report) report({"write", done, annotated ? result_.counts.documents : result_.kept});
    };
    background.run([&] {
      Written made{OutputFile(path, apps::packing_threads(options_), background.stop()),
                   documents_->skipped_list(path)};
      OutputFile* const skipped = made.skipped.open(documents_->counts(), background.stop());
      if (annotated) {
        files->write_annotated(apps::annotation_of(*files, result_, *clusters_), made.documents,
                               skipped, tell);
      } else {
        std::vector<std::uint32_t> numbers;
        for (const Removal& removal : result_.removed) numbers.push_back(removal.document);
        files->write_kept(numbers, made.documents, skipped, tell);
      }
      made.documents.finish();
      made.skipped.finish();
      if (skipped) skipped_saved_ = documents_->counts().skipped_lines;
      written_ = std::move(made);
    });
  }
  // Gives the files of write() their names, that of the documents last.
  void commit() {
    const Turn turn(reading_);
    const nb::gil_scoped_release release;
    if (!written_) throw Error(ErrorCode::kInvalidArgument, "nothing was written");
    Written made = *std::exchange(written_, std::nullopt);
    skipped_list_ = made.skipped.commit();
    made.documents.commit();
    if (const std::string stale = made.skipped.remove_stale(); !stale.empty())
      documents_->tell(stale);
  }
  // Removes what write() wrote and commit() has not named.
  void discard() { written_.reset(); }

  // The list that commit() named, and how many of the skipped records are in it; empty: none.
  std::string skipped_list() const { return skipped_list_; }
  std::uint64_t skipped_saved() const { return skipped_saved_; }

  void remove_stages() noexcept { documents_->remove_stages(asked_); }

  void note_rows() { documents_->note_rows(); }
  bool has_rows(nb::list tables) { return documents_->has_rows(std::move(tables)); }
  bool reads(const std::string& path) const { return documents_->reads(path); }
  std::vector<std::string> problems() const { return documents_->problems(); }

 private:
  Options options_;
  DedupOptions asked_;
  std::unique_ptr<Documents> documents_;
  DedupResult result_;
  std::unique_ptr<Clusters> clusters_;
  struct Written {
    OutputFile documents;
    apps::SkippedList skipped;
  };
  std::optional<Written> written_;
  std::string skipped_list_;
  std::uint64_t skipped_saved_ = 0;
  std::mutex reading_;
};

nb::object DedupRun::pairs() const {
  const auto for_each = [this](const auto& visit) {
    result_.similar.for_each([&](const ScoredPair& pair) { visit({pair, result_.shares(pair)}); });
  };
  return pairs_table(documents_->corpus(), for_each, asked_.measure);
}

class PairsRun {
 public:
  PairsRun(nb::dict settings, nb::list tables, nb::list references)
      : options_(options_of(apps::kPairs, settings)), asked_(apps::pairs_options(options_)) {
    documents_ = std::make_unique<Documents>(options_, asked_.config.features, tables, references);
  }

  void run(nb::object progress) {
    documents_->run(asked_, std::move(progress), [&] {
      counts_ = find_pairs(documents_->corpus(), asked_,
                           [this](const FoundPair& pair) { pairs_.push_back(pair); });
    });
  }

  nb::object table() const {
    const auto for_each = [this](const auto& visit) {
      for (const FoundPair& pair : pairs_) visit(pair);
    };
    return pairs_table(documents_->corpus(), for_each, asked_.measure);
  }
  std::size_t size() const noexcept { return pairs_.size(); }
  // Documents by their numbers: references first, then the others.
  nb::tuple pair(std::size_t i) const {
    const ScoredPair& pair = pairs_.at(i);
    return nb::make_tuple(pair.a, pair.b, pair.score);
  }
  std::string summary() const {
    apps::Summary out = apps::run_summary(options_, documents_->counts(), asked_, counts_);
    out.pairs = pairs_.size();
    return out.json();
  }
  std::vector<std::string> problems() const { return documents_->problems(); }

 private:
  Options options_;
  PairsOptions asked_;
  std::unique_ptr<Documents> documents_;
  SimilarityCounts counts_;
  std::vector<FoundPair> pairs_;
};

class AuditRun {
 public:
  AuditRun(nb::dict settings, nb::list tables, nb::list references)
      : options_(options_of(apps::kAudit, settings)), asked_(apps::audit_options(options_)) {
    documents_ = std::make_unique<Documents>(options_, asked_.config.features, tables, references);
  }

  void run(nb::object progress) {
    documents_->run(asked_, std::move(progress), [&] {
      report_ = apps::audit_documents(options_, documents_->corpus(), asked_);
      report_.files->skipped = documents_->counts().skipped;
    });
  }

  std::string json() const { return report_.json(); }

 private:
  Options options_;
  AuditOptions asked_;
  std::unique_ptr<Documents> documents_;
  apps::AuditReport report_;
};

}  // namespace

void bind_runs(nb::module_& module) {
  nb::class_<ReportTotals>(module, "ReportTotals")
      .def(nb::init<nb::dict, nb::list, nb::dict, nb::list, nb::list>());
  nb::class_<DedupRun>(module, "DedupRun")
      .def(nb::init<nb::dict, nb::list, nb::list>())
      .def("run", &DedupRun::run, nb::arg("progress").none())
      .def("check_guard_rails", &DedupRun::check_guard_rails)
      .def("summary", &DedupRun::summary)
      .def("removed", &DedupRun::removed)
      .def("clusters", &DedupRun::clusters)
      .def("removed_lines", [](const DedupRun& self) { return python_text(self.removed_lines()); })
      .def("pairs", &DedupRun::pairs)
      .def("kept", &DedupRun::kept)
      .def("annotations", &DedupRun::annotations)
      .def("source_sizes", &DedupRun::source_sizes)
      .def(
          "report",
          [](DedupRun& self, const std::vector<std::string>& command, bool is_stopped,
             const ReportTotals* totals) {
            const auto [page, json] = self.report(command, is_stopped, totals);
            return nb::make_tuple(nb::str(page.data(), page.size()),
                                  nb::str(json.data(), json.size()));
          },
          nb::arg("command"), nb::arg("is_stopped"), nb::arg("totals").none() = nb::none())
      .def("write", &DedupRun::write, nb::arg("path"), nb::arg("annotated"),
           nb::arg("progress").none())
      .def("commit", &DedupRun::commit)
      .def("discard", &DedupRun::discard)
      .def("remove_stages", &DedupRun::remove_stages)
      .def("skipped_path", &DedupRun::skipped_path)
      .def("skipped_list", &DedupRun::skipped_list)
      .def("skipped_saved", &DedupRun::skipped_saved)
      .def("note_rows", &DedupRun::note_rows)
      .def("has_rows", &DedupRun::has_rows)
      .def("reads", &DedupRun::reads)
      .def("problems", &DedupRun::problems);
  nb::class_<PairsRun>(module, "PairsRun")
      .def(nb::init<nb::dict, nb::list, nb::list>())
      .def("run", &PairsRun::run, nb::arg("progress").none())
      .def("table", &PairsRun::table)
      .def("pair", &PairsRun::pair)
      .def("__len__", &PairsRun::size)
      .def("summary", &PairsRun::summary)
      .def("problems", &PairsRun::problems);
  nb::class_<AuditRun>(module, "AuditRun")
      .def(nb::init<nb::dict, nb::list, nb::list>())
      .def("run", &AuditRun::run, nb::arg("progress").none())
      .def("json", &AuditRun::json);
}

}  // namespace benzer::python
