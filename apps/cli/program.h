// The program as a function.
#pragma once

#include <string>
#include <vector>

namespace benzer::cli {

// Carries out a command as `benzer` does, with its messages on standard error and its results on
// standard output, and returns the exit code. arguments: without the name of the program. It sets
// signal handlers and limits of the process, so a process calls it once and then ends.
int run_program(const std::vector<std::string>& arguments);

// Carries out a command within another one. Returns its exit code, or throws what it throws.
int run_arguments(const std::vector<std::string>& arguments);

}  // namespace benzer::cli
