#include "report/passage_page.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "benzer/internal/text.h"

#include "passages/near_runs.h"
#include "report/html_text.h"
#include "report/page.h"
#include "report/page_parts.h"
#include "report/passage_style.h"

namespace benzer::report {
namespace {

constexpr std::size_t kOriginsInTitle = 8;
constexpr std::size_t kOriginsInTable = 12;

bool has_references(const PassageEvidence& evidence) { return evidence.counts.references > 0; }

std::string at_least(const PassageEvidence& evidence) {
  return fmt::format("at least {}", counted(evidence.options.min_words, "word", "words"));
}

void append_summary(const PassageEvidence& evidence, std::string& out) {
  const PassageCounts& counts = evidence.counts;
  const std::string_view with =
      has_references(evidence) ? "with the references" : "with an earlier document";
  std::string sentence;
  if (counts.documents == 0) {
    sentence = "The inputs hold no document.";
  } else if (counts.passages == 0) {
    sentence =
        fmt::format("None of {} has a passage of {} in common {}.",
                    counted(counts.documents, "document", "documents"), at_least(evidence), with);
  } else {
    sentence = fmt::format(
        "{} of {} ({}) {} a passage of {} in common {}, and {} of all words are in one.",
        with_separators(counts.documents_with), counted(counts.documents, "document", "documents"),
        shown_share(counts.documents_with, counts.documents),
        counts.documents_with == 1 ? "has" : "have", at_least(evidence), with,
        shown_share(counts.shared_words, counts.words));
  }
  out += fmt::format("<p class=\"headline\">{}</p>\n", sentence);
  Numbers numbers(out);
  numbers.add("documents", with_separators(counts.documents),
              has_references(evidence)
                  ? fmt::format("and {}", counted(counts.references, "reference", "references"))
                  : "");
  numbers.add("documents with passages", with_separators(counts.documents_with),
              shown_share(counts.documents_with, counts.documents));
  numbers.add("words", with_separators(counts.words));
  numbers.add("words in passages", with_separators(counts.shared_words),
              shown_share(counts.shared_words, counts.words));
  numbers.add("passages", with_separators(counts.passages));
  numbers.add("different passages", with_separators(counts.clusters), "clusters");
  if (evidence.all_origins > 0)
    numbers.add(has_references(evidence) ? "references found" : "documents they come from",
                with_separators(evidence.all_origins));
}

void append_origins(const PassageEvidence& evidence, std::string& out) {
  if (evidence.origins.empty()) {
    out += "<p>There is none.</p>\n";
    return;
  }
  out += has_references(evidence) ? "<p>A passage counts for the first reference that has it.</p>\n"
                                  : "<p>A passage counts for the first document that has it.</p>\n";
  if (evidence.origins.size() < evidence.all_origins)
    out += fmt::format("<p class=\"quiet\">Those in most documents, {} of {}.</p>\n",
                       evidence.origins.size(), with_separators(evidence.all_origins));
  out += fmt::format(
      "<div {}>\n<table>\n<thead><tr><th scope=\"col\">{}</th><th scope=\"col\" "
      "class=\"place\">place</th><th scope=\"col\" class=\"number\">in documents</th><th "
      "scope=\"col\" class=\"bars\"></th><th scope=\"col\" "
      "class=\"number\">words</th></tr></thead>\n<tbody>\n",
      scroll_region("scroll", "Table of the documents that passages come from"),
      has_references(evidence) ? "reference" : "document");
  const std::uint64_t most = std::max<std::uint64_t>(evidence.origins.front().counts.documents, 1);
  for (const auto& [counts, document] : evidence.origins)
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"quiet small place\">{}</td><td "
        "class=\"number\">{}</td><td class=\"bars\"><span class=\"bar\"><span "
        "style=\"width:{:.1f}%\"></span></span></td><td class=\"number\">{}</td></tr>\n",
        shown_name(document), shown_place(document), with_separators(counts.documents),
        100.0 * static_cast<double>(counts.documents) / static_cast<double>(most),
        with_separators(counts.words));
  out += "</tbody>\n</table>\n</div>\n";
}

void append_pieces(const std::vector<TextPiece>& pieces, bool is_marked, std::string& out) {
  for (const TextPiece& piece : pieces) {
    const std::string text = html_text(piece.text, Lines::kKept);
    switch (piece.kind) {
      case TextPiece::Kind::kAround:
        out += is_marked ? "<span class=\"quiet\">" + text + "</span>" : text;
        break;
      case TextPiece::Kind::kEqual:
        out += is_marked ? "<span class=\"s\">" + text + "</span>" : text;
        break;
      case TextPiece::Kind::kOwn:
        out += "<mark>" + text + "</mark>";
        break;
      case TextPiece::Kind::kLeftOut:
        out += fmt::format(
            " <span class=\"left-out\">… {}{} …</span> ", counted(piece.words, "word", "words"),
            piece.passages == 0 ? ""
                                : fmt::format(" with {}", counted(piece.passages, "shorter passage",
                                                                  "shorter passages")));
        break;
    }
    if (is_marked && &piece != &pieces.back()) out += ' ';
  }
}

std::string colour_of(std::size_t origin) {
  return fmt::format("c{}", origin % kOriginColours + 1);
}

// Returns where a run is: in which document, unless that is a whole file, and at which bytes of it.
std::string place_of(const TextRun& run, const ReportedDocument& document) {
  const bool is_file = document.line == 0 && !document.source.empty();
  const std::string place = is_file ? "" : shown_place(document);
  return fmt::format("{}{}bytes {} to {}", place, place.empty() ? "" : ", ",
                     with_separators(run.begin), with_separators(run.end));
}

void append_frequent(const PassageEvidence& evidence, std::string& out) {
  if (evidence.frequent.empty()) {
    out += "<p>No passage was found more than once.</p>\n";
    return;
  }
  constexpr std::size_t kFirst = 5;  // the others are folded on narrow screens
  out +=
      "<p>Those that mostly overlap a more frequent one are left out.</p>\n<div "
      "class=\"frequent\">\n";
  for (std::size_t i = 0; i < evidence.frequent.size(); ++i) {
    const ShownFrequent& each = evidence.frequent[i];
    if (i == kFirst)
      out +=
          fmt::format("<details class=\"more unfolded\"><summary>{}</summary>\n",
                      counted(evidence.frequent.size() - kFirst, "more passage", "more passages"));
    out += fmt::format(
        "<div class=\"passage\"><p class=\"from\"><b>In {}</b>: {} of <b>{}</b> <span "
        "class=\"quiet\">({}{})</span></p>\n<div class=\"words\" dir=\"auto\" "
        "translate=\"no\">",
        counted(each.passage.documents, "document", "documents"),
        counted(each.passage.words, "word", "words"), shown_name(each.document),
        place_of(each.passage.first, each.document),
        each.passage.places > each.passage.documents
            ? fmt::format("; {} times in all", with_separators(each.passage.places))
            : "");
    append_pieces(each.text, false, out);
    out += "</div></div>\n";
  }
  out += evidence.frequent.size() > kFirst ? "</details></div>\n" : "</div>\n";
}

// Writes the documents that are shown.
class DocumentWriter {
 public:
  DocumentWriter(const PassageEvidence& evidence, std::string& out)
      : evidence_(evidence), out_(out) {
    for (const ShownDocument& document : evidence.documents) shown_.insert(document.chosen.number);
  }

