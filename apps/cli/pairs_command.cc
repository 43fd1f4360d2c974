#include <optional>

#include "benzer/output.h"

#include "../shared/dedup_records.h"
#include "../shared/index_settings.h"
#include "../shared/run_summary.h"
#include "../shared/settings.h"
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
  OutputFile out(path, run.packing_threads(), run.stop());

  std::uint64_t found = 0;
  const auto write_pair = [&](const FoundPair& pair) {
    run.check_stop();
    std::optional<Shares> shares;
    if (pairs.measure == Measure::kContainment) shares = pair.shares;
    out.write(pair_line(run.corpus(), pairs.config.features, pair, shares));
    ++found;
  };
  const SimilarityCounts counts = find_pairs(run.corpus(), pairs, write_pair);
  run.check_stop();
  out.commit();

  Summary summary = run_summary(options, run.counts(), pairs, counts);
  summary.pairs = found;
  summary.output = path;
  run.finish(summary);
  return summary.input.skipped > 0 ? kSomeSkipped : kDone;
}

}  // namespace benzer::cli
