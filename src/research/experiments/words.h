// Declares what text.cc and page.cc share to show results.
#pragma once

#include <cstddef>
#include <string>

#include "benzer/research/experiments.h"

namespace benzer::experiments {

// Whether the column has numbers, and otherwise only empty cells and "-": it is then aligned to the
// right.
bool is_numeric(const ExperimentTable& table, std::size_t column);

// The command that gives the same figures again.
std::string command_line(const ExperimentResult& result);

}  // namespace benzer::experiments
