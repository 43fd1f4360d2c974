#include <algorithm>

#include "benzer/dedup.h"

#include "../shared/index_settings.h"
#include "../shared/settings.h"
#include "../shared/summary.h"
#include "commands.h"
#include "corpus_run.h"
#include "dedup_outputs.h"
#include "guard_rails.h"

namespace benzer::cli {
namespace {

std::uint64_t largest_cluster(const Clusters& clusters) {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < clusters.size(); ++i)
    largest = std::max<std::uint64_t>(largest, clusters[i].removals.size() + 1);
  return largest;
}

}  // namespace

int run_dedup(const Options& options) {
  if (names_index(options)) return run_index_dedup(options);
  if (options.stage) return run_sketch_stage(options);
  DedupOptions dedup = dedup_options(options);
  DedupOutputs outputs(options);

  CorpusRun run(options);
  outputs.fit(run.corpus());
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

  Summary summary;
  const Clusters clusters(result);
  outputs.write(run, dedup, result, clusters, summary);
  summary.command = "dedup";
  summary.counts = result.counts;
  run.describe(summary, dedup);
  summary.keep = dedup.keep.str();
  summary.clustering = dedup.clustering;
  summary.dry_run = options.dry_run;
  summary.annotated = options.annotate;
  summary.kept = result.kept;
  summary.removed = result.removed.size();
  summary.clusters = result.clusters;
  summary.largest_cluster = largest_cluster(clusters);
  const std::vector<SourceCounts> sources = count_sources(run.corpus(), result);
  for (std::size_t i = options.against.size(); i < sources.size(); ++i)
    summary.sources.push_back({run.corpus().sources()[i], sources[i]});
  for (const Removal& removal : result.removed) {
    if (!removal.keeper) continue;
    ++summary.similar_to_kept;
    summary.equal_to_kept += removal.score == 1;
  }
  run.finish(summary);
  if (!options.dry_run) {
    run.corpus().remove_stages();
    remove_stages(dedup);
  }
  return summary.input.skipped > 0 ? kSomeSkipped : kDone;
}

}  // namespace benzer::cli
