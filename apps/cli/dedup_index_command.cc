// Finds and lists the documents of an index that are similar to a keeper, and removes them with
// --remove.
#include <optional>

#include <fmt/format.h>

#include "benzer/dedup.h"
#include "benzer/error.h"
#include "benzer/output.h"

#include "../shared/index_settings.h"
#include "../shared/result_json.h"
#include "../shared/settings.h"
#include "../shared/summary.h"
#include "commands.h"
#include "guard_rails.h"
#include "index_messages.h"
#include "index_run.h"
#include "report_output.h"
#include "signals.h"

namespace benzer::cli {
namespace {

Index open(const Options& options) {
  if (!options.remove) return open_to_read(options, stop_flag());
  Index index = open_to_write(options, stop_flag());
  // An index in a folder has one writer, so nobody can change it between the search and the
  // removal. An index in Redis has no such lock.
  if (index.stats().servers > 0)
    throw Error(ErrorCode::kInvalidArgument, Subject::index(index_name(options)),
                "other clients may write to an index in Redis between finding and removing",
                "leave --remove out, and give the ids of --removed to 'benzer remove'");
  return index;
}

using List = std::optional<OutputFile>;

// Calls write(list, cluster) for each cluster. If the reader of standard output leaves, only this
// list ends: the other outputs are written, and the removal is carried out.
template <class Write>
void write_list(const IndexRun& run, const IndexDedup& found, List& list, Write write) {
  if (!list) return;
  try {
    for (const IndexCluster& cluster : found.clusters) {
      run.check_stop();
      write(*list, cluster);
    }
    list->finish();
  } catch (const StdoutClosed&) {
    list.reset();
  }
}

void write_lists(const IndexRun& run, const IndexDedup& found, List& removed, List& clusters) {
  write_list(run, found, removed, [](OutputFile& out, const IndexCluster& cluster) {
    const DocumentLabel keeper = label_of(cluster.keeper);
    for (const IndexCluster::Member& member : cluster.members)
      out.write(removed_json(listed(member), &keeper, nullptr).str() + "\n");
  });
  std::uint64_t number = 0;
  write_list(run, found, clusters, [&number](OutputFile& out, const IndexCluster& cluster) {
    out.write(cluster_json(++number, cluster).str() + "\n");
  });
  for (List* list : {&removed, &clusters})
    if (*list) (*list)->commit();
}

void remove_duplicates(IndexRun& run, Index& index, const IndexDedup& found,
                       Clustering clustering) {
  std::uint64_t gone = 0;
  found.for_each_batch([&](const std::vector<std::string>& ids) {
    try {
      run.check_stop();
    } catch (const Error& error) {
      throw Error(
          error.code(),
          fmt::format("interrupted: {} of {} documents were removed", with_separators(gone),
                      with_separators(found.removals)),
          clustering == Clustering::kLeader
              ? "the same command removes the others"
              : "the same command may not find the others, since a chain of similar documents "
                "may be cut now: remove those in the list of --removed with 'benzer remove'");
    }
    index.remove(ids);
    gone += ids.size();
    run.line().update({"remove", gone, found.removals});
  });
}

}  // namespace

int run_index_dedup(const Options& options) {
  if (options.output)
    refuse(fmt::format("'{}' is an index, and 'dedup' writes no copy of an index",
                       index_name(options)),
           "leave -o out; --remove removes the duplicates from it");
  IndexRun run(options);
  const std::string removed_list = options.removed.value_or("");
  const std::string clusters_list = options.clusters_list.value_or("");
  std::vector<Place> places;
  if (options.removed) places.push_back({"the removed list", removed_list});
  if (options.clusters_list) places.push_back({"the list of clusters", clusters_list});
  if (options.report) {
    places.push_back({"the report", *options.report});
    places.push_back({"the report for programs", ReportOutput::twin(*options.report)});
  }
  run.check_outputs(places);
  Index index = open(options);
  List removed, clusters;
  if (options.removed) removed.emplace(removed_list, 1, run.stop());
  if (options.clusters_list) clusters.emplace(clusters_list, 1, run.stop());
  std::optional<ReportOutput> report;
  if (options.report) report.emplace(*options.report);

  WholeIndexOptions question = run.question();
  question.collect_compared = options.report.has_value();
  const IndexDedup found = index.deduplicate(question);
  std::vector<GuardRailBreach> breaches;
  if (!options.allow_large_clusters) breaches = check_guard_rails(found, GuardRails::in_place());
  const bool stops = options.remove && !breaches.empty();
  if (report) report->write(run, options, index, question, found, options.remove && !stops);
  if (stops) {
    if (report) report->commit();  // it shows best what is wrong
    stop_for_breaches(run, index_name(options), found, breaches);
  }
  note_breaches(run, index_name(options), breaches);
  write_lists(run, found, removed, clusters);
  if (options.remove) {
    remove_duplicates(run, index, found, question.clustering);
    close_index(index, options);
  }
  // Not sooner, so that after a removal that failed no report says that it was done.
  try {
    if (report) report->commit();
  } catch (const Error& error) {
    if (!options.remove) throw;
    throw Error(
        error.code(), error.subject(),
        with_separators(found.removals) +
            " documents were removed, and the report could not be written: " + error.detail(),
        error.hint());
  }

  Summary summary;
  summary.command = "dedup";
  summary.of_index(index, question, found.counts);
  summary.clustering = question.clustering;
  summary.removes = options.remove;
  summary.removed = summary.similar_to_kept = found.removals;
  summary.kept = found.counts.documents - found.removals;
  summary.largest_cluster = found.largest_cluster;
  summary.score_rule = options.score.value_or("mean");
  summary.threads = run.threads();
  summary.inputs = {index_name(options)};
  summary.removed_list = removed_list;
  summary.clusters_list = clusters_list;
  summary.report = options.report.value_or("");
  run.finish(summary);
  return kDone;
}

}  // namespace benzer::cli
