// Writes all results as one page that needs no other files.
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "benzer/research/experiments.h"
#include "benzer/runtime.h"

#include "report/html_text.h"
#include "report/page_style.h"
#include "research/experiments/words.h"

namespace benzer {
namespace {

using report::html_text;

// Words are never broken: a table that is wider than the page scrolls, and its first column stays
// in sight.
constexpr std::string_view kOwnStyle = R"css(
section, #does-it-hold { scroll-margin-top: 12px; } section { margin-bottom: 30px; }
section h2 code { font-size: 1em; }
.scroll { overscroll-behavior-x: contain; }
.caption { color: var(--quiet); font-size: .88rem; margin: 18px 0 0; }
section table { width: auto; border-collapse: separate; border-spacing: 0; margin-top: 4px; }
section td, section th { padding: 4px 16px 4px 0; overflow-wrap: normal; word-break: normal;
  hyphens: none; }
section thead th[scope] { white-space: normal; vertical-align: bottom; border: 0; }
section tbody td { border-bottom: 0; border-top: 1px solid var(--edge); }
section td.name { white-space: nowrap; } section td.words { min-width: 14em; max-width: 30em; }
section tr > :first-child { position: sticky; left: 0; background: var(--page); }
figure svg { max-width: 720px; }
table.verdicts td, table.verdicts th { font-weight: 400; overflow-wrap: normal; }
table.verdicts code { overflow-wrap: normal; white-space: nowrap; }
table.verdicts tr.document th { padding-top: 22px; font-weight: 600; color: var(--quiet); }
.answer b { font-weight: 600; }
.answer .yes { color: var(--kept); } .answer .no { color: var(--removed); }
.answer .partly { color: var(--own-line); } .answer .open { color: var(--quiet); }
p.answer { border-left: 3px solid var(--edge); padding-left: 12px; }
@media (min-width: 641px) {
  table.verdicts .name { width: 17em; } table.verdicts .answer { width: 5em; }
}
@media (max-width: 640px) {
  section td, section th { padding-right: 12px; } section td.words { min-width: 11em; }
  section tr > :first-child { max-width: 42vw; }
  section tr > td.name:first-child { max-width: none; }
  section table.wide tr > :first-child { position: static; }
  figure > div { overflow-x: auto; } figure svg { min-width: 560px; }
  table.verdicts, table.verdicts tbody, table.verdicts tr, table.verdicts td, table.verdicts th {
    display: block; border: 0; padding: 0; }
  table.verdicts thead { display: none; }
  table.verdicts tr { border-bottom: 1px solid var(--edge); padding: 8px 0; }
  table.verdicts tr.document { border: 0; padding-bottom: 0; }
}
)css";

bool is_name(std::string_view text) { return text.find(' ') == text.npos; }

// Names without blanks stay whole, and sentences get room.
std::string_view class_of(std::string_view text) {
  constexpr std::size_t kSentence = 28;  // bytes
  return is_name(text) ? " class=\"name\"" : text.size() > kSentence ? " class=\"words\"" : "";
}

// Whether the first column would fill a phone, so that it must not stay in sight there.
bool begins_wide(const ExperimentTable& table) {
  constexpr std::size_t kMost = 24;  // bytes
  return std::ranges::any_of(table.rows, [](const auto& row) {
    return is_name(row[0].text) && row[0].text.size() > kMost;
  });
}

void append_table(std::string& out, const ExperimentTable& table) {
  // The caption does not scroll with the table. The region can be scrolled by keys, too.
  out += fmt::format(
      "<p class=\"caption\" id=\"table-{0}\">{1}</p>\n<div class=\"scroll\" tabindex=\"0\" "
      "role=\"region\" aria-labelledby=\"table-{0}\"><table aria-labelledby=\"table-{0}\"{2}>\n"
      "<thead><tr>",
      html_text(table.name), html_text(table.title), begins_wide(table) ? " class=\"wide\"" : "");
  constexpr std::string_view kNumber = " class=\"number\"";
  std::vector<bool> numeric;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    numeric.push_back(experiments::is_numeric(table, c));
    out += fmt::format("<th scope=\"col\"{}>{}</th>", numeric[c] ? kNumber : "",
                       html_text(table.columns[c]));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      out += fmt::format("<td{}>{}</td>", numeric[c] ? kNumber : class_of(row[c].text),
                         html_text(row[c].text));
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
}

// Folds long tables, since they would hide what follows.
void append_tables(std::string& out, const ExperimentResult& result) {
  constexpr std::size_t kOpenRows = 14;
  for (const ExperimentTable& table : result.tables) {
    const bool folded = table.rows.size() > kOpenRows;
    if (folded)
      out += fmt::format("<details><summary>{} ({} rows)</summary><div class=\"inside\">\n",
                         html_text(table.title), table.rows.size());
    append_table(out, table);
    if (folded) out += "</div></details>\n";
  }
}

std::string answer_html(const ExperimentVerdict& verdict) {
  return fmt::format("<b class=\"{0}\">{0}</b>", spelled(verdict.answer));
}

// One row an experiment, under the document that it comes from.
void append_overview(std::string& out, std::span<const ExperimentResult> results) {
  std::array<std::size_t, 4> counts{};
  for (const ExperimentResult& result : results)
    ++counts[static_cast<std::size_t>(result.verdict.answer)];
  const std::size_t open = counts[static_cast<std::size_t>(ExperimentAnswer::kOpen)];
  out += fmt::format(
      "<h2 id=\"does-it-hold\">Does it hold?</h2>\n<p>What a document says holds in {} of {} "
      "experiments, in part in {}, and not in {}{}. Every verdict is computed from the numbers "
      "below.</p>\n<nav aria-label=\"Verdicts\"><table class=\"verdicts\">\n"
      "<thead><tr><th scope=\"col\">experiment</th><th scope=\"col\">holds</th>"
      "<th scope=\"col\">why</th></tr></thead>\n<tbody>\n",
      counts[static_cast<std::size_t>(ExperimentAnswer::kYes)], results.size(),
      counts[static_cast<std::size_t>(ExperimentAnswer::kPartly)],
      counts[static_cast<std::size_t>(ExperimentAnswer::kNo)],
      open == 0 ? "" : fmt::format("; {} could not tell", open));
  std::string_view document;
  for (const ExperimentResult& result : results) {
    if (result.document != document) {
      document = result.document;
      out +=
          fmt::format("<tr class=\"document\"><th scope=\"colgroup\" colspan=\"3\">{}</th></tr>\n",
                      html_text(document));
    }
    out += fmt::format(
        "<tr><th scope=\"row\" class=\"name\"><a href=\"#{0}\"><code>{0}</code></a><br>"
        "<span class=\"quiet small\">{1}</span></th><td "
        "class=\"answer\">{2}</td><td>{3}</td></tr>\n",
        html_text(result.name), html_text(result.title), answer_html(result.verdict),
        html_text(result.verdict.why));
  }
  out += "</tbody></table></nav>\n";
}

void append_result(std::string& out, const ExperimentResult& result) {
  const std::string name = html_text(result.name);
  out += fmt::format("<section>\n<h2 id=\"{0}\"><code>{0}</code>: {1}</h2>\n", name,
                     html_text(result.title));
  out += fmt::format(
      "<p class=\"quiet small\">Document: {}.<br>Parameters: {}.<br>Took {:.1f} s.</p>\n",
      html_text(result.document), html_text(result.parameters), result.seconds);
  out += fmt::format("<p class=\"answer\">Does it hold? {}. {}</p>\n", answer_html(result.verdict),
                     html_text(result.verdict.why));
  out += "<ul class=\"plain\">\n";
  for (const std::string& finding : result.findings)
    out += fmt::format("<li>{}</li>\n", html_text(finding));
  out += "</ul>\n";
  for (const ExperimentChart& chart : result.charts)
    out += fmt::format("<figure>\n<div>{}</div>\n<figcaption>{}</figcaption>\n</figure>\n",
                       chart.svg, html_text(chart.title));
  append_tables(out, result);
  out += fmt::format(
      "<p class=\"small\">Repeat it:</p>\n<pre>{}</pre>\n"
      "<p class=\"small\"><a href=\"#does-it-hold\">All verdicts</a></p>\n</section>\n",
      html_text(experiments::command_line(result)));
}

}  // namespace

std::string experiments_html(std::span<const ExperimentResult> results) {
  constexpr const char* kTitle = "What the five documents measured, measured again";
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<title>{}</title>\n<style>",
      kTitle);
  out += report::kPageStyle;
  out += kOwnStyle;
  out += fmt::format(
      "</style>\n</head>\n<body>\n<header>\n<h1>Benzer: the experiments</h1>\n"
      "<p class=\"headline\">{}</p>\n",
      kTitle);
  append_overview(out, results);
  out += "</header>\n<main>\n";
  for (const ExperimentResult& result : results) append_result(out, result);
  out += fmt::format(
      "</main>\n<footer>Made by Benzer {}. The same seed gives the same figures; times are of the "
      "machine that made the page.</footer>\n</body>\n</html>\n",
      html_text(version()));
  return out;
}

}  // namespace benzer
