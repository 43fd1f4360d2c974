#include "benzer/output.h"
#include "benzer/passages.h"

#include "../shared/passage_json.h"
#include "commands.h"
#include "corpus_run.h"

namespace benzer::cli {

int run_passages(const Options& options) {
  PassageOptions passages = passage_options(options);
  PassageSummary summary;
  summary.output = options.output.value_or("-");

  CorpusRun run(options,
                [&](InputOptions& input) { input.group_field = options.across.value_or(""); });
  run.check_outputs({{"the output", summary.output}});
  run.connect(passages);
  OutputFile out(summary.output, run.threads(), run.stop());

  summary.counts = find_passages(run.corpus(), passages, [&](const Passage& passage) {
    out.write(passage_json(run.corpus(), passage).str() + "\n");
  });
  run.check_stop();
  out.commit();
  summary.input = run.counts();
  run.finish(summary.json(options), summary.text(options));
  return summary.input.skipped > 0 ? kSomeSkipped : kDone;
}

}  // namespace benzer::cli