  void list(std::string_view title, std::string_view sentence,
            const std::vector<std::size_t>& documents) {
    if (documents.empty()) return;
    out_ += fmt::format("<h3>{}</h3>\n<p class=\"quiet\">{}</p>\n", title, sentence);
    bool is_unfolded = true;  // the first of each list
    for (const std::size_t i : documents) {
      const ShownDocument& document = evidence_.documents[i];
      if (!written_.insert(i).second) {
        out_ +=
            fmt::format("<p class=\"small\"><a href=\"#document-{}\">{}</a> (shown above)</p>\n",
                        document.chosen.number, shown_name(document.document));
        continue;
      }
      append(document, is_unfolded);
      is_unfolded = false;
    }
  }

 private:
  void append(const ShownDocument& document, bool is_unfolded) {
    const ChosenDocument& chosen = document.chosen;
    out_ += fmt::format(
        "<details id=\"document-{}\"{}><summary><b>{}</b> <span class=\"quiet\">{} of {} in {}"
        "</span>\n",
        chosen.number, is_unfolded ? " class=\"unfolded\"" : "", shown_name(document.document),
        shown_share(chosen.shared_words, chosen.words), counted(chosen.words, "word", "words"),
        counted(chosen.passages, "passage", "passages"));
    append_titles(document);
    out_ += "</summary><div class=\"inside\">\n";
    if (const std::string place = shown_place(document.document); !place.empty())
      out_ += fmt::format("<p class=\"quiet small\">{}</p>\n", place);
    append_map(document);
    if (chosen.passages > chosen.kept.size())
      out_ += fmt::format("<p class=\"quiet small\">Of the first {} passages.</p>\n",
                          with_separators(chosen.kept.size()));
    append_table(document);
    out_ += "<div class=\"flow\">\n";
    for (std::size_t i = 0; i < document.passages.size(); ++i)
      append_passage(document, document.passages[i]);
    append_around(document.after);
    out_ += "</div>\n</div></details>\n";
  }

