#include <optional>

#include "benzer/output.h"
#include "benzer/passages.h"

#include "../shared/passage_json.h"
#include "../shared/settings.h"
#include "commands.h"
#include "corpus_run.h"
#include "passage_removal.h"
#include "passage_report_output.h"

namespace benzer::cli {
namespace {

void write_annotated(CorpusRun& run, const PassageAnnotation& lists, OutputFile& out) {
  run.files()->write_annotated(lists.annotation(), out, nullptr, [&](std::uint64_t written) {
    run.check_stop();
    run.line().update({"write", written, 0});
  });
}

// These say how passages are removed.
void refuse_removal_options(const Options& options) {
  const auto check = [](bool given, const char* name) {
    if (given) refuse(words("{} has no effect without {}", {Parameter{name}, Parameter{"remove"}}));
  };
  check(options.at.has_value(), "at");
  check(options.min_left.has_value(), "min_left");
  check(options.removed.has_value(), "removed");
  check(options.dry_run, "dry_run");
  check(options.allow_large_clusters, "allow_large_clusters");
}

}  // namespace

int run_passages(const Options& options) {
  if (options.remove) return run_passage_removal(options);
  refuse_removal_options(options);
  PassageSummary summary;
  summary.asked = passage_options(options);
  summary.output = options.output.value_or("-");
  if (options.annotate && !options.output)
    refuse(Parameter{"annotate"} + " writes all records, and needs a place for them",
           Parameter{"output", "FILE"});

  CorpusRun run(options);
  if (options.annotate && run.files() == nullptr)
    refuse("records of tables are not annotated here", "leave out " + Parameter{"annotate"});
  std::vector<Place> outputs{{"the output", summary.output}};
  if (options.report) outputs.push_back({"the report", *options.report});
  run.check_outputs(outputs);
  run.connect(summary.asked);
  OutputFile out(summary.output, run.packing_threads(), run.stop());

  std::optional<PassageReportOutput> report;
  if (options.report) report.emplace(*options.report, summary.asked);

  PassageAnnotation lists;
  std::optional<StdoutClosed> closed;
  summary.counts = find_passages(run.corpus(), summary.asked, [&](const Passage& passage) {
    if (report) report->add(passage);
    if (options.annotate) {
      lists.add(run.corpus(), passage);
    } else if (!closed) {
      try {
        out.write(passage_json(run.corpus(), passage).str() + "\n");
      } catch (const StdoutClosed& error) {
        if (!report) throw;
        closed = error;  // go on for the report
      }
    }
  });
  run.check_stop();
  if (report) report->write(run, options, summary.counts);
  try {
    if (closed) throw StdoutClosed(*closed);
    if (options.annotate) write_annotated(run, lists, out);
    out.finish();
  } catch (const StdoutClosed&) {
    // A reader that closes standard output early is no error, and does not cost the report.
    if (report) report->commit();
    throw;
  }
  if (report) report->commit();
  out.commit();
  summary.input = run.counts();
  run.finish(summary.json(options), summary.text(options));
  run.remove_stages(summary.asked);
  return summary.input.skipped > 0 ? kSomeSkipped : kDone;
}

}  // namespace benzer::cli
