// What the ways to show a result share.
#pragma once

#include <cstddef>
#include <string>

#include "benzer/research/experiments.h"

namespace benzer::experiments {

// Only numbers are in the column, or nothing: it is set to the right.
bool is_numeric(const ExperimentTable& table, std::size_t column);

// What gives the same figures again.
std::string command_line(const ExperimentResult& result);

}  // namespace benzer::experiments
