// The findings of a deduplication, for programs and for people.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tasks.h"

namespace benzer::server {

std::string summary_json(const DedupFindings& findings);
// One piece after the other, until there is nothing: of a large collection they are large.
using Pieces = std::function<std::optional<std::string>()>;
// With all clusters.
Pieces report_json(std::shared_ptr<const DedupFindings> findings);
// A JSON object a line for each document that goes.
Pieces report_lines(std::shared_ptr<const DedupFindings> findings);
// Those that the page shows, as they are now. Throws Error(kInterrupted) if the task is to stop.
void take_texts(const Collection& collection, const Task& task, DedupFindings& found);
// A page in one file, with the texts that were taken. Cost: up to 500 comparisons of a millisecond.
std::string report_page(const Task& task, const DedupFindings& found);

}  // namespace benzer::server
