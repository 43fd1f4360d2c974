// Writes all results as one page that needs no other files.
#include <fmt/format.h>

#include "benzer/research/experiments.h"
#include "benzer/runtime.h"

#include "report/html_text.h"
#include "report/page_style.h"
#include "research/experiments/words.h"

namespace benzer {
namespace {

using report::html_text;

constexpr std::string_view kOwnStyle = R"css(
nav table td { padding: 3px 14px 3px 0; } nav table { width: auto; }
section { margin-bottom: 30px; }
section table { width: auto; max-width: 100%; } section td, section th { padding: 4px 16px 4px 0; }
section h2 code { font-size: 1em; }
figure svg { max-width: 720px; }
)css";

void append_table(std::string& out, const ExperimentTable& table) {
  out += fmt::format("<div class=\"scroll\"><table>\n<caption>{}</caption>\n<thead><tr>",
                     html_text(table.title));
  std::vector<const char*> kinds;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    kinds.push_back(experiments::is_numeric(table, c) ? " class=\"number\"" : "");
    out += fmt::format("<th scope=\"col\"{}>{}</th>", kinds[c], html_text(table.columns[c]));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      out += fmt::format("<td{}>{}</td>", kinds[c], html_text(row[c].text));
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

void append_result(std::string& out, const ExperimentResult& result) {
  const std::string name = html_text(result.name);
  out += fmt::format("<section>\n<h2 id=\"{0}\"><code>{0}</code>: {1}</h2>\n", name,
                     html_text(result.title));
  out += fmt::format(
      "<p class=\"quiet small\">Document: {}.<br>Parameters: {}.<br>Took {:.1f} s.</p>\n",
      html_text(result.document), html_text(result.parameters), result.seconds);
  out += "<ul class=\"plain\">\n";
  for (const std::string& finding : result.findings)
    out += fmt::format("<li>{}</li>\n", html_text(finding));
  out += "</ul>\n";
  for (const ExperimentChart& chart : result.charts)
    out += fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", chart.svg,
                       html_text(chart.title));
  append_tables(out, result);
  out += fmt::format("<p class=\"small\">Repeat it:</p>\n<pre>{}</pre>\n</section>\n",
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
      "<p class=\"headline\">{}</p>\n<nav aria-label=\"Contents\"><table>\n",
      kTitle);
  for (const ExperimentResult& result : results)
    out += fmt::format("<tr><td><a href=\"#{0}\"><code>{0}</code></a></td><td>{1}</td></tr>\n",
                       html_text(result.name), html_text(result.title));
  out += "</table></nav>\n</header>\n<main>\n";
  for (const ExperimentResult& result : results) append_result(out, result);
  out += fmt::format(
      "</main>\n<footer>Made by Benzer {}. The same seed gives the same figures; times are of the "
      "machine that made the page.</footer>\n</body>\n</html>\n",
      html_text(version()));
  return out;
}

}  // namespace benzer
