// Ctrl-C and termination: the first asks the run to stop, the second ends the program at once.
#pragma once

#include <atomic>

namespace benzer::cli {

// Installs handlers for SIGINT and SIGTERM and ignores SIGPIPE, so that writing to a closed pipe is
// an error like any other. Returns the flag that the first signal raises.
const std::atomic<bool>* install_signal_handlers();

}  // namespace benzer::cli
