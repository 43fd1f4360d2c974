#include "summary.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <sys/resource.h>

#include "benzer/internal/score_text.h"
#include "benzer/internal/text.h"
#include "benzer/runtime.h"
#include "benzer/similarity.h"

#include "json.h"
#include "printable.h"
#include "result_json.h"

namespace benzer::apps {
namespace {

const auto kProgramStart = std::chrono::steady_clock::now();

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::string documents(std::uint64_t number) { return counted(number, "document", "documents"); }

std::string percent(double share, int decimals) {
  return fmt::format("{:.{}f} %", share * 100, decimals);
}

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string bytes(std::uint64_t number) {
  const auto value = static_cast<double>(number);
  if (number < 10'000) return fmt::format("{} bytes", number);
  if (value < 1e6) return fmt::format("{:.0f} kB", value / 1e3);
  if (value < 1e9) return fmt::format("{:.0f} MB", value / 1e6);
  return fmt::format("{:.2f} GB", value / 1e9);
}

constexpr EnumName<ShortPolicy> kShort[] = {{ShortPolicy::kExact, "similar only when equal"},
                                            {ShortPolicy::kKeep, "kept"},
                                            {ShortPolicy::kDrop, "removed"}};

}  // namespace

std::string percent_of(std::uint64_t part, std::uint64_t whole) {
  return percent(share_of(part, whole), 1);
}

void append_row(std::string& out, std::string_view name, const std::string& text) {
  out += fmt::format("  {:<13} {}\n", name, text);
}

void append_cost(std::string& out, int threads, std::optional<std::uint64_t> input_bytes) {
  const Cost cost = cost_so_far();
  append_row(
      out, "cost",
      fmt::format("{:.2f} s, {:.2f} s of CPU on {}, {} of memory{}", cost.seconds, cost.cpu_seconds,
                  counted(static_cast<std::uint64_t>(threads), "thread", "threads"),
                  bytes(cost.peak_rss_bytes),
                  input_bytes ? ", " + bytes(*input_bytes) + " of input" : ""));
}

void append_without_group(std::string& out, const InputCounts& input, const std::string& field) {
  if (input.without_group == 0) return;
  append_row(out, "no group",
             fmt::format("{} without the field \"{}\": a group of their own",
                         documents(input.without_group), printable(field)));
}

Cost cost_so_far() {
  rusage used = {}, by_children = {};
  getrusage(RUSAGE_SELF, &used);
  getrusage(RUSAGE_CHILDREN, &by_children);  // they decode images
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - kProgramStart;
  const double cpu = seconds(used.ru_utime) + seconds(used.ru_stime) +
                     seconds(by_children.ru_utime) + seconds(by_children.ru_stime);
  return {passed.count(), cpu,
          static_cast<std::uint64_t>(used.ru_maxrss) * 1024};  // Linux counts KiB
}

void add_cost(JsonObject& out) {
  const Cost cost = cost_so_far();
  out.add("seconds", cost.seconds).add("cpu_seconds", cost.cpu_seconds);
  out.add("peak_rss_bytes", cost.peak_rss_bytes);
}

std::string Summary::config() const {
  if (!schema.empty()) return schema;
  return exact || counts.anchors ? counts.config.features.str() : counts.config.str();
}

void Summary::of_index(const Index& index, const WholeIndexOptions& question,
                       const WholeIndexCounts& answer) {
  schema = index.schema().str();
  threshold = question.threshold.value_or(index.schema().min_threshold);
  counts.recall_at_threshold = index.expected_recall(threshold);
  measure = index.schema().measure;
  counts.documents = answer.documents;
  counts.empty = answer.empty;
  counts.candidates = answer.candidates;
  counts.verified_pairs = answer.pairs;
  pairs = answer.pairs;
  clusters = answer.clusters;
  set_apart = answer.set_apart;
  chosen_keepers = answer.chosen_keepers;
}

// The summary of a question to an index.
std::string Summary::index_json() const {
  JsonObject out;
  out.add("command", command).add("version", version()).add("schema", schema);
  out.add("threshold", threshold.str()).add("score", score_rule);
  out.add("recall_at_threshold", counts.recall_at_threshold);
  out.add("inputs", std::span<const std::string>(inputs)).add_or_null("output", output);
  if (command == "dedup") {
    out.add_or_null("removed_list", removed_list).add_or_null("clusters_list", clusters_list);
    out.add_or_null("report", report);
    out.add("cluster", name_of(clustering)).add("documents", counts.documents).add("kept", kept);
    out.add(removes ? "removed" : "would_remove", removed).add("clusters", clusters);
    out.add("largest_cluster", largest_cluster);
  } else {
    out.add("documents", counts.documents);
  }
  if (command == "clusters")
    out.add("clusters", clusters)
        .add("clustered", clustered)
        .add("largest_cluster", largest_cluster);
  if (command == "pairs") out.add("pairs", pairs);
  out.add("empty", counts.empty).add("candidates", counts.candidates);
  out.add("verified_pairs", counts.verified_pairs);
  add_decided(out, set_apart, command == "pairs" ? std::nullopt : std::optional(chosen_keepers));
  out.add("threads", threads).add("cpu", cpu_level_name(active_cpu_level()));
  add_cost(out);
  return out.str() + "\n";
}

std::string Summary::json() const {
  if (!schema.empty()) return index_json();
  JsonObject out;
  out.add("command", command).add("version", version()).add("config", config());
  if (measure == Measure::kContainment) out.add("measure", name_of(measure));
  out.add("threshold", threshold.str()).add("recall_at_threshold", counts.recall_at_threshold);
  if (counts.anchors)
    out.add("anchors", counts.anchors->anchors).add("needed_anchors", counts.anchors->needed);
  if (counts.config.features.comparison() == Comparison::kHashes)
    out.add("distance", distance_of_threshold(counts.config.features, threshold));
  out.add("inputs", std::span<const std::string>(inputs)).add_or_null("output", output);
  if (command == "dedup") {
    out.add_or_null("removed_list", removed_list).add_or_null("skipped_list", skipped_list);
    out.add_or_null("pairs_list", pairs_list).add_or_null("clusters_list", clusters_list);
    out.add_or_null("report", report).add("annotated", annotated).add("dry_run", dry_run);
    out.add("keep", keep);
    out.add("cluster", name_of(clustering));
  } else {
    out.add("exact", exact);
  }
  out.add("against", std::span<const std::string>(against)).add_or_null("by", by);
  out.add("documents", counts.documents).add("references", counts.references);
  if (command == "dedup") {
    out.add("kept", kept).add("removed", removed).add("clusters", clusters);
    out.add("largest_cluster", largest_cluster).raw("sources", sources_json());
  } else {
    out.add("pairs", pairs);
  }
  out.add("empty", counts.empty).add("short", counts.short_documents);
  if (counts.config.features.image()) out.add("no_images", counts.undecodable);
  out.add("common_features", counts.common_features).add("only_common", counts.only_common);
  out.add("skipped", input.skipped);
  if (command == "dedup") out.add("skipped_saved", saved.value_or(0));
  out.add("replaced", counts.replaced);
  out.add("without_group", input.without_group).add("without_number", input.without_number);
  out.add("duplicate_ids", input.duplicate_ids).add("exact_duplicates", counts.exact_duplicates);
  out.add("candidates", counts.candidates).add("verified_pairs", counts.verified_pairs);
  if (counts.cut_short > 0) out.add("cut_short", counts.cut_short);
  out.add("bytes", input.bytes).add("threads", threads);
  out.add("cpu", cpu_level_name(active_cpu_level()));
  add_cost(out);
  return out.str() + "\n";
}

std::string Summary::sources_json() const {
  JsonArray list;
  for (const Source& source : sources) {
    JsonObject object;
    object.add("source", source.name).add("documents", source.counts.documents);
    list.raw(object.add("removed", source.counts.removed).str());
  }
  return list.str();
}

void Summary::append_skipped(std::string& out) const {
  if (input.skipped == 0) return;
  append_row(out, "skipped",
             counted(input.skipped, "line or file", "lines or files") + fate_of_skipped());
}

// Appends the sources that lost the largest shares, if there are several sources.
void Summary::append_sources(std::string& out) const {
  constexpr std::size_t kShown = 5;
  if (sources.size() < 2 || removed == 0) return;
  std::vector<const Source*> order;
  for (const Source& source : sources)
    if (source.counts.removed > 0) order.push_back(&source);
  const auto share = [](const Source* s) {
    return share_of(s->counts.removed, s->counts.documents);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Source* x, const Source* y) { return share(x) > share(y); });
  for (std::size_t i = 0; i < std::min(order.size(), kShown); ++i) {
    append_row(out, i == 0 ? "by source" : "",
               fmt::format("{} lost {} of {} ({})", printable(order[i]->name),
                           with_separators(order[i]->counts.removed),
                           documents(order[i]->counts.documents), percent(share(order[i]), 1)));
  }
  if (order.size() > kShown)
    append_row(out, "", fmt::format("... and {} more sources", order.size() - kShown));
}

void Summary::append_decided(std::string& out) const {
  std::string changed;
  if (set_apart > 0) changed = counted(set_apart, "similar pair", "similar pairs") + " set apart";
  if (chosen_keepers > 0)
    changed += fmt::format("{}{} chosen", changed.empty() ? "" : ", ",
                           counted(chosen_keepers, "keeper", "keepers"));
  if (!changed.empty()) append_row(out, "decisions", changed);
}

std::string Summary::fate_of_skipped() const {
  if (!saved) return "";
  const std::string list = printable(skipped_list);
  if (*saved == input.skipped) return ", unchanged in " + list;
  const std::string lost =
      fmt::format("{} could not be saved", with_separators(input.skipped - *saved));
  if (*saved > 0)
    return fmt::format(": {} unchanged in {}, {}", with_separators(*saved), list, lost);
  // If a compressed file is damaged, the line in which the damage begins is in the list up to it.
  return skipped_list.empty() ? ": " + lost
                              : fmt::format(": {}, except for a part in {}", lost, list);
}

std::string Summary::headline(const Spelling& spelling) const {
  std::string out = fmt::format("benzer: {}", documents(counts.documents));
  if (command == "clusters")
    return out + fmt::format(", {} of them in {} at or above {}\n", with_separators(clustered),
                             counted(clusters, "cluster", "clusters"), threshold.str());
  if (command == "pairs")
    return out +
           fmt::format(", {} at or above {}\n", counted(pairs, "pair", "pairs"), threshold.str());
  out += fmt::format(": {} kept, {} removed ({})", with_separators(kept), with_separators(removed),
                     percent(share_of(removed, counts.documents), 1));
  if (!removes) {
    out += fmt::format("; nothing was removed ({} does it)", spelling.parameter({"remove"}));
  } else if (dry_run) {
    out += fmt::format("; {} was written ({})", report.empty() ? "nothing" : "only the report",
                       spelling.parameter({"dry_run"}));
  } else if (annotated) {
    out += "; all are in the output, annotated";
  }
  return out + '\n';
}

void Summary::append_threshold(std::string& out, const Spelling& spelling) const {
  const FeatureSpec& features = counts.config.features;
  switch (schema.empty() ? features.comparison() : Comparison::kSets) {
    case Comparison::kHashes:
      append_row(out, "distance",
                 fmt::format("{} of {} bits at most (threshold {}); every pair was found",
                             distance_of_threshold(features, threshold), features.hash_bits(),
                             threshold.str()));
      return;
    case Comparison::kPictures:
      append_row(out, "threshold",
                 fmt::format("{}; every pair was looked at by its hashes", threshold.str()));
      return;
    case Comparison::kDetails:
      append_row(out, "threshold",
                 fmt::format("{}; every pair was looked at by its words", threshold.str()));
      return;
    case Comparison::kSets:
      break;
  }
  if (exact) {
    append_row(out, "threshold",
               fmt::format("{}; every pair was found ({})", threshold.str(),
                           spelling.parameter({"exact"})));
    return;
  }
  append_row(out, "threshold",
             fmt::format("{}; a pair exactly there is found with probability {}, closer ones "
                         "more often",
                         threshold.str(), shown_probability(counts.recall_at_threshold)));
  if (counts.anchors) {
    append_row(out, "compared",
               fmt::format("{} of pairs, {} confirmed exactly",
                           counted(counts.candidates, "shared anchor", "shared anchors"),
                           counted(counts.verified_pairs, "pair", "pairs")));
    return;
  }
  if (measure == Measure::kContainment && !schema.empty()) {
    append_row(out, "compared",
               fmt::format("{} with common keys, {} confirmed exactly",
                           counted(counts.candidates, "pair", "pairs"),
                           counted(counts.verified_pairs, "pair", "pairs")));
    return;
  }
  append_row(out, "compared",
             fmt::format("{} of candidate pairs, {} confirmed exactly",
                         counted(counts.candidates, "signature", "signatures"),
                         counted(counts.verified_pairs, "pair", "pairs")));
}

std::string Summary::text(const Spelling& spelling) const {
  if (counts.documents == 0) {
    std::string nothing =
        fmt::format("benzer: the {} no document\n", !schema.empty()      ? "index holds"
                                                    : inputs.size() == 1 ? "input holds"
                                                                         : "inputs hold");
    append_skipped(nothing);
    return nothing;
  }
  std::string out = headline(spelling);
  append_row(out, schema.empty() ? "configuration" : "schema", config());
  if (measure == Measure::kContainment && schema.empty())
    append_row(out, "measure",
               counts.anchors
                   ? fmt::format("containment; a candidate has {} of the {} anchors of another one",
                                 counts.anchors->needed, counts.anchors->anchors)
                   : std::string("containment"));
  append_threshold(out, spelling);
  if (counts.cut_short > 0)
    append_row(out, "cut short",
               fmt::format("{} with so many candidates just below the threshold that only the most "
                           "promising were compared; a similar one may have been missed",
                           documents(counts.cut_short)));
  if (counts.references > 0) {
    append_row(
        out, "against",
        fmt::format("{}, never removed", counted(counts.references, "reference", "references")));
  }
  if (counts.exact_duplicates > 0) {
    std::string sentence = fmt::format("{} with the same features as an earlier one",
                                       documents(counts.exact_duplicates));
    // If the earlier one was removed as a near-copy, so were those that equal it.
    const std::uint64_t of_kept = counts.exact_duplicates - counts.copies_of_removed;
    if (counts.copies_of_removed > 0)
      sentence +=
          fmt::format(": {} {} a kept document, {} a removed one", with_separators(of_kept),
                      of_kept == 1 ? "equals" : "equal", with_separators(counts.copies_of_removed));
    append_row(out, "equal", sentence);
  }
  if (clusters > 0 && command == "clusters") {
    append_row(out, "largest", documents(largest_cluster));
  } else if (clusters > 0) {
    append_row(out, "clusters",
               fmt::format("{} {:.1f} removed ones on average; the largest cluster has {}",
                           counted(clusters, "kept document has", "kept documents have"),
                           static_cast<double>(similar_to_kept) / static_cast<double>(clusters),
                           documents(largest_cluster)));
  }
  append_decided(out);
  append_sources(out);
  if (counts.config.features.drop_common != 0) {
    append_row(
        out, "common",
        fmt::format("{} left out{}",
                    counted(counts.common_features, "different shingle", "different shingles"),
                    counts.only_common == 0 ? ""
                                            : fmt::format(", but not of {} with no others",
                                                          documents(counts.only_common))));
  }
  if (counts.short_documents > 0) {
    append_row(out, "short",
               fmt::format("{} with {}: {}", documents(counts.short_documents),
                           counts.config.features.image() ? "too little detail to be compared"
                                                          : "less text than one shingle",
                           name_in(kShort, short_policy)));
  }
  if (counts.undecodable > 0) {
    append_row(out, "no images",
               fmt::format("{}: {}similar to nothing",
                           counted(counts.undecodable, "file that is not an image, or damaged",
                                   "files that are not images, or damaged"),
                           command == "dedup" ? "kept, " : ""));
  }
  if (counts.empty > counts.undecodable) {
    append_row(out, "empty",
               fmt::format("{} without features: {}similar to nothing",
                           documents(counts.empty - counts.undecodable),
                           command == "dedup" ? "kept, " : ""));
  }
  if (counts.replaced > 0) {
    append_row(out, "replaced",
               fmt::format("invalid UTF-8 in {}, compared with U+FFFD in its place",
                           documents(counts.replaced)));
  }
  append_without_group(out, input, by);
  if (input.without_number > 0) {
    append_row(out, "no number",
               fmt::format("{} without a number that {} asks for: last in its order",
                           documents(input.without_number), spelling.parameter({"keep"})));
  }
  if (input.duplicate_ids > 0) {
    append_row(out, "same id",
               fmt::format("{} with an id that an earlier one has; their lines tell "
                           "them apart",
                           documents(input.duplicate_ids)));
  }
  append_skipped(out);
  if (!output.empty() && output != "-") append_row(out, "output", printable(output));
  if (!removed_list.empty()) append_row(out, "removed list", printable(removed_list));
  if (!pairs_list.empty()) append_row(out, "pairs", printable(pairs_list));
  if (!clusters_list.empty()) append_row(out, "cluster list", printable(clusters_list));
  if (!report.empty()) append_row(out, "report", printable(report));
  append_cost(out, threads, schema.empty() ? std::optional(input.bytes) : std::nullopt);
  return out;
}

}  // namespace benzer::apps
