// The findings of a deduplication, for programs and for people.
#pragma once

#include <string>

#include "api.h"
#include "tasks.h"

namespace benzer::server {

std::string summary_json(const DedupFindings& findings);
// With all clusters.
std::string report_json(const DedupFindings& findings);
// A JSON object a line for each document that goes.
std::string report_lines(const DedupFindings& findings);
// A page in one file, with the texts where they are kept.
std::string report_page(Api& api, const Task& task);

std::string member_json(const IndexCluster::Member& member);

}  // namespace benzer::server
