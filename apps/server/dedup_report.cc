#include "dedup_report.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "benzer/compare.h"
#include "benzer/error.h"

#include "../shared/json.h"

namespace benzer::server {
namespace {

constexpr std::size_t kClustersAtATime = 200;
constexpr std::size_t kShownClusters = 100;
constexpr std::size_t kShownMembers = 5;
constexpr std::size_t kShownBytes = 2000;  // of a text

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--line:#d0d5dd;--soft:#667085;--shared:#cfe8d5;--own:#fbe3c8}
@media(prefers-color-scheme:dark){:root{--line:#3a4250;--soft:#98a2b3;--shared:#1f4d33;--own:#5c3d14}}
body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin:2.2rem 0 .4rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem}dt{color:var(--soft)}dd{margin:0}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:1rem;border-top:1px solid var(--line);padding:.6rem 0}
.pair p{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}.pair h3{font-size:.9rem;margin:0 0 .3rem;font-weight:600}
.soft{color:var(--soft)}mark{color:inherit;background:var(--shared);text-decoration:underline}
mark.own{background:var(--own);text-decoration:none}@media(max-width:40rem){.pair{grid-template-columns:1fr}}
)";

std::string html(std::string_view text) {
  std::string valid, out;
  append_valid_utf8(valid, text);
  for (const char c : valid) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string marked(const std::vector<MarkedPiece>& pieces, bool are_values) {
  std::string out;
  std::size_t bytes = 0;
  for (const MarkedPiece& piece : pieces) {
    if (bytes > kShownBytes) return out + " <span class=soft>(it goes on)</span>";
    bytes += piece.text.size();
    const std::string text = html(piece.text);
    out += piece.mark == Mark::kShared ? "<mark>" + text + "</mark>"
           : piece.mark == Mark::kOwn  ? "<mark class=own>" + text + "</mark>"
                                       : text;
    if (are_values) out += "\n";
  }
  return out;
}

std::optional<std::string> kept(const Collection& collection, const std::string& id) {
  return collection.kept() ? collection.kept()->get(id) : std::nullopt;
}

// Both sides, if their documents are kept.
std::string pair(const Collection& collection, const std::string& keeper,
                 const std::optional<std::string>& of_keeper, const IndexCluster::Member& member) {
  std::string left = "<p class=soft>the text is not kept here</p>", right = left;
  const std::optional<std::string> of_member = kept(collection, member.id);
  if (of_keeper && of_member) {
    try {
      const ComparedDocuments compared = compare_documents(
          collection.schema(), collection.document(*of_keeper), collection.document(*of_member));
      left.clear();
      right.clear();
      for (const ComparedField& field : compared.fields) {
        const bool are_values =
            collection.schema().fields[*collection.schema().find(field.field)].features.is_values();
        const std::string name = "<span class=soft>" + html(field.field) + "</span>\n";
        left += "<p>" + name + marked(field.a, are_values) + "</p>";
        right += "<p>" + name + marked(field.b, are_values) + "</p>";
      }
    } catch (const Error&) {  // it was replaced meanwhile
    }
  }
  return fmt::format(
      "<div class=pair><div><h3>kept: {}</h3>{}</div><div><h3>{} <span class=soft>{:.4f}, with {} "
      "{:.4f}</span></h3>{}</div></div>\n",
      html(keeper), left, html(member.id), member.score, html(member.link), member.link_score,
      right);
}

}  // namespace

JsonObject cluster_json(const IndexCluster& cluster) {
  JsonArray members;
  for (const IndexCluster::Member& member : cluster.members) {
    JsonObject json;
    json.add("id", member.id).add("score", member.score);
    members.raw(json.add("link", member.link).add("link_score", member.link_score).str());
  }
  JsonObject out;
  out.add("keeper", cluster.keeper).add("size", cluster.members.size() + 1);
  return out.add("weakest", cluster.weakest).raw("members", members.str());
}

std::string summary_json(const DedupFindings& findings) {
  JsonObject out;
  out.add("threshold", findings.threshold).add("documents", findings.counts.documents);
  out.add("clusters", findings.clusters.size()).add("pairs", findings.counts.pairs);
  out.add("candidates", findings.counts.candidates);
  out.add(findings.was_carried_out ? "removed" : "would_remove", findings.removed);
  out.add("kept", findings.counts.documents - findings.removed);
  return out.add("largest_cluster", findings.largest).add("weakest", findings.weakest).str();
}

Pieces report_json(std::shared_ptr<const DedupFindings> findings) {
  // The summary's object goes on with the clusters.
  std::string head = summary_json(*findings);
  head.pop_back();
  head += ",\"found\":[";
  return [findings = std::move(findings), head = std::move(head), at = std::size_t{0},
          is_over = false]() mutable -> std::optional<std::string> {
    if (is_over) return std::nullopt;
    std::string out = std::exchange(head, {});
    for (const std::size_t end = at + kClustersAtATime;
         at < std::min(end, findings->clusters.size()); ++at) {
      if (at > 0) out += ',';
      out += cluster_json(findings->clusters[at]).str();
    }
    is_over = at == findings->clusters.size();
    if (is_over) out += "]}\n";
    return out;
  };
}

Pieces report_lines(std::shared_ptr<const DedupFindings> findings) {
  return [findings = std::move(findings),
          at = std::size_t{0}]() mutable -> std::optional<std::string> {
    if (at == findings->clusters.size()) return std::nullopt;
    std::string out;
    for (const std::size_t end = at + kClustersAtATime;
         at < std::min(end, findings->clusters.size()); ++at) {
      const IndexCluster& cluster = findings->clusters[at];
      for (const IndexCluster::Member& member : cluster.members) {
        JsonObject line;
        line.add("id", member.id).add("keeper", cluster.keeper).add("score", member.score);
        out += line.add("link", member.link).add("link_score", member.link_score).str() + "\n";
      }
    }
    return out;
  };
}

std::string report_page(Api& api, const Task& task, const DedupFindings& found) {
  const auto collection = api.collections().find(task.collection());
  std::string out = fmt::format(
      "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport "
      "content=\"width=device-width\"><title>Duplicates in {0}</title><style>{1}</style>"
      "<h1>Duplicates in {0}</h1><dl><dt>threshold</dt><dd>{2}</dd><dt>documents</dt><dd>{3}</dd>"
      "<dt>clusters</dt><dd>{4}</dd><dt>{5}</dt><dd>{6}</dd><dt>weakest link</dt><dd>{7:.4f}</dd>"
      "</dl><p>What both documents have is underlined; what only one has is in the other colour. "
      "Two scores stand beside each document that goes: with the one that is kept, and with the "
      "most similar one of its cluster.</p>\n",
      html(task.collection()), kStyle, html(found.threshold), found.counts.documents,
      found.clusters.size(), found.was_carried_out ? "removed" : "would be removed", found.removed,
      found.weakest);
  // The largest ones first.
  std::vector<const IndexCluster*> shown;
  for (const IndexCluster& cluster : found.clusters) shown.push_back(&cluster);
  std::stable_sort(shown.begin(), shown.end(), [](const IndexCluster* a, const IndexCluster* b) {
    return a->members.size() > b->members.size();
  });
  for (std::size_t i = 0; i < std::min(kShownClusters, shown.size()); ++i) {
    const IndexCluster& cluster = *shown[i];
    out +=
        fmt::format("<h2>{} <span class=soft>{} documents, the weakest link {:.4f}</span></h2>\n",
                    html(cluster.keeper), cluster.members.size() + 1, cluster.weakest);
    const std::optional<std::string> of_keeper = kept(*collection, cluster.keeper);
    for (std::size_t j = 0; j < std::min(kShownMembers, cluster.members.size()); ++j)
      out += pair(*collection, cluster.keeper, of_keeper, cluster.members[j]);
    if (cluster.members.size() > kShownMembers)
      out += fmt::format("<p class=soft>and {} more</p>", cluster.members.size() - kShownMembers);
  }
  if (shown.size() > kShownClusters)
    out += fmt::format("<p class=soft>and {} more clusters: the report as JSON has all</p>",
                       shown.size() - kShownClusters);
  return out + "</html>\n";
}

}  // namespace benzer::server
