#include "benzer/output.h"
#include "benzer/passages.h"

#include "../shared/passage_json.h"
#include "../shared/settings.h"
#include "commands.h"
#include "corpus_run.h"

namespace benzer::cli {
namespace {

void write_annotated(CorpusRun& run, const PassageAnnotation& lists, OutputFile& out) {
  run.files()->write_annotated(lists.annotation(), out, nullptr, [&](std::uint64_t written) {
    run.check_stop();
    run.line().update({"write", written, 0});
  });
}

}  // namespace

int run_passages(const Options& options) {
  PassageSummary summary;
  summary.asked = passage_options(options);
  summary.output = options.output.value_or("-");
  if (options.annotate && !options.output)
    refuse(Parameter{"annotate"} + " writes all records, and needs a place for them",
           Parameter{"output", "FILE"});

  CorpusRun run(options,
                [&](InputOptions& input) { input.group_field = options.across.value_or(""); });
  if (options.annotate && run.files() == nullptr)
    refuse("records of tables are not annotated here", "leave out " + Parameter{"annotate"});
  run.check_outputs({{"the output", summary.output}});
  run.connect(summary.asked);
  OutputFile out(summary.output, run.threads(), run.stop());

  PassageAnnotation lists;
  summary.counts = find_passages(run.corpus(), summary.asked, [&](const Passage& passage) {
    if (options.annotate) {
      lists.add(run.corpus(), passage);
    } else {
      out.write(passage_json(run.corpus(), passage).str() + "\n");
    }
  });
  run.check_stop();
  if (options.annotate) write_annotated(run, lists, out);
  out.commit();
  summary.input = run.counts();
  run.finish(summary.json(options), summary.text(options));
  return summary.input.skipped > 0 ? kSomeSkipped : kDone;
}

}  // namespace benzer::cli
