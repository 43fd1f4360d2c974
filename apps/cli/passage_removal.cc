#include "passage_removal.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benzer/output.h"
#include "benzer/passages.h"

#include "../shared/passage_json.h"
#include "../shared/settings.h"
#include "../shared/skipped_list.h"
#include "commands.h"
#include "corpus_run.h"
#include "guard_rails.h"
#include "passage_report_output.h"

namespace benzer::cli {
namespace {

// The files of a removal: all of them appear, or none.
class RemovalOutputs {
 public:
  explicit RemovalOutputs(const Options& options) : options_(options) {
    if (!options.output && !options.dry_run)
      refuse(Parameter{"remove"} + " writes all records, and needs a place for them",
             Parameter{"output", "FILE"} + " (or " + Parameter{"dry_run"} +
                 ", to see the numbers only)");
    documents_path_ = options.output.value_or("");
    removed_path_ = options.removed.value_or("");
    if (options.output && !OutputFile::is_direct(documents_path_))
      (options.removed ? stale_ : removed_path_) = documents_path_ + ".removed.jsonl";
  }

  // Opens the outputs before the work starts, so that one that cannot be written is reported in the
  // first second.
  void open(CorpusRun& run, const PassageOptions& asked) {
    skipped_.name_after(documents_path_, *run.format());
    std::vector<Place> places;
    if (options_.output) places.push_back({"the output", documents_path_});
    if (!removed_path_.empty()) places.push_back({"the removed list", removed_path_});
    if (!skipped_.path().empty()) places.push_back({"the list of skipped lines", skipped_.path()});
    if (options_.report) places.push_back({"the report", *options_.report});
    run.check_outputs(std::move(places));
    if (options_.report) report_.emplace(*options_.report, asked);
    if (options_.dry_run) return;
    documents_.emplace(documents_path_, run.packing_threads(), run.stop());
    open_removed(run);
  }

  // Writes only the report, about what would have been removed.
  void write_report(CorpusRun& run, const PassageRemoval& removal) {
    finish_report(run, removal);
    if (report_) report_->commit();
  }

  // Writes all outputs, and renames the files to their final names together, the documents last. A
  // dry run writes only the report.
  void write(CorpusRun& run, const PassageRemoval& removal, PassageSummary& summary) {
    if (options_.dry_run) {
      write_report(run, removal);
      return;
    }
    finish_report(run, removal);
    OutputFile* const skipped = skipped_.open(run.counts(), run.stop());
    try {
      write_documents(run, removal, *documents_, skipped);
    } catch (const StdoutClosed&) {
      // A reader that closes standard output early is no error, and does not cost the list.
      write_list_only(run, removal);
      commit_lists();
      throw;
    }
    skipped_.finish();
    run.check_stop();
    // The documents are committed last, so that whoever finds them finds their lists, too.
    summary.skipped_list = skipped_.commit();
    commit_lists();
    documents_->commit();
    if (const std::string stale = skipped_.remove_stale(); !stale.empty())
      run.messages().note(stale);
    run.remove_stale(stale_);
    summary.output = documents_path_;
    summary.removed_list = removed_path_;
  }

 private:
  void open_removed(const CorpusRun& run) {
    if (!removed_path_.empty()) removed_.emplace(removed_path_, 1, run.stop());
  }

  void finish_report(CorpusRun& run, const PassageRemoval& removal) {
    if (!report_) return;
    for (const DocumentCuts& document : removal.documents)
      for (const Passage& passage : document.passages) report_->add(passage);
    report_->write(run, options_, removal.counts);
  }

  // Writes and finishes the documents, and the list of what was cut out of them.
  void write_documents(CorpusRun& run, const PassageRemoval& removal, OutputFile& documents,
                       OutputFile* skipped) {
    PassageEdits edits(run.corpus(), removal, removed_ ? &*removed_ : nullptr);
    const std::uint64_t total = removal.counts.documents;
    run.files()->write_edited(edits.edits(), documents, skipped, [&](std::uint64_t written) {
      run.check_stop();
      run.line().update({"write", written, total});
    });
    documents.finish();
    finish_list(edits.is_list_whole());
  }

  // If the reader of standard output closes it early, only this list ends.
  void finish_list(bool is_whole) {
    try {
      if (removed_ && is_whole) removed_->finish();
    } catch (const StdoutClosed&) {
      is_whole = false;
    }
    if (!is_whole) removed_.reset();
  }

  // The list is written together with the documents, so it is begun again without them.
  void write_list_only(CorpusRun& run, const PassageRemoval& removal) {
    if (!removed_) return;
    open_removed(run);
    OutputFile nowhere("/dev/null");
    write_documents(run, removal, nowhere, nullptr);
  }

  void commit_lists() {
    if (removed_) removed_->commit();
    if (report_) report_->commit();
  }

  const Options& options_;
  std::string documents_path_, removed_path_;  // empty: there is none
  std::string stale_;  // where an earlier run may have left its list, which has another name now
  std::optional<OutputFile> documents_, removed_;
  SkippedList skipped_;
  std::optional<PassageReportOutput> report_;
};

}  // namespace

int run_passage_removal(const Options& options) {
  PassageSummary summary;
  summary.asked = passage_options(options);
  if (options.annotate)
    refuse(words("{} removes nothing", {Parameter{"annotate"}}),
           words("leave out {} or {}", {Parameter{"annotate"}, Parameter{"remove"}}));
  RemovalOutputs outputs(options);
  CorpusRun run(options);
  if (run.files() == nullptr || run.format() == InputFormat::kText)
    refuse("passages are removed from records of JSON lines and CSV, and from lines of text",
           words("leave out {}, or give such files", {Parameter{"remove"}}));
  run.connect(summary.asked);
  outputs.open(run, summary.asked);

  const PassageRemoval removal = remove_passages(run.corpus(), summary.asked);
  if (!options.allow_large_clusters) {
    const std::vector<GuardRailBreach> breaches = check_guard_rails(run.corpus(), removal);
    if (!breaches.empty()) {
      outputs.write_report(run, removal);  // it shows best what is wrong
      stop_for_breaches(run, removal, breaches);
    }
  }
  summary.counts = removal.counts;
  summary.removal = &removal;
  outputs.write(run, removal, summary);
  summary.input = run.counts();
  run.finish(summary.json(options), summary.text(options));
  if (!options.dry_run) run.remove_stages(summary.asked);
  return summary.input.skipped > 0 ? kSomeSkipped : kDone;
}

}  // namespace benzer::cli
