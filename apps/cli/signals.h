// Ctrl-C, termination and a closed terminal: the first asks the run to stop, the second ends the
// program at once. Neither leaves temporary files.
#pragma once

#include <atomic>

namespace benzer::cli {

// Installs handlers for SIGINT, SIGTERM and SIGHUP and ignores SIGPIPE, so that writing to a closed
// pipe is an error like any other. Returns the flag that the first signal raises.
const std::atomic<bool>* install_signal_handlers();

}  // namespace benzer::cli
