#include <fmt/format.h>

#include "benzer/internal/score_text.h"
#include "benzer/internal/text.h"

#include "report/html_text.h"
#include "report/page.h"
#include "report/page_parts.h"
#include "report/words.h"

namespace benzer::report {
namespace {

std::string documents(const Report& report, std::uint64_t number) {
  const Noun noun = noun_of(report);
  return counted(number, noun.one, noun.many);
}

// "31 of 256 bits", for image hashes.
std::string allowed_bits(const Report& report) {
  return fmt::format("{} of {} bits", *report.distance, report.counts.config.features.hash_bits());
}

// Returns why documents are removed, to be read after "because".
std::string reason(const Report& report, const std::string& who, bool plural) {
  const std::string t = report.threshold.str();
  const std::string_view is = plural ? "are" : "is";
  const bool references = report.counts.references > 0;
  if (report.clustering == Clustering::kComponents) {
    return fmt::format(
        "{} {} connected to {} by a chain of pairs, each {}", who, is,
        references ? "a kept one, or to a reference" : "a kept one",
        report.distance ? "within " + allowed_bits(report) : fmt::format("at least {} similar", t));
  }
  if (report.distance)
    return fmt::format("{} {} from a kept one{} in at most {} of a hash", who,
                       plural ? "differ" : "differs", references ? ", or from a reference," : "",
                       allowed_bits(report));
  if (report.measure == Measure::kContainment)
    return fmt::format("at least {} of the features of {} {} in {}", t,
                       plural ? "each of " + who : who, "are",
                       references ? "a kept one, or in a reference" : "a kept one");
  return fmt::format("{} {} at least {} similar to {}", who, is, t,
                     references ? "a kept one, or to a reference" : "a kept one");
}

// Returns why no document is removed, as a sentence without its end.
std::string reason_for_none(const Report& report) {
  // With containment a smaller document does not remove a larger one.
  if (report.schema && report.counts.verified_pairs > 0)
    return fmt::format("of {} the smaller document was chosen as a keeper in a decision",
                       report.counts.verified_pairs == 1
                           ? "the only similar pair"
                           : fmt::format("each of {} similar pairs",
                                         with_separators(report.counts.verified_pairs)));
  const std::string likeness =
      report.distance ? "have hashes within " + allowed_bits(report)
                      : fmt::format("were found to be at least {} similar", report.threshold.str());
  return fmt::format("no two of them {}{}", likeness, except_set_apart(report));
}

std::string headline(const Report& report) {
  const std::uint64_t all = report.counts.documents;
  if (all == 0) return fmt::format("The inputs hold no {}.", noun_of(report).one);
  if (report.removed == 0)
    return fmt::format("Of {} none {}: {}.", documents(report, all),
                       report.run.dry_run ? "would be removed" : "was removed",
                       reason_for_none(report));
  const bool one = report.removed == 1;
  std::string out =
      fmt::format("Of {} {} {} ({})", documents(report, all), with_separators(report.removed),
                  report.run.dry_run ? "would be removed" : (one ? "was removed" : "were removed"),
                  shown_share(report.removed, all));
  if (report.removed == report.dropped) {
    if (report.pictures) return out + ", because of too little detail.";
    return out + (one ? ", because it is too short." : ", because they are too short.");
  }
  const std::string each = report.dropped == 0
                               ? std::string(one ? "it" : "each")
                               : with_separators(report.removed - report.dropped) + " of them";
  const bool plural = report.dropped > 0 && report.removed - report.dropped > 1;
  out += ", because " + reason(report, each, plural);
  if (report.dropped > 0)
    out += fmt::format(", and {} because of {}", with_separators(report.dropped),
                       report.pictures ? "too little detail" : "too short a text");
  return out + ".";
}

// Says what equal documents have in common, and which copies are counted as near-copies.
std::string equal_in_words(const Report& report) {
  std::string out = report.distance                        ? "no bit of the hash differs"
                    : report.score_rule == ScoreRule::kAny ? "no feature of a field differs"
                                                           : "no feature differs";
  // The keeper of a copy is a near-copy if the document that it equals was removed, too.
  if (const std::uint64_t copies = report.counts.copies_of_removed; copies > 0)
    out += fmt::format("; {} more {} a removed one", with_separators(copies),
                       copies == 1 ? "equals" : "equal");
  return out;
}

std::string clustering_in_words(const Report& report) {
  const std::string_view one = noun_of(report).one;
  const bool sets_apart = report.set_apart > 0;
  return report.clustering == Clustering::kLeader
             ? fmt::format(
                   "A {} is removed if and only if a kept one was verified to be similar{}.", one,
                   sets_apart ? " and no decision sets the two apart" : "")
             : fmt::format(
                   "All that is connected by similar pairs is one cluster, of which one {} "
                   "is kept{}; the ends of a long chain need not be similar.",
                   one, sets_apart ? ", and what decisions set apart from it" : "");
}

}  // namespace

std::string except_set_apart(const Report& report) {
  if (report.set_apart == 0) return "";
  return fmt::format(", except for {} that decisions set apart",
                     counted(report.set_apart, "pair", "pairs"));
}

void append_headline(const Report& report, std::string& out) {
  out += fmt::format("<p class=\"headline\">{}</p>\n", html_text(headline(report)));
  if (report.run.dry_run)
    out +=
        report.pictures
            ? "<p class=\"quiet\">This was a dry run: no list was written. Benzer never deletes a "
              "file.</p>\n"
        : report.run.is_removing ? "<p><b>The removal had begun</b> when this page was written, so "
                                   "some of these documents may be gone.</p>\n"
        : report.schema          ? "<p class=\"quiet\">No document was removed yet.</p>\n"
                        : "<p class=\"quiet\">This was a dry run: no document was written or "
                          "removed yet.</p>\n";
  if (report.run.removed_so_far)
    out += fmt::format("<p><b>It was stopped before its end:</b> {} of these {} removed.</p>\n",
                       documents(report, *report.run.removed_so_far),
                       *report.run.removed_so_far == 1 ? "is" : "are");
  const SimilarityCounts& counts = report.counts;
  Numbers numbers(out);
  numbers.add(noun_of(report).many, with_separators(counts.documents),
              counts.references > 0
                  ? fmt::format("and {}", counted(counts.references, "reference", "references"))
                  : "");
  const bool would = report.run.dry_run;
  numbers.add(would ? "would be kept" : "kept", with_separators(report.kept),
              shown_share(report.kept, counts.documents));
  numbers.add(would ? "would be removed" : "removed", with_separators(report.removed),
              shown_share(report.removed, counts.documents));
  numbers.add("equal to their keeper", with_separators(report.equal), equal_in_words(report));
  numbers.add("near-copies of their keeper", with_separators(report.near - report.below),
              report.distance ? "some bits differ" : "some features differ");
  if (report.below > 0)
    numbers.add("linked by a chain", with_separators(report.below),
                report.distance ? "beyond the distance from their keeper"
                                : "below the threshold with their keeper");
  if (report.dropped > 0)
    numbers.add(report.pictures ? "of these with too little detail" : "of these too short",
                with_separators(report.dropped), "removed by --short drop");
  const std::string_view what = report.pictures ? "files" : report.values ? "values" : "text";
  if (!report.schema) {
    numbers.add(fmt::format("{} read", what), shown_bytes(counts.bytes));
    numbers.add(fmt::format("{} removed", what), shown_bytes(report.removed_bytes),
                shown_share(report.removed_bytes, counts.bytes));
  }
  numbers.add("clusters", with_separators(report.clusters), "each with one keeper");
  if (report.clusters > 0)
    numbers.add("largest cluster", with_separators(report.largest_cluster),
                std::string(noun_of(report).many));
}

namespace {

void add_distance(const Report& report, Settings& rows) {
  rows.add("Distance", fmt::format("at most {}", allowed_bits(report)),
           fmt::format("How many bits of two hashes may differ; those of strangers differ in half "
                       "of them. As a score, (bits - 2 distance) / bits, it is the threshold {}.",
                       code(report.threshold.str())));
  rows.add("Completeness", "every pair", "No pair of pictures within the distance is missed.");
}

void add_similarity(const Report& report, Settings& rows) {
  rows.add("Threshold", code(report.threshold.str()),
           fmt::format("{}, from which two {} are similar. Compared exactly, as fractions.",
                       report.counts.config.features.is_weighted()
                           ? "Weighted Jaccard similarity, the smaller weights / the "
                             "larger ones, summed over the features"
                       : report.measure == Measure::kContainment
                           ? "Containment, common features / features of the smaller one"
                           : "Jaccard similarity, common features / features of both",
                       noun_of(report).many));
  rows.add("Recall at the threshold", shown_probability(report.counts.recall_at_threshold),
           (report.wanted_recall
                ? fmt::format("Wanted: {}. ", html_text(fmt::format("{}", *report.wanted_recall)))
                : std::string("The bands were given. ")) +
               "Probability that a pair exactly at the threshold is found; closer pairs are "
               "found more "
               "often.");
}

void add_threshold(const Report& report, Settings& rows) {
  switch (report.counts.config.features.comparison()) {
    case Comparison::kSets:
      add_similarity(report, rows);
      break;
    case Comparison::kHashes:
      add_distance(report, rows);
      break;
    case Comparison::kPictures:
      rows.add("Threshold", code(report.threshold.str()),
               "How well two pictures agree where they are laid over each other, from 0 to 1. No "
               "two different pictures of the collections that it was tried on came above 0.82.");
      break;
    case Comparison::kDetails:
      rows.add("Threshold", code(report.threshold.str()),
               "How many details of what both pictures show are in the same places, beyond what "
               "chance does, from 0 to 1. Of 277,000 pairs of different pictures one came above "
               "0.12: two that were stamped with the same words.");
      break;
  }
}

void add_work(const Report& report, Settings& rows) {
  const SimilarityCounts& counts = report.counts;
  const Noun noun = noun_of(report);
  const bool is_sketched = counts.config.features.is_sketched();
  if (!is_sketched) {
    rows.add("Compared", counted(counts.candidates, "pair", "pairs"),
             report.distance ? "Those whose hashes are near enough to be looked at bit by bit."
                             : "Those that may be the same picture by what was looked at first, "
                               "and that agree well enough to be listed.");
  } else if (counts.anchors) {
    rows.add(
        "Candidates", counted(counts.candidates, "shared anchor", "shared anchors"),
        fmt::format("Of pairs of different {}: features that a hash has picked of the one, and "
                    "that the other one has, too.",
                    noun.many));
  } else {
    rows.add("Candidates", counted(counts.candidates, "comparison", "comparisons"),
             fmt::format("Of signatures: pairs of different {}, once for each band in which they "
                         "agree.",
                         noun.many));
  }
  rows.add(
      "Confirmed", counted(counts.verified_pairs, "pair", "pairs"),
      !is_sketched && !report.distance ? std::string("Pairs that reach the threshold.")
      : report.distance
          ? std::string("Of different hashes, within the distance. Equal hashes are found "
                        "without a comparison.")
          : fmt::format("Candidates whose exact similarity reaches the threshold. Equal {} are "
                        "found without candidates.",
                        noun.many));
}

}  // namespace

namespace {

void append_index_settings(const Report& report, std::string& out) {
  const Schema& schema = *report.schema;
  const bool is_contained = report.measure == Measure::kContainment;
  Settings rows(out);
  rows.add("Index", names(report.run.inputs),
           "Its documents and decisions at the time of the run.");
  for (const FieldSpec& field : schema.fields)
    rows.add(fmt::format("Field {}", code(field.name)), code(field.features.str()),
             features_in_words(field.features) + "." +
                 (schema.fields.size() > 1 ? fmt::format(" Weight {}.", field.weight.str()) : ""));
  rows.add("Threshold", code(report.threshold.str()),
           std::string(is_contained ? "Containment, common features / features of the smaller one, "
                                      "compared exactly"
                                    : "How similar two documents have to be, compared exactly, as "
                                      "fractions") +
               (schema.fields.size() == 1               ? "."
                : report.score_rule == ScoreRule::kMean ? ": the mean of their fields, by weight."
                : report.score_rule == ScoreRule::kAll  ? ": each of their fields."
                                                        : ": one of their fields."));
  rows.add("Recall at the threshold", shown_probability(report.counts.recall_at_threshold),
           "Probability that a pair exactly at the threshold is found; closer pairs are found more "
           "often.");
  rows.add("Clusters", code(name_of(report.clustering)), clustering_in_words(report));
  rows.add("Which one is kept", is_contained ? "the largest" : "the first",
           is_contained ? "The one with the most features, then the first in the order of the "
                          "index; a keeper that was chosen in a decision comes first."
                        : "In the order of the index; a keeper that was chosen in a decision comes "
                          "first.");
  rows.add("Candidates", counted(report.counts.candidates, "comparison", "comparisons"),
           is_contained ? "Of the numbers of common keys, once for each field in which a pair met."
                        : "Of signatures, once for each field in which a pair met.");
  rows.add("Confirmed", counted(report.counts.verified_pairs, "pair", "pairs"),
           std::string("Of documents that are similar, copies among them.") +
               (report.set_apart > 0 ? " Those that decisions set apart are not counted." : ""));
  if (!report.run.removed_list.empty())
    rows.add("List of the removed", code(report.run.removed_list),
             "Every removed document, with its keeper and the exact score.");
  rows.add("Version", "Benzer " + html_text(report.version));
}

void append_run_settings(const Report& report, std::string& out) {
  const SimilarityCounts& counts = report.counts;
  const Noun noun = noun_of(report);
  Settings rows(out);
  rows.add("Inputs", names(report.run.inputs));
  if (!report.run.references.empty())
    rows.add("References", names(report.run.references),
             fmt::format("{} to compare with: they are never removed, and never compared with "
                         "one another.",
                         noun.title));
  if (!report.run.group_field.empty())
    rows.add("Compared within", code(report.run.group_field),
             "Documents that differ in this field are never similar.");
  rows.add("Configuration",
           code(counts.anchors ? counts.config.features.str() : counts.config.str()),
           features_in_words(counts.config.features) + ".");
  add_threshold(report, rows);
  rows.add("Clusters", code(name_of(report.clustering)), clustering_in_words(report));
  rows.add(
      "Which one is kept", code(report.keep.str()),
      fmt::format("The keep order: of similar {} the first in this order is kept.", noun.many));
  rows.add(
      report.pictures ? "Too little detail" : "Short texts",
      code(name_in(kShortPolicies, report.short_policy)),
      report.short_policy == ShortPolicy::kExact
          ? (report.pictures ? "Similar only when the files are the same."
                             : "Similar only when equal.")
          : (report.short_policy == ShortPolicy::kKeep ? "Kept, and in no pair." : "Removed."));
  add_work(report, rows);
  if (!report.run.output.empty())
    rows.add(fmt::format("Kept {}", noun.many), code(report.run.output));
  if (!report.run.removed_list.empty())
    rows.add("List of the removed", code(report.run.removed_list),
             fmt::format("Every removed {}, with its keeper and the exact score.", noun.one));
  rows.add("Version", "Benzer " + html_text(report.version));
}

}  // namespace

void append_settings(const Report& report, std::string& out) {
  append_heading("done", "Settings", out);
  if (report.schema) {
    append_index_settings(report, out);
  } else {
    append_run_settings(report, out);
  }
  append_command(report.run.command, out);
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
                  documents(report, counts.replaced)));
  add(counts.undecodable,
      fmt::format("<b>No pictures:</b> {} that {}, or {}: kept, and similar to nothing.",
                  counted(counts.undecodable, "file", "files"),
                  counts.undecodable == 1 ? "is not an image" : "are not images",
                  counts.undecodable == 1 ? "is damaged" : "are damaged"));
  add(counts.empty - counts.undecodable,
      fmt::format("<b>Empty:</b> {} without any feature: kept, and similar to nothing.",
                  documents(report, counts.empty - counts.undecodable)));
  add(counts.common_features,
      fmt::format("<b>Common:</b> {} in so many documents that the comparison leaves them out.",
                  counted(counts.common_features, "feature is", "different features are")));
  add(counts.only_common,
      fmt::format(
          "<b>Nothing but common:</b> {} whose features are all common; they are compared with "
          "all of them.",
          documents(report, counts.only_common)));
  add(counts.cut_short,
      fmt::format("<b>Cut short:</b> {} with so many candidates just below the threshold that only "
                  "the most promising were compared; a similar one may have been missed.",
                  documents(report, counts.cut_short)));
  add(counts.short_documents,
      fmt::format(
          "<b>{}:</b> {} with {}: {}.", report.pictures ? "Too little detail" : "Short",
          documents(report, counts.short_documents),
          report.pictures ? "too little detail to be compared" : "less text than one shingle",
          report.short_policy == ShortPolicy::kExact
              ? (report.pictures ? "similar only when the files are the same"
                                 : "similar only when equal")
          : report.short_policy == ShortPolicy::kKeep ? "kept, and in no pair"
                                                      : "removed"));
  add(report.set_apart,
      fmt::format("<b>Set apart:</b> {} that {} not duplicates by a decision: neither document is "
                  "removed because of the other.",
                  counted(report.set_apart, "similar pair", "similar pairs"),
                  report.set_apart == 1 ? "is" : "are"));
  add(report.chosen_keepers,
      fmt::format("<b>Chosen keepers:</b> {} with the keeper that a decision chose.",
                  counted(report.chosen_keepers, "cluster", "clusters")));
  add(input.duplicate_ids,
      fmt::format(
          "<b>Same id:</b> {} with an id that an earlier one has; source and line tell them "
          "apart.",
          documents(report, input.duplicate_ids)));
  add(report.run.group_field.empty() ? 0 : input.without_group,
      fmt::format("<b>Without the field {}:</b> {}, compared with one another only.",
                  code(report.run.group_field), documents(report, input.without_group)));
  add(input.without_number,
      fmt::format("<b>Without a number that the keep order asks for:</b> {}; they come last in it.",
                  documents(report, input.without_number)));
  if (items.empty()) {
    out += report.schema ? "<p>Nothing: every document has features, and no decision changed "
                           "anything.</p>\n"
           : report.pictures
               ? "<p>Nothing: every file is a picture with enough detail.</p>\n"
               : "<p>Nothing: every line and file gave a document with features, all of "
                 "it valid.</p>\n";
    return;
  }
  out += "<ul class=\"plain\">\n" + items + "</ul>\n";
  append_problems(report.run.problems, input.skipped + counts.undecodable, out);
}

void append_next_steps(const Report& report, std::string& out) {
  append_heading("next", "Next steps", out);
  for (const NextStep& step : report.run.next_steps)
    out += fmt::format("<p>{}</p>\n<pre><code>{}</code></pre>\n", html_text(step.sentence),
                       html_text(command_line(step.command)));
}

}  // namespace benzer::report
