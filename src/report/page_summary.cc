#include <fmt/format.h>

#include "report/html_text.h"
#include "report/page.h"
#include "report/words.h"

namespace benzer::report {
namespace {

std::string documents(std::uint64_t number) { return counted(number, "document", "documents"); }

std::string headline(const Report& report) {
  const std::uint64_t all = report.counts.documents;
  const std::string t = report.threshold.str();
  if (all == 0) return "The inputs hold no document.";
  if (report.removed == 0) {
    return fmt::format("Of {} none {}: no two of them were found to be at least {} similar.",
                       documents(all), report.run.dry_run ? "would be removed" : "was removed", t);
  }
  const bool one = report.removed == 1;
  std::string out =
      fmt::format("Of {} {} {} ({})", documents(all), with_separators(report.removed),
                  report.run.dry_run ? "would be removed" : (one ? "was removed" : "were removed"),
                  shown_share(report.removed, all));
  const std::string_view stays =
      report.counts.references > 0 ? "one that stays, or to a reference" : "one that stays";
  if (report.removed == report.dropped)
    return out + (one ? ", because it is too short." : ", because they are too short.");
  const std::string each = report.dropped == 0
                               ? std::string(one ? "it" : "each")
                               : with_separators(report.removed - report.dropped) + " of them";
  const bool plural = report.dropped > 0 && report.removed - report.dropped > 1;
  if (report.clustering == Clustering::kLeader) {
    out += fmt::format(", because {} {} at least {} similar to {}", each, plural ? "are" : "is", t,
                       stays);
  } else {
    out +=
        fmt::format(", because {} {} connected to {} by a chain of pairs, each at least {} similar",
                    each, plural ? "are" : "is", stays, t);
  }
  if (report.dropped > 0)
    out += fmt::format(", and {} because of too short a text", with_separators(report.dropped));
  return out + ".";
}

class Numbers {
 public:
  explicit Numbers(std::string& out) : out_(out) { out_ += "<dl class=\"numbers\">\n"; }
  ~Numbers() { out_ += "</dl>\n"; }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  void add(std::string_view name, const std::string& value, const std::string& note = "") {
    out_ += fmt::format("<div><dt>{}</dt><dd>{}</dd>", name, value);
    if (!note.empty()) out_ += fmt::format("<dd class=\"note\">{}</dd>", note);
    out_ += "</div>\n";
  }

 private:
  std::string& out_;
};

class Settings {
 public:
  explicit Settings(std::string& out) : out_(out) {
    out_ +=
        "<table class=\"settings\">\n<caption>Settings that decide the result, and what they "
        "gave</caption>\n<tbody>\n";
  }
  ~Settings() { out_ += "</tbody>\n</table>\n"; }
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  // `value` is HTML already.
  void add(std::string_view name, const std::string& value, const std::string& explained = "") {
    out_ += fmt::format("<tr><th scope=\"row\">{}</th><td>{}", name, value);
    if (!explained.empty()) out_ += fmt::format("<br><small class=\"quiet\">{}</small>", explained);
    out_ += "</td></tr>\n";
  }