  // The names of the documents that its passages come from.
  void append_titles(const ShownDocument& document) {
    out_ += "<span class=\"origins\">";
    const std::size_t shown = std::min(document.origins.size(), kOriginsInTitle);
    for (std::size_t i = 0; i < shown; ++i)
      out_ += fmt::format("<span class=\"origin {}\">{}</span>", colour_of(i),
                          shown_name(document.origins[i].document));
    if (shown < document.origins.size())
      out_ += fmt::format("<span class=\"quiet\">and {} more</span>",
                          with_separators(document.origins.size() - shown));
    out_ += "</span>";
  }

  // Draws where in the document its passages are.
  void append_map(const ShownDocument& document) {
    const ChosenDocument& chosen = document.chosen;
    out_ +=
        fmt::format("<div class=\"map\" role=\"img\" aria-label=\"{} of the text is in passages\">",
                    shown_share(chosen.shared_words, chosen.words));
    const auto percent = [&](std::uint64_t words) {
      return 100 * static_cast<double>(words) / static_cast<double>(std::max(chosen.words, words));
    };
    std::uint64_t covered = 0;
    for (std::size_t i = 0; i < chosen.kept.size(); ++i) {
      const Passage& passage = chosen.kept[i];
      const std::uint64_t begin = std::max(covered, passage.place.first_word);
      covered = passage.place.first_word + passage.words;
      out_ +=
          fmt::format("<span class=\"{}\" style=\"left:{:.2f}%;width:{:.2f}%\"></span>",
                      colour_of(document.origin_of[i]), percent(begin), percent(covered - begin));
    }
    out_ += "</div>\n";
  }

  void append_table(const ShownDocument& document) {
    const std::size_t shown = std::min(document.origins.size(), kOriginsInTable);
    out_ +=
        "<table>\n<thead><tr><th scope=\"col\">comes from</th><th scope=\"col\" "
        "class=\"place\">place</th><th scope=\"col\" class=\"number\">passages</th><th "
        "scope=\"col\" class=\"number\">words</th></tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < shown; ++i) {
      const ShownOrigin& origin = document.origins[i];
      out_ += fmt::format(
          "<tr class=\"{}\"><th scope=\"row\"><span class=\"chip\">{}</span> {}</th><td "
          "class=\"quiet small place\">{}</td><td class=\"number\">{}</td><td "
          "class=\"number\">{}</td></tr>\n",
          colour_of(i), i + 1, linked_name(origin.document), shown_place(origin.document),
          with_separators(origin.passages), with_separators(origin.words));
    }
    out_ += "</tbody>\n</table>\n";
    if (shown < document.origins.size())
      out_ += fmt::format("<p class=\"quiet small\">And {}.</p>\n",
                          counted(document.origins.size() - shown, "more document with fewer words",
                                  "more documents with fewer words"));
  }

