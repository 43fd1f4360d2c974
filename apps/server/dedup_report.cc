#include "dedup_report.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "benzer/compare.h"
#include "benzer/error.h"

#include "../shared/result_json.h"

namespace benzer::server {
namespace {

constexpr std::size_t kClustersAtATime = 200;
constexpr std::size_t kShownClusters = 100;
constexpr std::size_t kShownMembers = 5;
constexpr std::size_t kShownId = 200;     // bytes
constexpr std::size_t kKeptBytes = 8000;  // of a document's texts

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

// At most so many bytes, and no half of a character.
std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

std::string html_id(std::string_view id) {
  return html(cut(id, kShownId)) + (id.size() > kShownId ? "..." : "");
}

std::size_t kept_of_a_field(const Schema& schema) { return kKeptBytes / schema.fields.size(); }

// Its texts and values, cut, without pictures; none if it is not kept, or cannot be read any more.
std::optional<Document> texts_of(const Collection& collection, const std::string& id) {
  const auto json = collection.kept_json(id);
  if (!json) return std::nullopt;
  const Schema& schema = collection.schema();
  const std::size_t most = kept_of_a_field(schema);
  Document out{id, {}}, document;
  try {
    document = collection.document(*json);
  } catch (const Error&) {
    return std::nullopt;
  } catch (const Problem&) {
    return std::nullopt;
  }
  for (Field& field : document.fields) {
    if (schema.fields[*schema.find(field.name)].features.is_image()) continue;
    Field& kept = out.fields.emplace_back(Field::of_text(field.name, {}));
    kept.text = cut(field.text, most);
    std::size_t bytes = 0;
    for (std::string& value : field.values) {
      if ((bytes += value.size()) > most) value.resize(cut(value, most).size());
      kept.values.push_back(std::move(value));
      if (bytes > most) break;
    }
  }
  return out;
}

std::string marked(const std::vector<MarkedPiece>& pieces, bool are_values, std::size_t most) {
  std::string out;
  for (const MarkedPiece& piece : pieces) {
    const std::string_view part = cut(piece.text, most);
    const std::string text = html(part);
    out += piece.mark == Mark::kShared ? "<mark>" + text + "</mark>"
           : piece.mark == Mark::kOwn  ? "<mark class=own>" + text + "</mark>"
                                       : text;
    if (part.size() < piece.text.size()) return out + " <span class=soft>(it goes on)</span>";
    most -= part.size();
    if (are_values) out += "\n";
  }
  return out;
}

// A side of a pair, field by field.
class Side {
 public:
  explicit Side(const Schema& schema) : schema_(schema) {}

  void add(const std::string& field, const std::vector<MarkedPiece>& pieces) {
    const bool are_values = schema_.fields[*schema_.find(field)].features.is_values();
    // A quarter of what is kept: the rest is for comparing, since what both have may stand further
    // behind in one of them.
    text_ += "<p><span class=soft>" + html(field) + "</span>\n" +
             marked(pieces, are_values, kept_of_a_field(schema_) / 4) + "</p>";
  }
  // Not compared.
  void add(const Document& document) {
    for (const Field& field : document.fields) {
      std::vector<MarkedPiece> pieces;
      for (const std::string& value : field.values) pieces.push_back({Mark::kNone, value});
      if (field.values.empty()) pieces.push_back({Mark::kNone, field.text});
      add(field.name, pieces);
    }
  }
  std::string str() const {
    return text_.empty() ? "<p class=soft>the text is not kept here</p>" : text_;
  }

