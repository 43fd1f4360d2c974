#include "dedup_report.h"

#include <optional>
#include <string>

#include "benzer/error.h"

#include "../shared/result_json.h"

namespace benzer::server {
namespace {

// Returns nothing if the document is not kept, or cannot be read any more. Its text is shown next
// to scores of features, which must be its own.
std::optional<Document> shown_document(const ServedIndex& served, const std::string& id,
                                       const std::atomic<bool>* stop) {
  try {
    return served.kept_document(id, stop).document;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInterrupted) throw;
    return std::nullopt;
  }
}

}  // namespace

std::string summary_json(const DedupFindings& findings) {
  JsonObject out;
  out.add("threshold", findings.report.threshold.str());
  out.add("cluster", name_of(findings.report.clustering));
  out.add("documents", findings.counts.documents);
  out.add("clusters", findings.clusters.size()).add("pairs", findings.counts.pairs);
  out.add("candidates", findings.counts.candidates);
  const std::uint64_t gone = findings.gone.value_or(0);
  if (findings.is_removing) out.add("removing", true);
  if (findings.gone) out.add("removed", gone);
  // Present even if the removal was interrupted: the rest would still be removed.
  if (gone < findings.removals || !findings.gone) out.add("would_remove", findings.removals - gone);
  out.add("kept", findings.counts.documents - (findings.gone ? gone : findings.removals));
  out.add("largest_cluster", findings.largest_cluster);
  if (!findings.clusters.empty()) out.add("weakest", findings.weakest);
  return add_decided(out, findings.counts.set_apart, findings.counts.chosen_keepers).str();
}

void write_report_json(const DedupFindings& findings, const Write& write) {
  // The clusters are appended to the object of the summary.
  std::string head = summary_json(findings);
  head.pop_back();
  write(head + ",\"found\":[");
  std::uint64_t number = 0;
  for (const IndexCluster& cluster : findings.clusters) {
    if (number > 0) write(",");
    write(cluster_json(++number, cluster).str());
  }
  write("]}\n");
}

void write_report_lines(const DedupFindings& findings, const Write& write) {
  for (const IndexCluster& cluster : findings.clusters) {
    const DocumentLabel keeper = label_of(cluster.keeper);
    for (const auto& member : cluster.members)
      write(removed_json(listed(member), &keeper, nullptr).str() + "\n");
  }
  JsonObject last;  // a list without it was cut off
  write(last.raw("summary", summary_json(findings)).str() + "\n");
}

void take_evidence(const ServedIndex& served, const WholeIndexOptions& options,
                   DedupFindings& found) {
  RunFacts facts;
  facts.inputs = {served.name()};
  found.report = collect_report(served.index(), options, found, facts, [&](const std::string& id) {
    return shown_document(served, id, options.stop);
  });
  found.compared.reset();  // the report has what is shown of it
}

std::string report_page(const DedupFindings& found) {
  Report report = found.report;
  report.run.dry_run = !found.gone;
  report.run.is_removing = found.is_removing;
  if (found.gone && *found.gone < found.removals) report.run.removed_so_far = found.gone;
  return report_html(report);
}

}  // namespace benzer::server
