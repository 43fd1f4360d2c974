// The findings of a deduplication, for programs and for people.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tasks.h"

namespace benzer::server {

std::string summary_json(const DedupFindings& findings);
// One piece after the other, until there is nothing: of a large index they are large.
using Pieces = std::function<std::optional<std::string>()>;
// With all clusters.
Pieces report_json(std::shared_ptr<const DedupFindings> findings);
// A JSON object a line for each document that goes.
Pieces report_lines(std::shared_ptr<const DedupFindings> findings);
// What the page shows, of the documents as they are now. Throws Error(kInterrupted).
void take_evidence(const ServedIndex& served, const WholeIndexOptions& options,
                   DedupFindings& found);
// The page of every other run, in one file.
std::string report_page(const DedupFindings& found);

}  // namespace benzer::server
