// Ctrl-C, termination and a closed terminal: the first asks the run to stop, the second ends the
// program at once. No signal but SIGKILL leaves temporary files.
//
//   SIGINT, SIGTERM, SIGHUP, SIGXCPU   in long commands ask to stop, and end the program the second
//                                      time; in short ones they end it
//   SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGABRT   end the program, as they do
//                                      by default
//   SIGPIPE, SIGXFSZ                   are ignored: writing to a closed pipe, and beyond the limit
//                                      on the size of files, are errors like any other
#pragma once

#include <atomic>

namespace benzer::cli {

// First of all: signals that end the program remove its unfinished outputs before.
void install_clean_exits();

// Of a long command: the first SIGINT, SIGTERM, SIGHUP or SIGXCPU raises the flag that this
// returns.
const std::atomic<bool>* install_signal_handlers();

// The flag, whether anything raises it or not.
const std::atomic<bool>* stop_flag() noexcept;

}  // namespace benzer::cli