  void append_passage(const ShownDocument& document, const ShownPassage& shown) {
    append_around(shown.before);
    const Passage& passage = shown.passage;
    const ReportedDocument& origin = document.origins[shown.origin].document;
    std::string facts = counted(passage.words, "word", "words");
    if (passage.equal_words < std::max(passage.words, passage.first_words))
      facts += fmt::format(", score {}: {} of {} are equal", shown_score(passage.score()),
                           with_separators(passage.equal_words),
                           with_separators(std::max(passage.words, passage.first_words)));
    if (shown.overlap > 0)
      facts += fmt::format(", the first {} of them in the passage above",
                           with_separators(shown.overlap));
    out_ += fmt::format(
        "<div class=\"passage {}\"><p class=\"from\"><span class=\"chip\">{}</span> <b>{}</b> "
        "<span class=\"quiet\">{}</span></p>\n<div class=\"words\" dir=\"auto\" "
        "translate=\"no\">",
        colour_of(shown.origin), shown.origin + 1, linked_name(origin), facts);
    append_pieces(shown.text, false, out_);
    out_ += "</div>\n";
    if (is_marked_in_part(passage))
      out_ += fmt::format(
          "<p class=\"quiet small\">Words that differ are marked in the first {} words only.</p>\n",
          with_separators(kAlignedWords));
    out_ += fmt::format(
        "<details><summary>In {}: {}</summary><div class=\"first\" dir=\"auto\" "
        "translate=\"no\">",
        shown_name(origin), place_of(passage.first, origin));
    append_pieces(shown.first, true, out_);
    out_ += "</div></details></div>\n";
  }

  void append_around(const std::vector<TextPiece>& pieces) {
    if (pieces.empty()) return;
    out_ += "<div class=\"around\" dir=\"auto\" translate=\"no\">";
    append_pieces(pieces, false, out_);
    out_ += "</div>\n";
  }

  // A name is a link if the page shows the document.
  std::string linked_name(const ReportedDocument& document) const {
    const std::string name = shown_name(document);
    if (!document.number || !shown_.contains(*document.number)) return name;
    return fmt::format("<a href=\"#document-{}\">{}</a>", *document.number, name);
  }

  const PassageEvidence& evidence_;
  std::string& out_;
  std::set<std::uint32_t> shown_;
  std::set<std::size_t> written_;
};

void append_documents(const PassageEvidence& evidence, std::string& out) {
  if (evidence.documents.empty()) {
    out += "<p>There is none.</p>\n";
    return;
  }
  out += fmt::format(
      "<p>Each passage has the colour, the number and the name of the {} that it comes from; what "
      "is grey is in none. Of each document the {} longest passages are shown, of long ones the "
      "beginning and the end.</p>\n",
      has_references(evidence) ? "reference" : "document", kShownPassages);
  if (evidence.options.gap > 0)
    out +=
        "<ul class=\"key\">\n<li><mark>words</mark> that the other text does not "
        "have</li>\n</ul>\n";
  const auto part = [&](const std::vector<std::size_t>& list, std::string_view what) {
    return fmt::format("{} of {} with passages{}.", list.size(),
                       counted(evidence.counts.documents_with, "document", "documents"), what);
  };
  DocumentWriter writer(evidence, out);
  writer.list("With the largest share", part(evidence.by_share, ""), evidence.by_share);
  writer.list("With the longest passages", part(evidence.by_length, ""), evidence.by_length);
  writer.list("Any others",
              part(evidence.sample, ", chosen by a hash of their numbers and by nothing else"),
              evidence.sample);
}

