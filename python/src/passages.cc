// Binds runs that find what documents share, of tables and of files.
#include "benzer/passages.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "benzer/error.h"
#include "benzer/input.h"
#include "benzer/output.h"
#include "benzer/passage_report.h"
#include "benzer/report.h"

#include "../../apps/shared/guard_rail_error.h"
#include "../../apps/shared/passage_json.h"
#include "../../apps/shared/run_summary.h"
#include "../../apps/shared/settings.h"
#include "background.h"
#include "bind.h"
#include "columns.h"
#include "documents.h"
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

// The page of a run, which shows what documents share.
class Page {
 public:
  // command: the function that was called.
  Page(const PassageOptions& options, Documents& documents, const char* command)
      : reporter_(stopped_by(options, documents)), documents_(documents), command_(command) {}

  // Takes the passages in the order in which they are found.
  void add(const Passage& passage) { reporter_.add(passage); }

  // Makes the page once. It reads the documents again.
  const std::string& html(const apps::Options& options, const PassageCounts& counts) {
    if (!html_.empty()) return html_;
    RunFacts facts = apps::run_facts(options, documents_.counts(), documents_.problems());
    facts.command = {command_};
    Background background(documents_.stop());
    background.run([&] { html_ = reporter_.html(documents_.corpus(), counts, facts); });
    return html_;
  }

 private:
  static PassageOptions stopped_by(PassageOptions options, Documents& documents) {
    options.stop = &documents.stop();
    return options;
  }

  PassageReporter reporter_;
  Documents& documents_;
  const char* command_;
  std::string html_;
};

class PassagesRun {
 public:
  PassagesRun(nb::dict settings, nb::list tables, nb::list references)
      : options_(given_options(settings, references)),
        asked_(apps::passage_options(options_)),
        documents_(options_, asked_.features, tables, references),
        page_(asked_, documents_, "benzer.passages") {}

  void run(nb::object progress) {
    PassageTable found(documents_.corpus());
    documents_.run(asked_, std::move(progress), [&] {
      counts_ = find_passages(documents_.corpus(), asked_, [&](const Passage& passage) {
        found.add(passage);
        page_.add(passage);
      });
    });
    table_ = found.take();
  }

  nb::object table() const { return table_; }
  std::string summary() const {
    return apps::PassageSummary{asked_, counts_, documents_.counts(), ""}.json(options_);
  }
  std::string report() {
    const Turn turn(reading_);
    return page_.html(options_, counts_);
  }
  void remove_stages() noexcept { documents_.remove_stages(asked_); }
  bool reads(const std::string& path) const { return documents_.reads(path); }
  std::vector<std::string> problems() const { return documents_.problems(); }

 private:
  apps::Options options_;
  PassageRemovalOptions asked_;
  Documents documents_;
  Page page_;
  std::mutex reading_;
  PassageCounts counts_;
  nb::object table_;
};

class PassageRemovalRun {
 public:
  PassageRemovalRun(nb::dict settings, nb::list tables, nb::list references)
      : options_(given_options(settings, references)),
        asked_(apps::passage_options(options_)),
        documents_(options_, asked_.features, tables, references),
        page_(asked_, documents_, "benzer.remove_passages") {
    FileCorpus* files = documents_.files();
    if (options_.output && (!files || files->format() == InputFormat::kText))
      apps::refuse(
          "passages are removed from records of JSON lines and CSV, and from lines of text",
          apps::words("leave out {}, or give such files", {Parameter{"output"}}));
  }

  void run(nb::object progress) {
    documents_.run(asked_, std::move(progress), [&] {
      removal_ = remove_passages(documents_.corpus(), asked_);
      for (const DocumentCuts& document : removal_.documents)
        for (const Passage& passage : document.passages) page_.add(passage);
    });
  }

  void check_guard_rails() const {
    const auto breaches = benzer::check_guard_rails(documents_.corpus(), removal_);
    if (!breaches.empty()) throw apps::passage_guard_rail_error(documents_.corpus(), breaches);
  }

  std::string summary() const {
    apps::PassageSummary out{asked_, removal_.counts, documents_.counts(),
                             options_.output.value_or(""), &removal_};
    out.removed_list = options_.removed.value_or("");
    return out.json(options_);
  }

  nb::object passages() const {
    PassageTable table(documents_.corpus(), &removal_);
    std::int64_t row = 0;
    for (const DocumentCuts& document : removal_.documents)
      for (const Passage& passage : document.passages) {
        check_signals(row++);
        table.add(passage);
      }
    return table.take();
  }

  // What is cut. It reads the documents again, as the functions below do.
  nb::object removed() {
    CutTable table(documents_.corpus());
    for_each_cut(
        [&](const DocumentCuts& document, std::string_view text) { table.add(document, text); });
    return table.take();
  }
  // The same as the command line writes it.
  std::string removed_lines() {
    std::string out;
    for_each_cut([&](const DocumentCuts& document, std::string_view text) {
      apps::append_cut_lines(out, documents_.corpus(), removal_, document, text);
    });
    return out;
  }
  nb::object edited_texts() {
    EditedTexts texts;
    for_each_cut(
        [&](const DocumentCuts& document, std::string_view text) { texts.add(document, text); });
    return texts.take();
  }
  nb::bytes kept() const { return kept_mask(documents_.corpus(), removal_); }
  nb::bytes edited() const { return edited_mask(documents_.corpus(), removal_); }

