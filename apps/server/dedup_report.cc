#include "dedup_report.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "benzer/error.h"

#include "../shared/result_json.h"

namespace benzer::server {
namespace {

// After so many bytes a piece ends; one with a large cluster is longer.
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

// Returns nothing if the document is not kept, or cannot be read any more.
std::optional<Document> kept_document(const ServedIndex& served, const std::string& id) {
  const auto json = served.kept_json(id);
  if (!json) return std::nullopt;
  try {
    return served.document(*json);
  } catch (const Error&) {
    return std::nullopt;
  } catch (const Problem&) {
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
  if (findings.gone) out.add("removed", gone);
  // Present even if the removal was interrupted: the rest would still be removed.
  if (gone < findings.removals || !findings.gone) out.add("would_remove", findings.removals - gone);
  out.add("kept", findings.counts.documents - (findings.gone ? gone : findings.removals));
  return out.add("largest_cluster", findings.largest_cluster)
      .add("weakest", findings.weakest)
      .str();
}

Pieces report_json(std::shared_ptr<const DedupFindings> findings) {
  // The clusters are appended to the object of the summary.
  std::string head = summary_json(*findings);
  head.pop_back();
  head += ",\"found\":[";
  return [findings = std::move(findings), head = std::move(head), at = std::size_t{0},
          is_over = false]() mutable -> std::optional<std::string> {
    if (is_over) return std::nullopt;
    std::string out = std::exchange(head, {});
    for (; at < findings->clusters.size() && out.size() < kPieceBytes; ++at) {
      if (at > 0) out += ',';
      out += cluster_json(at + 1, findings->clusters[at]).str();
    }
    is_over = at == findings->clusters.size();
    if (is_over) out += "]}\n";
    return out;
  };
}

Pieces report_lines(std::shared_ptr<const DedupFindings> findings) {
  return [findings = std::move(findings), at = std::size_t{0},
          member = std::size_t{0}]() mutable -> std::optional<std::string> {
    if (at == findings->clusters.size()) return std::nullopt;
    std::string out;
    for (; at < findings->clusters.size() && out.size() < kPieceBytes; ++at, member = 0) {
      const IndexCluster& cluster = findings->clusters[at];
      const DocumentLabel keeper = label_of(cluster.keeper);
      for (; member < cluster.members.size() && out.size() < kPieceBytes; ++member)
        out += removed_json(listed(cluster.members[member]), &keeper, nullptr).str() + "\n";
      if (member < cluster.members.size()) break;
    }
    return out;
  };
}

void take_evidence(const ServedIndex& served, const WholeIndexOptions& options,
                   DedupFindings& found) {
  RunFacts facts;
  facts.inputs = {served.name()};
  found.report = collect_report(served.index(), options, found, facts,
                                [&](const std::string& id) { return kept_document(served, id); });
  found.compared.reset();  // the report has what is shown of it
}

std::string report_page(const DedupFindings& found) {
  Report report = found.report;
  report.run.dry_run = !found.gone;
  if (found.gone && *found.gone < found.removals) report.run.removed_so_far = found.gone;
  return report_html(report);
}

}  // namespace benzer::server
