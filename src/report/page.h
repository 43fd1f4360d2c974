// Writes the sections of the page; each function appends to a string that html.cc begins and ends.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "benzer/report.h"

namespace benzer::report {

// page_summary.cc
void append_headline(const Report& report, std::string& out);
void append_settings(const Report& report, std::string& out);
void append_notes(const Report& report, std::string& out);
void append_next_steps(const Report& report, std::string& out);
// ", except for 3 pairs that decisions set apart"; empty if there is none.
std::string except_set_apart(const Report& report);

// page_distances.cc: called by append_trust() for image hashes
void append_distances(const Report& report, std::string& out);

// page_figures.cc
void append_trust(const Report& report, std::string& out);
void append_sources(const Report& report, std::string& out);
void append_sizes(const Report& report, std::string& out);

// page_pairs.cc
void append_clusters(const Report& report, std::string& out);
void append_border(const Report& report, std::string& out);
// page_pictures.cc
void append_picture_key(const Report& report, std::string& out);
void append_picture_cluster(const Report& report, const ReportedCluster& cluster, std::string& out);
// Returns the title of a cluster of images.
std::string picture_title(const Report& report, const ReportedCluster& cluster);
void append_picture_pair(const Report& report, const ReportedPair& pair, std::string& out);
// "12 of 256 bits differ", or the score if the features are not an image hash.
std::string shown_likeness(const Report& report, double score, std::optional<int> distance);

// html.cc
// Returns the attributes of an element that scrolls by itself, with this class. People without a
// mouse can reach it by the keyboard, and are told what it is. label: as HTML.
std::string scroll_region(std::string_view name, std::string_view label);

void append_figure(const std::string& svg, const std::string& caption, std::string& out);

// Its id is what the table of contents links to.
void append_heading(std::string_view id, std::string_view title, std::string& out);

}  // namespace benzer::report
