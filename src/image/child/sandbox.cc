#include "image/child/sandbox.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>

#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/sanitized.h"

namespace benzer::image_child {
namespace {

bool limit(__rlimit_resource_t resource, std::uint64_t most) {
  const rlimit both{most, most};
  return ::setrlimit(resource, &both) == 0;
}

// Allows only calls that decoding needs: neither open, socket, clone nor exec, and no executable
// memory. The process can read and write its socket, which is open already, and nothing else.
bool filter_calls() {
  scmp_filter_ctx filter = ::seccomp_init(SCMP_ACT_KILL_PROCESS);
  if (!filter) return false;
  bool added = true;
  const auto allow = [&](int call) {
    added = added && ::seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0;
  };
  for (const int call :
       {SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(madvise), SCMP_SYS(futex),
        SCMP_SYS(setitimer), SCMP_SYS(clock_gettime), SCMP_SYS(getrandom), SCMP_SYS(rt_sigreturn),
        SCMP_SYS(restart_syscall), SCMP_SYS(exit), SCMP_SYS(exit_group)})
    allow(call);
  const scmp_arg_cmp socket{0, SCMP_CMP_MASKED_EQ, 0xffff'ffff, kSocket};
  for (const int call : {SCMP_SYS(recvfrom), SCMP_SYS(sendto)})
    added = added && ::seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &socket) == 0;
  const scmp_arg_cmp no_code{2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0};
  added =
      added && ::seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, &no_code) == 0;
  const bool loaded = added && ::seccomp_load(filter) == 0;
  ::seccomp_release(filter);
  return loaded;
}

}  // namespace

bool enter_sandbox(const ImageLimits& limits) noexcept {
  // PR_SET_PDEATHSIG is not used: it would kill the child when the thread that started it ends. A
  // child whose parent is gone reads the end of its socket.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  if (!limit(RLIMIT_CORE, 0) || !limit(RLIMIT_FSIZE, 0)) return false;
  if (kSanitized) return true;  // a sanitizer needs terabytes of addresses, and other calls
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return limit(RLIMIT_AS, limits.memory_bytes) && limit(RLIMIT_NOFILE, 0) && filter_calls();
}

void end_after(double used, double passed) noexcept {
  const auto set = [](__itimer_which_t which, double seconds) {
    seconds = std::clamp(seconds, 0.0, 1e6);
    const double whole = std::floor(seconds);
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(whole);
    timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - whole) * 1e6);
    ::setitimer(which, &timer, nullptr);
  };
  set(ITIMER_PROF, used);
  set(ITIMER_REAL, passed);
}

}  // namespace benzer::image_child
