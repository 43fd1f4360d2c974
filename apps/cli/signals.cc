#include "signals.h"

#include <csignal>

#include <unistd.h>

#include "benzer/output.h"

namespace benzer::cli {
namespace {

constexpr int kInterruptedExit = 130;

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // else no signal handler may touch it

extern "C" void handle_stop(int) {
  if (!stop_requested.exchange(true)) return;
  remove_unfinished_outputs();  // no destructor will
  _exit(kInterruptedExit);
}

}  // namespace

const std::atomic<bool>* install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler =
      handle_stop;  // without SA_RESTART: a blocked read returns and can look around
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // A parent that had us ignore the signal (nohup, a shell's background job) keeps its will.
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
  return &stop_requested;
}

}  // namespace benzer::cli
