#include "passage_removal.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benzer/output.h"
#include "benzer/passages.h"

#include "../shared/passage_json.h"
#include "../shared/settings.h"
#include "commands.h"
#include "corpus_run.h"
#include "guard_rails.h"
#include "passage_report_output.h"
#include "skipped_list.h"

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
    if (options.removed)
      removed_path_ = *options.removed;
    else if (options.output && !OutputFile::is_direct(documents_path_))
      removed_path_ = documents_path_ + ".removed.jsonl";
  }

  void open(CorpusRun& run) {
    skipped_.name_after(documents_path_, run);
    std::vector<Place> places;
    if (options_.output) places.push_back({"the output", documents_path_});
    if (!removed_path_.empty()) places.push_back({"the removed list", removed_path_});
    if (!skipped_.path().empty()) places.push_back({"the list of skipped lines", skipped_.path()});
    if (options_.report) places.push_back({"the report", *options_.report});
    run.check_outputs(std::move(places));
    if (options_.dry_run) return;
    documents_.emplace(documents_path_, run.threads(), run.stop());
    if (!removed_path_.empty()) removed_.emplace(removed_path_, 1, run.stop());
  }

  void write(CorpusRun& run, const PassageRemoval& removal, PassageSummary& summary) {
    if (options_.dry_run) return;
    PassageEdits edits(run.corpus(), removal, removed_ ? &*removed_ : nullptr);
    const std::uint64_t total = removal.counts.documents;
    run.files()->write_edited(edits.edits(), *documents_, skipped_.open(run),
                              [&](std::uint64_t written) {
                                run.check_stop();
                                run.line().update({"write", written, total});
                              });
    documents_->finish();
    if (removed_) removed_->finish();
    skipped_.finish();
    run.check_stop();
    // The documents are committed last, so that whoever finds them finds their lists, too.
    summary.skipped_list = skipped_.commit();
    if (removed_) removed_->commit();
    documents_->commit();
    skipped_.remove_stale(run);
    summary.output = documents_path_;
    summary.removed_list = removed_path_;
  }

 private:
  const Options& options_;
  std::string documents_path_, removed_path_;  // empty: there is none
  std::optional<OutputFile> documents_, removed_;
  SkippedList skipped_;
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
  outputs.open(run);
  run.connect(summary.asked);

  std::optional<PassageReportOutput> report;
  if (options.report) report.emplace(*options.report, summary.asked);

  const PassageRemoval removal = remove_passages(run.corpus(), summary.asked);
  if (report) {  // also if a guard rail stops the run: it shows best what is wrong
    for (const DocumentCuts& document : removal.documents)
      for (const Passage& passage : document.passages) report->add(passage);
    report->write(run, options, removal.counts);
    report->commit();
  }
  if (!options.allow_large_clusters) {
    const std::vector<GuardRailBreach> breaches = check_guard_rails(run.corpus(), removal);
    if (!breaches.empty()) stop_for_breaches(run, removal, breaches);
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
