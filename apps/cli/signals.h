// Handles Ctrl-C, termination and a closed terminal: the first signal asks the run to stop, the
// second ends the program at once. No signal but SIGKILL leaves temporary files.
//
//   SIGINT, SIGTERM, SIGHUP, SIGXCPU   in long commands ask to stop, and end the program the second
//                                      time; in short ones they end it
//   SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGABRT   end the program, as they do
//                                      by default
//   SIGPIPE, SIGXFSZ                   are ignored: writing to a closed pipe, or beyond the limit
//                                      on the size of files, is an error like any other
#pragma once

#include <atomic>

namespace benzer::cli {

// The exit code of a program that was asked to stop.
inline constexpr int kInterruptedExit = 130;

// Called first of all. From then on, a signal that ends the program first removes its unfinished
// outputs.
void install_clean_exits();

// For long commands. The first SIGINT, SIGTERM, SIGHUP or SIGXCPU sets the flag that this returns.
const std::atomic<bool>* install_signal_handlers();

// For a server with files to read again: from now on SIGHUP sets the flag that this returns, and
// does not ask to stop.
std::atomic<bool>* install_reload_handler();

// The flag of install_signal_handlers(), without installing handlers.
const std::atomic<bool>* stop_flag() noexcept;

}  // namespace benzer::cli
