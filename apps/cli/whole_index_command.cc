// Lists the pairs of an index, and the clusters that they connect.
#include <algorithm>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/output.h"

#include "../shared/index_settings.h"
#include "../shared/result_json.h"
#include "../shared/settings.h"
#include "../shared/summary.h"
#include "commands.h"
#include "index_run.h"
#include "signals.h"

namespace benzer::cli {
namespace {

// Runs ask(run, index, question, out, summary), which writes lines and returns WholeIndexCounts,
// and prints a summary at the end.
template <class Ask>
int run_question(const Options& options, Ask ask) {
  const Index index = open_to_read(options, stop_flag());
  const std::string path = options.output.value_or("-");
  IndexRun run(options);
  run.check_outputs({{"the output", path}});
  WholeIndexOptions question = run.question();
  OutputFile out(path, run.threads(), run.stop());

  Summary summary;
  const WholeIndexCounts counts = ask(run, index, question, out, summary);
  run.check_stop();
  out.commit();

  summary.of_index(index, question, counts);
  summary.score_rule = options.score.value_or("mean");
  summary.threads = run.threads();
  summary.inputs = {index_name(options)};
  summary.output = path;
  run.finish(summary);
  return kDone;
}

}  // namespace

int run_index_pairs(const Options& options) {
  return run_question(options,
                      [](IndexRun& run, const Index& index, const WholeIndexOptions& question,
                         OutputFile& out, Summary& summary) {
                        summary.command = "pairs";
                        return index.for_each_similar_pair(question, [&](const ScoredIds& pair) {
                          run.check_stop();
                          out.write(pair_json(pair).str() + "\n");
                        });
                      });
}

int run_clusters(const Options& options) {
  if (!Index::is_at(options.inputs.front()))
    throw Error(ErrorCode::kNoIndex,
                fmt::format("{}: there is no index here (no file BENZER); to list the clusters of "
                            "files, use 'benzer dedup --cluster components --clusters FILE'",
                            index_name(options)));
  return run_question(options,
                      [](IndexRun& run, const Index& index, const WholeIndexOptions& question,
                         OutputFile& out, Summary& summary) {
                        summary.command = "clusters";
                        std::uint64_t number = 0;
                        return index.for_each_cluster(question, [&](const IndexCluster& cluster) {
                          run.check_stop();
                          out.write(cluster_json(++number, cluster).str() + "\n");
                          const std::uint64_t size = cluster.members.size() + 1;
                          summary.clustered += size;
                          summary.largest_cluster = std::max(summary.largest_cluster, size);
                        });
                      });
}

}  // namespace benzer::cli
