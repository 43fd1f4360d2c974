#include "benzer/dedup.h"

#include "../shared/index_settings.h"
#include "../shared/run_summary.h"
#include "../shared/settings.h"
#include "commands.h"
#include "corpus_run.h"
#include "dedup_outputs.h"
#include "guard_rails.h"

namespace benzer::cli {

int run_dedup(const Options& options) {
  if (names_index(options)) return run_index_dedup(options);
  if (options.stage) return run_sketch_stage(options);
  DedupOptions dedup = dedup_options(options);
  DedupOutputs outputs(options);

  CorpusRun run(options);
  outputs.fit(run);
  run.check_outputs(outputs.named());
  run.connect(dedup);
  outputs.open(run);

  const DedupResult result = deduplicate(run.corpus(), dedup);
  if (!options.allow_large_clusters) {
    const std::vector<GuardRailBreach> breaches = check_guard_rails(run.corpus(), result);
    if (options.annotate) {
      note_breaches(run, breaches);
    } else if (!breaches.empty()) {
      outputs.write_report(run, dedup, result);  // it shows best what is wrong
      stop_for_breaches(run, result, breaches);
    }
  }

  const Clusters clusters(result);
  Summary summary = dedup_summary(options, run.corpus(), run.reference_sources(), run.counts(),
                                  dedup, result, clusters);
  outputs.write(run, dedup, result, clusters, summary);
  run.finish(summary);
  if (!options.dry_run) run.remove_stages(dedup);
  return summary.input.skipped > 0 ? kSomeSkipped : kDone;
}

}  // namespace benzer::cli