void append_skipped(const PassageEvidence& evidence, std::string& out) {
  const InputCounts& input = evidence.run.input;
  std::string items;
  const auto add = [&](std::uint64_t number, const std::string& sentence) {
    if (number > 0) items += fmt::format("<li>{}</li>\n", sentence);
  };
  const auto documents = [](std::uint64_t number) {
    return counted(number, "document", "documents");
  };
  add(input.skipped,
      fmt::format("<b>Skipped:</b> {} could not be read as a document, and {} in no count above.",
                  counted(input.skipped, "line or file", "lines or files"),
                  input.skipped == 1 ? "is" : "are"));
  add(evidence.counts.replaced,
      fmt::format("<b>Replaced:</b> {} with invalid UTF-8, compared with U+FFFD in its place.",
                  documents(evidence.counts.replaced)));
  add(input.duplicate_ids,
      fmt::format("<b>Same id:</b> {} with an id that an earlier one has; source and line tell "
                  "them apart.",
                  documents(input.duplicate_ids)));
  add(evidence.run.group_field.empty() ? 0 : input.without_group,
      fmt::format("<b>Without the field {}:</b> {}, each a group of its own.",
                  code(evidence.run.group_field), documents(input.without_group)));
  out += items.empty() ? "<p>Nothing: every line and file gave a document, all of it valid.</p>\n"
                       : "<ul class=\"plain\">\n" + items + "</ul>\n";
  append_problems(evidence.run.problems, input.skipped, out);
}

// Says which passages are found.
std::string found_sentence(const PassageEvidence& evidence) {
  const PassageOptions& options = evidence.options;
  if (options.gap == 0)
    return fmt::format("Every run of {} that {} has, too, is found.", at_least(evidence),
                       has_references(evidence) ? "a reference" : "an earlier document");
  return fmt::format(
      "Near passages are found by runs of {}. One without such a run is missed, and so is one "
      "whose runs are all in still earlier documents.",
      counted(seed_words(options.min_words), "equal word", "equal words"));
}

void append_used(const PassageEvidence& evidence, std::string& out) {
  const PassageOptions& options = evidence.options;
  {
    Settings rows(out);
    rows.add("Inputs", names(evidence.run.inputs));
    if (!evidence.run.references.empty())
      rows.add("References", names(evidence.run.references),
               "Documents are compared with these, and not with each other.");
    if (!evidence.run.group_field.empty())
      rows.add("Across", code(evidence.run.group_field),
               "What documents with the same value in this field have in common is left out.");
    rows.add("Words", code(options.features.str()),
             "Case, blanks and punctuation between words do not matter.");
    rows.add("Fewest words", with_separators(options.min_words), found_sentence(evidence));
    rows.add("Gap", with_separators(options.gap),
             options.gap == 0
                 ? "The words of a passage are equal in both documents."
                 : "At most so many words of either document lie between two equal runs.");
    if (!evidence.run.output.empty()) rows.add("Output", code(evidence.run.output));
    rows.add("Version", "Benzer " + html_text(evidence.version));
  }
  append_command(evidence.run.command, out);
}

}  // namespace

std::string passage_page(const PassageEvidence& evidence) {
  struct Section {
    PageSection contents;
    void (*append)(const PassageEvidence&, std::string&);
  };
  const Section sections[] = {
      {{"origins",
        has_references(evidence) ? "References that were found" : "Where passages come from"},
       append_origins},
      {{"documents", "Documents with their passages"}, append_documents},
      {{"frequent", "The most frequent passages"}, append_frequent},
      {{"notes", "What was skipped or changed"}, append_skipped},
      {{"done", "Settings"}, append_used},
  };
  std::string out = begin_page({"Passages that documents share", kPassageStyle});
  append_summary(evidence, out);
  std::vector<PageSection> contents;
  for (const Section& section : sections) contents.push_back(section.contents);
  append_contents(contents, out);
  for (const Section& section : sections) {
    append_heading(section.contents.id, section.contents.title, out);
    section.append(evidence, out);
  }
  end_page(evidence.version, "inputs", out);
  return out;
}

}  // namespace benzer::report
