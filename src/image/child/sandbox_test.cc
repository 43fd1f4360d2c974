// Tries in the sandbox what code could do if an image took a child over.
#include "image/child/sandbox.h"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sanitized.h"

namespace benzer::image_child {
namespace {

// The address space of this process in bytes. It may be large: threads of other tests leave arenas
// of 64 MiB each.
std::uint64_t address_space() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Runs `act` in a sandboxed child process with a socket as descriptor 0. Returns its wait status.
int status_of(const std::function<void()>& act) {
  const std::uint64_t used = address_space();
  const pid_t child = ::fork();
  if (child == 0) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || ::dup2(ends[0], kSocket) < 0)
      ::_exit(2);
    ImageLimits limits;
    limits.memory_bytes = used + (std::uint64_t{1} << 30);
    if (!enter_sandbox(limits)) ::_exit(3);
    act();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(ImageSandboxTest, WhatIsNotDecodingIsTheEnd) {
  if (kSanitized) return;  // a sanitized build has no sandbox
  const std::pair<std::string, std::function<void()>> acts[] = {
      {"open", [] { ::open("/etc/passwd", O_RDONLY); }},
      {"create", [] { ::creat("/tmp/benzer-sandbox-test", 0600); }},
      {"socket", [] { ::socket(AF_INET, SOCK_STREAM, 0); }},
      {"fork", [] { static_cast<void>(::fork()); }},
      {"exec", [] { ::execl("/bin/true", "true", nullptr); }},
      {"kill", [] { ::kill(::getppid(), 0); }},
      {"ptrace", [] { ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }},
      {"memory that runs",
       [] {
         [[maybe_unused]] const void* block =
             ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
       }},
      {"memory made to run", [] { ::mprotect(nullptr, 4096, PROT_READ | PROT_EXEC); }},
      {"another descriptor", [] { static_cast<void>(::send(2, "x", 1, 0)); }},
      {"write", [] { static_cast<void>(::write(kSocket, "x", 1)); }},
      {"descriptors in messages", [] { ::sendmsg(kSocket, nullptr, 0); }},
  };
  for (const auto& [name, act] : acts) {
    const int status = status_of(act);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) << name << ": " << status;
  }
}

TEST(ImageSandboxTest, DecodingIsPossible) {
  EXPECT_EQ(status_of([] {
              char byte = 'x';
              const std::string large(100 << 20, 'x');
              ::send(kSocket, &byte, 1, MSG_NOSIGNAL);
              ::recv(kSocket, &byte, 1, MSG_DONTWAIT);
              end_after(5, 5);
              end_after(0, 0);
              try {
                throw std::string("an error");
              } catch (const std::string&) {
              }
            }),
            0);
}

TEST(ImageSandboxTest, MemoryHasALimit) {
  if (kSanitized) return;
  const int status = status_of([] {
    void* block = std::malloc(std::size_t{3} << 30);
    ::_exit(block == nullptr ? 7 : 8);
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

TEST(ImageSandboxTest, ItEndsByItself) {
  constexpr struct {
    double used, passed;
    int signal;
  } kCases[] = {{0.1, 1000, SIGPROF}, {1000, 0.1, SIGALRM}};
  for (const auto& limit : kCases) {
    const int status = status_of([&limit] {
      end_after(limit.used, limit.passed);
      for (;;) {
      }
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == limit.signal) << status;
  }
}

}  // namespace
}  // namespace benzer::image_child
