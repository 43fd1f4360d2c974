#include "signals.h"

#include <csignal>

#include <unistd.h>

#include "benzer/output.h"

namespace benzer::cli {
namespace {

constexpr int kStopping[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
constexpr int kEnding[] = {SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGABRT};

std::atomic<bool> stop_requested{false};
std::atomic<bool> reload_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler may use no other

extern "C" void handle_reload(int) { reload_requested = true; }

extern "C" void handle_stop(int) {
  if (!stop_requested.exchange(true)) return;
  remove_unfinished_outputs();  // no destructor runs after this
  _exit(kInterruptedExit);
}

// SA_RESETHAND has restored the default action, so raising the signal again ends the process, and
// its parent learns which signal it was.
extern "C" void handle_end(int signal) {
  remove_unfinished_outputs();
  raise(signal);
}

template <std::size_t N>
void install(const int (&signals)[N], void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;  // no SA_RESTART: a blocked call returns, and its caller sees the flag
  sigemptyset(&action.sa_mask);
  for (const int signal : signals) {
    // A signal that the parent process set to be ignored (nohup, a shell's background job) stays
    // ignored.
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

}  // namespace

void install_clean_exits() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  install(kStopping, handle_end, static_cast<int>(SA_RESETHAND));
  install(kEnding, handle_end, static_cast<int>(SA_RESETHAND));
}

const std::atomic<bool>* install_signal_handlers() {
  install(kStopping, handle_stop, 0);
  return stop_flag();
}

std::atomic<bool>* install_reload_handler() {
  install({SIGHUP}, handle_reload, 0);
  return &reload_requested;
}

const std::atomic<bool>* stop_flag() noexcept { return &stop_requested; }

}  // namespace benzer::cli
