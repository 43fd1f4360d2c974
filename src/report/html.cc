#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "benzer/report.h"

#include "report/page.h"
#include "report/page_parts.h"
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
  const std::string_view title = report.run.dry_run
                                     ? "Near-duplicates: what would be removed and why"
                                     : "Near-duplicates: what was removed and why";
  std::string out =
      report::begin_page({title, report.pictures ? report::kPictureStyle : "", report.pictures});
  report::append_headline(report, out);
  std::vector<report::PageSection> contents;
  for (const Section& section : sections) contents.push_back({section.id, section.title});
  report::append_contents(contents, out);
  for (const Section& section : sections) section.append(report, out);
  report::end_page(report.version, report.schema ? "documents, decisions" : "inputs", out);
  return out;
}

}  // namespace benzer
