#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "benzer/report.h"

#include "report/html_text.h"
#include "report/page.h"
#include "report/page_style.h"
#include "report/picture_style.h"

namespace benzer {
namespace report {

void append_heading(std::string_view id, std::string_view title, std::string& out) {
  out += fmt::format("<h2 id=\"{}\">{}</h2>\n", id, title);
}

std::string scroll_region(std::string_view name, std::string_view label) {
  return fmt::format("class=\"{}\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"", name, label);
}

void append_figure(const std::string& svg, const std::string& caption, std::string& out) {
  out += "<figure>\n" + svg + fmt::format("<figcaption>{}</figcaption>\n</figure>\n", caption);
}

}  // namespace report

std::string report_html(const Report& report) {
  struct Section {
    const char* id;
    const char* title;
    void (*append)(const Report&, std::string&);
    bool is_shown = true;
  };
  // An index does not know where its documents come from.
  const bool is_of_files = !report.schema;
  const bool has_pairs = !report.scores.empty();
  // What was found comes first: it shows people whether the settings are right.
  std::vector<Section> sections = {
      {"clusters", "Clusters side by side", report::append_clusters},
      {"border", "Just above and below the line", report::append_border, has_pairs},
      {"where", "Where the duplicates are", report::append_sources, is_of_files},
      {"sizes", "Cluster sizes", report::append_sizes},
      {"trust",
       report.counts.anchors          ? "What the anchors find"
       : report.counts.config.banding ? "What the bands find"
                                      : "What is found",
       report::append_trust, has_pairs},
      {"notes", "What was skipped or changed", report::append_notes},
      {"done", "Settings", report::append_settings},
      {"next", "Next steps", report::append_next_steps, !report.run.next_steps.empty()},
  };
  std::erase_if(sections, [](const Section& section) { return !section.is_shown; });
  // A page with text of any origin in it may load nothing and run nothing, even if some markup is
  // not escaped. Images are part of the page.
  const std::string_view more = report.pictures ? "; img-src data:" : "";
  const std::string_view title = report.run.dry_run
                                     ? "Near-duplicates: what would be removed and why"
                                     : "Near-duplicates: what was removed and why";
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'{}\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<title>{}</title>\n<style>",
      more, title);
  out += report::kPageStyle;
  if (report.pictures) out += report::kPictureStyle;
  out += fmt::format("</style>\n</head>\n<body>\n<header>\n<h1>{}</h1>\n", title);
  report::append_headline(report, out);
  out += "<nav aria-label=\"Contents\"><ul>\n";
  for (const Section& section : sections)
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, section.title);
  out += "</ul></nav>\n</header>\n<main>\n";
  for (const Section& section : sections) section.append(report, out);
  out += fmt::format(
      "</main>\n<footer>Made by Benzer {}. The same {} and options give this page again, byte "
      "for byte.</footer>\n</body>\n</html>\n",
      report::html_text(report.version), report.schema ? "documents" : "inputs");
  return out;
}

}  // namespace benzer
