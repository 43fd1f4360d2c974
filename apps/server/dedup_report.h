// Formats the findings of a deduplication, for programs and for people.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tasks.h"

namespace benzer::server {

std::string summary_json(const DedupFindings& findings);
// Returns one piece of a report after the other, then nothing. The report of a large index is too
// large for one string.
using Pieces = std::function<std::optional<std::string>()>;
// One JSON object with the summary and all clusters.
Pieces report_json(std::shared_ptr<const DedupFindings> findings);
// One line with a JSON object for each removed document.
Pieces report_lines(std::shared_ptr<const DedupFindings> findings);
// Collects what the page shows, from the documents as they are now. Throws Error(kInterrupted).
void take_evidence(const ServedIndex& served, const WholeIndexOptions& options,
                   DedupFindings& found);
// The same evidence page as that of --report, in one file.
std::string report_page(const DedupFindings& found);

}  // namespace benzer::server
