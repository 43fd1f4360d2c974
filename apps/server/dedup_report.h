// Formats the findings of a deduplication, for programs and for people.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "benzer/index.h"
#include "benzer/report.h"

#include "served_index.h"

namespace benzer::server {

// The result of a deduplication, for its report.
struct DedupFindings : IndexDedup {
  std::optional<std::uint64_t> gone;  // how many of the removals are done; absent: a run that only
                                      // reports
  bool is_removing = false;           // when the report was written; `gone` is not known then
  Report report;                      // with excerpts of the texts as they were before the removal
};

std::string summary_json(const DedupFindings& findings);
// Gives a report to `write` in pieces: that of a large index is too large for one string.
using Write = std::function<void(std::string_view piece)>;
// One JSON object with the summary and all clusters.
void write_report_json(const DedupFindings& findings, const Write& write);
// One line with a JSON object for each removed document, and one with the summary.
void write_report_lines(const DedupFindings& findings, const Write& write);
// Collects what the page shows, from the documents as they are now. Throws Error(kInterrupted).
void take_evidence(const ServedIndex& served, const WholeIndexOptions& options,
                   DedupFindings& found);
// The same evidence page as that of --report, in one file.
std::string report_page(const DedupFindings& found);

}  // namespace benzer::server
