#include "benzer/output.h"

#include "../shared/dedup_records.h"
#include "../shared/index_settings.h"
#include "../shared/settings.h"
#include "../shared/summary.h"
#include "commands.h"
#include "corpus_run.h"

namespace benzer::cli {

int run_pairs(const Options& options) {
  if (names_index(options)) return run_index_pairs(options);
  PairsOptions pairs = pairs_options(options);
  const std::string path = options.output.value_or("-");

  CorpusRun run(options);
  run.check_outputs({{"the output", path}});
  run.connect(pairs);
  OutputFile out(path, run.threads(), run.stop());

  Summary summary;
  const auto write_pair = [&](const ScoredPair& pair) {
    run.check_stop();
    out.write(pair_line(run.corpus(), pairs.config.features, pair.a, pair.b, pair.score));
    ++summary.pairs;
  };
  summary.counts = find_pairs(run.corpus(), pairs, write_pair);
  run.check_stop();
  out.commit();

  summary.command = "pairs";
  run.describe(summary, pairs);
  summary.exact = options.exact;
  summary.output = path;
  run.finish(summary);
  return summary.input.skipped > 0 ? kSomeSkipped : kDone;
}

}  // namespace benzer::cli