 private:
  std::string& out_;
};

std::string code(std::string_view text) { return fmt::format("<code>{}</code>", html_text(text)); }

std::string names(const std::vector<std::string>& list) {
  constexpr std::size_t kShown = 20;
  std::string out;
  for (std::size_t i = 0; i < list.size() && i < kShown; ++i)
    out += (i == 0 ? "" : ", ") + code(list[i]);
  if (list.size() > kShown)
    out += fmt::format(" and {} more", with_separators(list.size() - kShown));
  return out.empty() ? "none" : out;
}

std::string command_line(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + shell_word(word);
  // Inputs named by a pattern may be thousands.
  return out.size() <= 4000 ? out : shortened(out, 4000);
}

std::string features_in_words(const FeatureSpec& spec) {
  using Kind = FeatureSpec::Kind;
  std::string out;
  switch (spec.kind) {
    case Kind::kWords:
      out = spec.shingle == 1
                ? "Texts are compared by their words"
                : fmt::format("Texts are compared by all runs of {} words", spec.shingle);
      break;
    case Kind::kChars:
      out = fmt::format("Texts are compared by all runs of {} characters", spec.shingle);
      break;
    case Kind::kValues:
      return "Documents are compared by their values";
    default:
      return "Texts are compared byte by byte, by the rules of the ground truth";
  }
  out += "; case, punctuation and the form of characters (NFKC) do not count";
  if (spec.html) out += "; the texts are HTML, of which only what people read counts";
  if (spec.drop_common != 0)
    out += "; what very many documents have in common (boilerplate) is left out";
  if (!spec.stop.empty()) out += "; stop words are left out";
  return out;
}

std::string_view clustering_in_words(Clustering clustering) {
  return clustering == Clustering::kLeader
             ? "A document is removed if and only if one that stays was verified to be similar."
             : "What is connected by similar pairs is one cluster, of which one document stays; "
               "in a long chain the ends need not be similar.";
}

}  // namespace

void append_headline(const Report& report, std::string& out) {
  out += fmt::format("<p class=\"headline\">{}</p>\n", html_text(headline(report)));
  if (report.run.dry_run)
    out += "<p class=\"quiet\">This was a dry run: no document was written or removed yet.</p>\n";
  const SimilarityCounts& counts = report.counts;
  Numbers numbers(out);
  numbers.add("documents", with_separators(counts.documents),
              counts.references > 0
                  ? fmt::format("and {}", counted(counts.references, "reference", "references"))
                  : "");
  numbers.add("kept", with_separators(report.kept), shown_share(report.kept, counts.documents));
  numbers.add("removed", with_separators(report.removed),
              shown_share(report.removed, counts.documents));
  numbers.add("of these equal", with_separators(report.equal), "no feature differs");
  numbers.add("of these near-copies", with_separators(report.near), "some features differ");
  if (report.dropped > 0)
    numbers.add("of these too short", with_separators(report.dropped), "removed by --short drop");
  numbers.add(report.values ? "values read" : "text read", shown_bytes(counts.bytes));
  numbers.add(report.values ? "values removed" : "text removed", shown_bytes(report.removed_bytes),
              shown_share(report.removed_bytes, counts.bytes));
  numbers.add("clusters", with_separators(report.clusters), "families of one that stays");
  if (report.clusters > 0)
    numbers.add("largest cluster", with_separators(report.largest_cluster), "documents");
}

void append_settings(const Report& report, std::string& out) {
  append_heading("done", "What was done", out);
  const SimilarityCounts& counts = report.counts;
  {
    Settings rows(out);
    rows.add("Inputs", names(report.run.inputs));
    if (!report.run.references.empty())
      rows.add("References", names(report.run.references),
               "Documents to compare with: they are never removed, and never compared with one "
               "another.");
    if (!report.run.group_field.empty())
      rows.add("Compared within", code(report.run.group_field),
               "Documents that differ in this field are never similar.");
    rows.add("Configuration", code(counts.config.str()),
             features_in_words(counts.config.features) + ".");
    rows.add("Threshold", code(report.threshold.str()),
             "Jaccard similarity, common features / features of both, from which two documents are "
             "similar. Compared exactly, as fractions.");
    rows.add("Recall at the threshold", fmt::format("{:.4f}", counts.recall_at_threshold),
             (report.wanted_recall
                  ? fmt::format("Wanted: {}. ", html_text(fmt::format("{}", *report.wanted_recall)))
                  : std::string("The bands were given. ")) +
                 "Probability that a pair exactly at the threshold is found; closer pairs are "
                 "found more "
                 "often.");
    rows.add("Clusters", code(name_of(report.clustering)),
             std::string(clustering_in_words(report.clustering)));
    rows.add("Which one stays", code(report.keep.str()),
             "The keep order: of similar documents the first in this order stays.");
    rows.add(
        "Short texts", code(name_of(report.short_policy)),
        report.short_policy == ShortPolicy::kExact
            ? "Similar only when equal."
            : (report.short_policy == ShortPolicy::kKeep ? "Kept, and in no pair." : "Removed."));
    rows.add(
        "Candidates", counted(counts.candidates, "comparison", "comparisons"),
        "Of signatures: pairs of different documents, once for each band in which they agree.");
    rows.add("Confirmed", counted(counts.verified_pairs, "pair", "pairs"),
             "Candidates whose exact similarity reaches the threshold. Equal documents are found "
             "without candidates.");
    if (!report.run.output.empty()) rows.add("Kept documents", code(report.run.output));
    if (!report.run.removed_list.empty())
      rows.add("List of the removed", code(report.run.removed_list),
               "Every removed document, with the one that stays and the exact score.");
    rows.add("Version", "Benzer " + html_text(report.version));
  }
  out += "<p>The command that gives this result again:</p>\n";
  out += fmt::format("<pre><code>{}</code></pre>\n", html_text(command_line(report.run.command)));
}

void append_notes(const Report& report, std::string& out) {
  append_heading("notes", "What was skipped or changed", out);
  const SimilarityCounts& counts = report.counts;
  const InputCounts& input = report.run.input;
  std::string items;
  const auto add = [&](std::uint64_t number, const std::string& sentence) {
    if (number > 0) items += fmt::format("<li>{}</li>\n", sentence);
  };
  add(input.skipped,
      fmt::format("<b>Skipped:</b> {} could not be read as a document, and {} in no count above.",
                  counted(input.skipped, "line or file", "lines or files"),
                  input.skipped == 1 ? "is" : "are"));
  add(counts.replaced,
      fmt::format("<b>Replaced:</b> {} with invalid UTF-8, compared with U+FFFD in its place. The "
                  "documents themselves are written unchanged.",
                  documents(counts.replaced)));
  add(counts.empty,
      fmt::format("<b>Empty:</b> {} without any feature: kept, and similar to nothing.",
                  documents(counts.empty)));
  add(counts.common_features,
      fmt::format("<b>Common:</b> {} in so many documents that the comparison leaves them out.",
                  counted(counts.common_features, "feature is", "different features are")));
  add(counts.only_common,
      fmt::format(
          "<b>Nothing but common:</b> {} whose features are all common; they are compared with "
          "all of them.",
          documents(counts.only_common)));
  add(counts.short_documents,
      fmt::format("<b>Short:</b> {} with less text than one shingle: {}.",
                  documents(counts.short_documents),
                  report.short_policy == ShortPolicy::kExact  ? "similar only when equal"
                  : report.short_policy == ShortPolicy::kKeep ? "kept, and in no pair"
                                                              : "removed"));
  add(input.duplicate_ids,
      fmt::format(
          "<b>Same id:</b> {} with an id that an earlier one has; source and line tell them "
          "apart.",
          documents(input.duplicate_ids)));
  add(report.run.group_field.empty() ? 0 : input.without_group,
      fmt::format("<b>Without the field {}:</b> {}, compared with one another only.",
                  code(report.run.group_field), documents(input.without_group)));
  add(input.without_number,
      fmt::format("<b>Without a number that the keep order asks for:</b> {}; they come last in it.",
                  documents(input.without_number)));
  if (items.empty()) {
    out += "<p>Nothing: every line and file gave a document with features, all of it valid.</p>\n";
    return;
  }
  out += "<ul class=\"plain\">\n" + items + "</ul>\n";
  if (report.run.problems.empty()) return;
  const std::size_t shown = report.run.problems.size();
  out += fmt::format("<details><summary>{}</summary><div class=\"inside\"><ul class=\"plain\">\n",
                     shown < input.skipped
                         ? fmt::format("The first {} sentences about bad input", shown)
                         : std::string("What was said about bad input"));
  for (const std::string& sentence : report.run.problems)
    out += fmt::format("<li><bdi>{}</bdi></li>\n", html_text(shortened(sentence, 600)));
  out += "</ul></div></details>\n";
}

void append_next_steps(const Report& report, std::string& out) {
  if (report.run.next_steps.empty()) return;
  append_heading("next", "Next steps", out);
  for (const NextStep& step : report.run.next_steps)
    out += fmt::format("<p>{}</p>\n<pre><code>{}</code></pre>\n", html_text(step.sentence),
                       html_text(command_line(step.command)));
}

}  // namespace benzer::report
