#include <array>
#include <utility>

#include <fmt/format.h>

#include "benzer/report.h"

#include "report/html_text.h"
#include "report/page.h"
#include "report/page_style.h"

namespace benzer {
namespace report {

void append_heading(std::string_view id, std::string_view title, std::string& out) {
  out += fmt::format("<h2 id=\"{}\">{}</h2>\n", id, title);
}

}  // namespace report

std::string report_html(const Report& report) {
  using Section = void (*)(const Report&, std::string&);
  constexpr std::array<std::pair<const char*, const char*>, 8> kContents = {{
      {"done", "What was done"},
      {"trust", "What the bands find"},
      {"where", "Where the duplicates are"},
      {"sizes", "Cluster sizes"},
      {"clusters", "Clusters side by side"},
      {"border", "Just above and below the line"},
      {"notes", "What was skipped or changed"},
      {"next", "Next steps"},
  }};
  // A page with foreign text in it may load nothing and run nothing, whatever slips through.
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<title>Near-duplicates: what was removed and why</title>\n<style>";
  out += report::kPageStyle;
  out +=
      "</style>\n</head>\n<body>\n<header>\n<h1>Near-duplicates: what was removed and why</h1>\n";
  report::append_headline(report, out);
  out += "<nav aria-label=\"Contents\"><ul>\n";
  for (const auto& [id, title] : kContents)
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, title);
  out += "</ul></nav>\n</header>\n<main>\n";
  for (const Section append :
       {report::append_settings, report::append_trust, report::append_sources, report::append_sizes,
        report::append_clusters, report::append_border, report::append_notes,
        report::append_next_steps})
    append(report, out);
  out += fmt::format(
      "</main>\n<footer>Made by Benzer {}. The same inputs and options give this page again, byte "
      "for byte.</footer>\n</body>\n</html>\n",
      report::html_text(report.version));
  return out;
}

}  // namespace benzer