 private:
  const Schema& schema_;
  std::string text_;
};

std::string pair(const Schema& schema, const std::string& keeper_id,
                 const std::optional<Document>& keeper, const IndexCluster::Member& member,
                 const std::optional<Document>& document) {
  Side left(schema), right(schema);
  std::optional<ComparedDocuments> compared;
  if (keeper && document) try {
      compared = compare_documents(schema, *keeper, *document);
    } catch (const Error&) {  // they are shown as they are
    }
  if (compared) {
    for (const ComparedField& field : compared->fields) {
      left.add(field.field, field.a);
      right.add(field.field, field.b);
    }
  } else {
    if (keeper) left.add(*keeper);
    if (document) right.add(*document);
  }
  return fmt::format(
      "<div class=pair><div><h3>kept: {}</h3>{}</div><div><h3>{} <span class=soft>{:.4f}{}</span>"
      "</h3>{}</div></div>\n",
      html_id(keeper_id), left.str(), html_id(member.id), member.score,
      member.link ? fmt::format(", with {} {:.4f}", html_id(member.link->id), member.link->score)
                  : "",
      right.str());
}

}  // namespace

std::string summary_json(const DedupFindings& findings) {
  JsonObject out;
  out.add("threshold", findings.threshold).add("cluster", name_of(findings.clustering));
  out.add("documents", findings.counts.documents);
  out.add("clusters", findings.clusters.size()).add("pairs", findings.counts.pairs);
  out.add("candidates", findings.counts.candidates);
  const std::uint64_t gone = findings.gone.value_or(0);
  if (findings.gone) out.add("removed", gone);
  // Also of those that were to go when it was ended.
  if (gone < findings.removals || !findings.gone) out.add("would_remove", findings.removals - gone);
  out.add("kept", findings.counts.documents - (findings.gone ? gone : findings.removals));
  return out.add("largest_cluster", findings.largest_cluster)
      .add("weakest", findings.weakest)
      .str();
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
      out += cluster_json(at + 1, findings->clusters[at]).str();
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
      const DocumentLabel keeper = label_of(cluster.keeper);
      for (const IndexCluster::Member& member : cluster.members)
        out += removed_json(listed(member), &keeper, nullptr).str() + "\n";
    }
    return out;
  };
}

void take_texts(const Collection& collection, const Task& task, DedupFindings& found) {
  found.schema = collection.schema();
  // The largest ones first.
  std::vector<std::size_t> order(found.clusters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return found.clusters[a].members.size() > found.clusters[b].members.size();
  });
  order.resize(std::min(kShownClusters, order.size()));
  for (const std::size_t place : order) {
    if (task.stop()) throw Error(ErrorCode::kInterrupted, "interrupted");
    const IndexCluster& cluster = found.clusters[place];
    ShownCluster& shown = found.shown.emplace_back();
    shown.place = place;
    shown.keeper = texts_of(collection, cluster.keeper);
    for (std::size_t i = 0; i < std::min(kShownMembers, cluster.members.size()); ++i)
      shown.members.push_back(texts_of(collection, cluster.members[i].id));
  }
}

std::string report_page(const Task& task, const DedupFindings& found) {
  std::string out = fmt::format(
      "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport "
      "content=\"width=device-width\"><title>Duplicates in {0}</title><style>{1}</style>"
      "<h1>Duplicates in {0}</h1><dl><dt>threshold</dt><dd>{2}</dd><dt>documents</dt><dd>{3}</dd>"
      "<dt>clusters</dt><dd>{4}{8}</dd><dt>{5}</dt><dd>{6}</dd><dt>weakest "
      "link</dt><dd>{7:.4f}</dd>"
      "</dl><p>What both documents have is underlined; what only one has is in the other colour. "
      "{9}</p>\n",
      html(task.collection()), kStyle, html(found.threshold), found.counts.documents,
      found.clusters.size(), found.gone ? "removed" : "would be removed",
      found.gone.value_or(found.removals), found.weakest,
      found.clustering == Clustering::kLeader ? "" : ", by chains",
      found.clustering == Clustering::kLeader
          ? "Beside each document that goes stands how similar it is to the one that is kept."
          : "Two scores stand beside each document that goes: with the one that is kept, and with "
            "the most similar one of its cluster.");
  for (const ShownCluster& shown : found.shown) {
    const IndexCluster& cluster = found.clusters[shown.place];
    out +=
        fmt::format("<h2>{} <span class=soft>{} documents, the weakest link {:.4f}</span></h2>\n",
                    html_id(cluster.keeper), cluster.members.size() + 1, cluster.weakest);
    for (std::size_t i = 0; i < shown.members.size(); ++i)
      out += pair(found.schema, cluster.keeper, shown.keeper, cluster.members[i], shown.members[i]);
    if (cluster.members.size() > shown.members.size())
      out += fmt::format("<p class=soft>and {} more</p>",
                         cluster.members.size() - shown.members.size());
  }
  if (found.clusters.size() > found.shown.size())
    out += fmt::format("<p class=soft>and {} more clusters: the report as JSON has all</p>",
                       found.clusters.size() - found.shown.size());
  return out + "</html>\n";
}

}  // namespace benzer::server
