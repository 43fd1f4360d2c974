#include "run_summary.h"

#include <algorithm>

#include "settings.h"

namespace benzer::apps {

Summary run_summary(const Options& options, const InputCounts& input,
                    const SimilarityOptions& asked, const SimilarityCounts& counts) {
  Summary out;
  out.command = command_row(options.command).name;
  out.counts = counts;
  out.input = input;
  out.measure = asked.measure;
  out.threshold = asked.threshold;
  out.short_policy = asked.short_policy;
  out.threads = thread_count(options);
  out.inputs = options.inputs;
  out.against = options.against;
  out.by = options.by.value_or("");
  out.exact = options.exact;
  return out;
}

Summary dedup_summary(const Options& options, const Corpus& corpus, std::size_t reference_sources,
                      const InputCounts& input, const DedupOptions& asked,
                      const DedupResult& result, const Clusters& clusters) {
  Summary out = run_summary(options, input, asked, result.counts);
  out.keep = asked.keep.str();
  out.clustering = asked.clustering;
  out.dry_run = options.dry_run;
  out.annotated = options.annotate;
  out.kept = result.kept;
  out.removed = result.removed.size();
  out.clusters = result.clusters;
  for (std::size_t i = 0; i < clusters.size(); ++i)
    out.largest_cluster =
        std::max<std::uint64_t>(out.largest_cluster, clusters[i].removals.size() + 1);
  const std::vector<SourceCounts> sources = count_sources(corpus, result);
  for (std::size_t i = reference_sources; i < sources.size(); ++i)
    out.sources.push_back({corpus.sources()[i], sources[i]});
  for (const Removal& removal : result.removed) out.similar_to_kept += removal.keeper.has_value();
  return out;
}

RunFacts run_facts(const Options& options, const InputCounts& input,
                   const std::vector<std::string>& problems) {
  constexpr std::size_t kShownProblems = 20;
  RunFacts out;
  out.inputs = options.inputs;
  out.references = options.against;
  out.group_field = options.across ? *options.across : options.by.value_or("");
  out.dry_run = options.dry_run;
  if (!options.dry_run) {
    out.output = options.output.value_or("");
    out.removed_list = options.removed.value_or("");
  }
  out.input = input;
  out.problems = {problems.begin(), problems.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                           problems.size(), kShownProblems))};
  return out;
}

}  // namespace benzer::apps