  // Where write() saves the records that were skipped; empty if it does not.
  std::string skipped_path(const std::string& output) const {
    return documents_.skipped_list(output).path();
  }

  // For inputs that are records of files: writes these without their passages, the list of what was
  // cut, unless its name is empty, and the records that were skipped.
  void write(const std::string& path, const std::string& removed_path, nb::object progress) {
    const Turn turn(reading_);
    Background background(documents_.stop(), std::move(progress));
    const auto report = background.report();
    background.run([&] {
      OutputFile out(path, apps::packing_threads(options_), background.stop());
      std::optional<OutputFile> removed;
      if (!removed_path.empty()) removed.emplace(removed_path, 1, background.stop());
      apps::PassageEdits edits(documents_.corpus(), removal_, removed ? &*removed : nullptr);
      apps::SkippedList list = documents_.skipped_list(path);
      OutputFile* const skipped = list.open(documents_.counts(), background.stop());
      documents_.files()->write_edited(edits.edits(), out, skipped, [&](std::uint64_t done) {
        throw_if_stopped(background.stop());
        if (report) report({"write", done, removal_.counts.documents});
      });
      out.finish();
      list.finish();
      // The records are committed last, so that whoever finds them finds the lists, too.
      skipped_list_ = list.commit();
      if (removed) removed->commit();
      out.commit();
      if (const std::string stale = list.remove_stale(); !stale.empty()) documents_.tell(stale);
    });
  }
  // The list that write() wrote of the records that were skipped; empty: none.
  std::string skipped_list() const { return skipped_list_; }

  std::string report() {
    const Turn turn(reading_);
    return page_.html(options_, removal_.counts);
  }
  void remove_stages() noexcept { documents_.remove_stages(asked_); }
  void note_rows() { documents_.note_rows(); }
  bool has_rows(nb::list tables) { return documents_.has_rows(std::move(tables)); }
  bool reads(const std::string& path) const { return documents_.reads(path); }
  std::vector<std::string> problems() const { return documents_.problems(); }

 private:
  // Reads the documents that lose something, in order.
  void for_each_cut(const std::function<void(const DocumentCuts&, std::string_view)>& visit) {
    const Turn turn(reading_);
    Background background(documents_.stop());
    background.run([&] {
      std::vector<std::uint32_t> numbers;
      for (const DocumentCuts& document : removal_.documents)
        if (!document.cuts.empty()) numbers.push_back(document.document);
      documents_.corpus().prepare(numbers);
      const auto reader = documents_.corpus().reader();
      for (const DocumentCuts& document : removal_.documents) {
        if (document.cuts.empty()) continue;
        throw_if_stopped(background.stop());
        visit(document, reader->read(document.document).text);
      }
    });
  }

  apps::Options options_;
  PassageRemovalOptions asked_;
  Documents documents_;
  Page page_;
  PassageRemoval removal_;
  std::string skipped_list_;
  std::mutex reading_;
};

}  // namespace

void bind_passages(nb::module_& module) {
  nb::class_<PassagesRun>(module, "PassagesRun")
      .def(nb::init<nb::dict, nb::list, nb::list>())
      .def("run", &PassagesRun::run, nb::arg("progress").none())
      .def("table", &PassagesRun::table)
      .def("summary", &PassagesRun::summary)
      .def("report", [](PassagesRun& self) { return python_text(self.report()); })
      .def("remove_stages", &PassagesRun::remove_stages)
      .def("reads", &PassagesRun::reads)
      .def("problems", &PassagesRun::problems);
  nb::class_<PassageRemovalRun>(module, "PassageRemovalRun")
      .def(nb::init<nb::dict, nb::list, nb::list>())
      .def("run", &PassageRemovalRun::run, nb::arg("progress").none())
      .def("check_guard_rails", &PassageRemovalRun::check_guard_rails)
      .def("summary", &PassageRemovalRun::summary)
      .def("passages", &PassageRemovalRun::passages)
      .def("removed", &PassageRemovalRun::removed)
      .def("removed_lines",
           [](PassageRemovalRun& self) { return python_text(self.removed_lines()); })
      .def("edited_texts", &PassageRemovalRun::edited_texts)
      .def("kept", &PassageRemovalRun::kept)
      .def("edited", &PassageRemovalRun::edited)
      .def("write", &PassageRemovalRun::write, nb::arg("path"), nb::arg("removed"),
           nb::arg("progress").none())
      .def("skipped_path", &PassageRemovalRun::skipped_path)
      .def("skipped_list", &PassageRemovalRun::skipped_list)
      .def("report", [](PassageRemovalRun& self) { return python_text(self.report()); })
      .def("remove_stages", &PassageRemovalRun::remove_stages)
      .def("note_rows", &PassageRemovalRun::note_rows)
      .def("has_rows", &PassageRemovalRun::has_rows)
      .def("reads", &PassageRemovalRun::reads)
      .def("problems", &PassageRemovalRun::problems);
}

}  // namespace benzer::python
