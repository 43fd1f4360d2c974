#include "image/child_process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benzer/error.h"

#include "base/file.h"
#include "image/child/protocol.h"
#include "image/format.h"
#include "image/size.h"

namespace benzer {
namespace {

constexpr std::chrono::seconds kToStart{30};

using image_child::Answer;
using image_child::Request;

[[noreturn]] void fail(std::string_view what, int error) {
  throw Error(ErrorCode::kUnavailable,
              fmt::format("images cannot be decoded: {} ({})", what, system_message(error)));
}

// How a child is spawned: descriptor 0 is its socket, all signals have their default actions, and
// its own process group keeps Ctrl-C of the parent away from it. Between fork and exec runs nothing
// but posix_spawn of the C library.
struct SpawnSettings {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  explicit SpawnSettings(int socket) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, socket, 0);
    ::posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
};

// The child does not get the environment of the parent, which may hold secrets, except for
// LD_LIBRARY_PATH: it finds libraries where the parent finds its own.
pid_t spawn(const FileHandle& program, int socket) {
  const std::string path = path_of_descriptor(program.get());
  const char* libraries = std::getenv("LD_LIBRARY_PATH");
  std::string variable = fmt::format("LD_LIBRARY_PATH={}", libraries ? libraries : "");
  char name[] = "benzer-image-child";
  char* const arguments[] = {name, nullptr};
  char* const environment[] = {libraries ? variable.data() : nullptr, nullptr};
  const SpawnSettings settings(socket);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, path.c_str(), &settings.actions, &settings.attributes,
                                  arguments, environment);
  if (error != 0)
    fail(
        "the decoder process cannot be started from memory; it needs /proc, and a system that can "
        "run files in memory",
        error);
  return pid;
}

// Beside the values of waitpid().
constexpr int kRuns = -1, kUnknownStatus = -2;
// P_PIDFD of the C library, since glibc 2.36.
constexpr auto kByHandle = static_cast<idtype_t>(3);

bool is_signal(int status, int signal) {
  return status != kUnknownStatus && WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

// A descriptor of the child, or none where the system has no such calls, or cannot wait by it.
FileHandle handle_of(pid_t pid) {
  FileHandle out(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  siginfo_t info{};
  if (out.get() >= 0 &&
      ::waitid(kByHandle, static_cast<id_t>(out.get()), &info, WEXITED | WNOHANG | WNOWAIT) != 0 &&
      errno == EINVAL)
    return FileHandle();
  return out;
}

bool is_shown(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

ImageChild::ImageChild(const FileHandle& program, const ImageLimits& limits) : limits_(limits) {
  // A child that was late or killed may have been stopped together with this process, or the system
  // was short of memory. So there is a second one.
  for (const bool is_second : {false, true}) {
    spawn_child(program);
    const Outcome outcome = hand_over_limits();
    if (outcome == Outcome::kAnswered) return;
    const bool was_disturbed =
        outcome == Outcome::kLate || (outcome == Outcome::kDied && was_killed());
    if (!is_second && was_disturbed) continue;
    reap();
    if (outcome == Outcome::kLate)
      throw Error(ErrorCode::kUnavailable,
                  fmt::format("images cannot be decoded: the decoder process was not ready within "
                              "{} seconds, twice",
                              kToStart.count()));
    throw Error(
        ErrorCode::kUnavailable,
        fmt::format("images cannot be decoded: the decoder process ended before it was ready "
                    "({}); it needs the libraries that Benzer was built with, and a system "
                    "that lets it drop its privileges (seccomp)",
                    cause_of_death()));
  }
}

// Replaces an earlier child.
void ImageChild::spawn_child(const FileHandle& program) {
  reap();
  end_status_.reset();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    fail("the system gives no socket for the decoder process", errno);
  socket_ = FileHandle(ends[0]);
  const FileHandle other(ends[1]);  // closed here, so that the child's death closes the last copy
  pid_ = spawn(program, other.get());
  handle_ = handle_of(pid_);
}

ImageChild::Outcome ImageChild::hand_over_limits() {
  const auto deadline = Clock::now() + kToStart;
  Outcome outcome = send(&limits_, sizeof limits_, deadline);
  std::uint32_t ready = 0;
  if (outcome == Outcome::kAnswered) outcome = receive(&ready, sizeof ready, deadline);
  if (outcome == Outcome::kAnswered && ready != image_child::kReady) outcome = Outcome::kNonsense;
  return outcome;
}

ImageChild::~ImageChild() { reap(); }

// The status of waitpid(); kUnknownStatus if another part of the program has taken it, or SIGCHLD
// is ignored.
int ImageChild::wait_for_end(int options) noexcept {
  siginfo_t info{};
  // The number of a process that somebody else has waited for may be that of another one. Its
  // descriptor stays its own; systems before Linux 5.4 have none.
  const bool has_handle = handle_.get() >= 0;
  const idtype_t kind = has_handle ? kByHandle : P_PID;
  const auto id = static_cast<id_t>(has_handle ? handle_.get() : pid_);
  int result = 0;
  do result = ::waitid(kind, id, &info, WEXITED | options);
  while (result < 0 && errno == EINTR);
  if (result < 0) return kUnknownStatus;
  if (info.si_pid == 0) return kRuns;
  return info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
}

int ImageChild::reap() noexcept {
  if (pid_ < 0) return 0;
  // Where signals by descriptor are refused, as in some containers, the number is sure to be the
  // child's while it runs.
  const bool is_sent =
      handle_.get() >= 0 &&
      (::syscall(SYS_pidfd_send_signal, handle_.get(), SIGKILL, nullptr, 0) == 0 || errno == ESRCH);
  if (!is_sent && wait_for_end(WNOHANG | WNOWAIT) == kRuns) ::kill(pid_, SIGKILL);
  const int status = wait_for_end(0);
  pid_ = -1;
  return status;
}

// The status of a child that is dying, or has closed its socket without reason. Waits up to 0.1 s,
// so that a child that ends by itself is not killed first and its own status is reported.
int ImageChild::end_status() noexcept {
  if (end_status_) return *end_status_;
  int status = kRuns;
  for (int i = 0; i < 100 && status == kRuns; ++i) {
    status = wait_for_end(WNOHANG);
    if (status == kRuns) ::poll(nullptr, 0, 1);
  }
  if (status == kRuns) status = reap();
  pid_ = -1;
  end_status_ = status;
  return status;
}

// Tells a child that its timers have ended from one that died of something else.
ImageChild::Outcome ImageChild::told(Outcome outcome) noexcept {
  if (outcome != Outcome::kDied) return outcome;
  const int status = end_status();
  if (is_signal(status, SIGPROF)) return Outcome::kUsedUp;
  return is_signal(status, SIGALRM) ? Outcome::kLate : outcome;
}

bool ImageChild::was_killed() { return is_signal(end_status(), SIGKILL); }

std::string ImageChild::cause_of_death() {
  const int status = end_status();
  if (status == kUnknownStatus)
    return "how is not known, as SIGCHLD is ignored or handled elsewhere";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const char* what = ::strsignal(signal);  // sigdescr_np() needs glibc 2.32
    return what ? fmt::format("signal {}, {}", signal, what) : fmt::format("signal {}", signal);
  }
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

ImageChild::Outcome ImageChild::wait(short events, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd socket{socket_.get(), events, 0};
    const int ready =
        ::poll(&socket, 1, static_cast<int>(std::clamp<long long>(left, 0, 1'000'000)));
    // An answer may have come while this process was stopped.
    if (ready > 0) return Outcome::kAnswered;
    if (ready < 0 && errno != EINTR) return Outcome::kDied;
    if (left <= 0) return Outcome::kLate;
  }
}

ImageChild::Outcome ImageChild::send(const void* bytes, std::size_t size,
                                     Clock::time_point deadline) {
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t n = ::send(socket_.get(), from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) return Outcome::kDied;
    if (n < 0) {
      if (const Outcome out = wait(POLLOUT, deadline); out != Outcome::kAnswered) return out;
      continue;
    }
    from += n;
    size -= static_cast<std::size_t>(n);
  }
  return Outcome::kAnswered;
}

ImageChild::Outcome ImageChild::receive(void* out, std::size_t size, Clock::time_point deadline) {
  auto* to = static_cast<char*>(out);
  while (size > 0) {
    const ssize_t n = ::recv(socket_.get(), to, size, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 || (n < 0 && errno != EAGAIN)) return Outcome::kDied;
    if (n < 0) {
      if (const Outcome waited = wait(POLLIN, deadline); waited != Outcome::kAnswered)
        return waited;
      continue;
    }
    to += n;
    size -= static_cast<std::size_t>(n);
  }
  return Outcome::kAnswered;
}

ImageChild::Outcome ImageChild::receive_problem(std::uint32_t size, Clock::time_point deadline,
                                                std::string& out) {
  if (size > image_child::kMostProblemBytes) return Outcome::kNonsense;
  out.resize(size);
  const Outcome outcome = receive(out.data(), out.size(), deadline);
  return outcome == Outcome::kAnswered && !is_shown(out) ? Outcome::kNonsense : outcome;
}

ImageChild::Outcome ImageChild::receive_answer(const DecodeRequest& request,
                                               Clock::time_point deadline, DecodedImage& out) {
  Answer answer;
  Outcome outcome = receive(&answer, sizeof answer, deadline);
  if (outcome != Outcome::kAnswered) return outcome;
  if (answer.format >= std::size(kFormatNames)) return Outcome::kNonsense;
  out.format = kFormatNames[answer.format];
  out.width = answer.width;
  out.height = answer.height;
  if (answer.is_animation > 1) return Outcome::kNonsense;
  out.is_animation = answer.is_animation == 1;
  if (answer.problem_bytes > 0) return receive_problem(answer.problem_bytes, deadline, out.problem);
  const ImageSize picture{answer.picture_width, answer.picture_height};
  const ImageSize size{answer.width, answer.height};
  if (size.width == 0 || size.height == 0 || size.width > limits_.pixels / size.height ||
      picture != fitted(size, request.longest))
    return Outcome::kNonsense;
  out.picture = {picture.width, picture.height, request.colour ? 3u : 1u, {}};
  out.picture.pixels.resize(std::size_t{picture.width} * picture.height * out.picture.channels);
  return receive(out.picture.pixels.data(), out.picture.pixels.size(), deadline);
}

ImageChild::Outcome ImageChild::decode(std::string_view bytes, const DecodeRequest& request,
                                       Clock::time_point deadline, DecodedImage& out) {
  ++images_;
  Request header;
  header.bytes = bytes.size();
  header.longest = request.longest;
  header.colour = request.colour ? 1 : 0;
  Outcome outcome = send(&header, sizeof header, deadline);
  if (outcome == Outcome::kAnswered) outcome = send(bytes.data(), bytes.size(), deadline);
  if (outcome == Outcome::kAnswered) outcome = receive_answer(request, deadline, out);
  if (outcome != Outcome::kAnswered) out = {};
  return told(outcome);
}

ImageChild::Outcome ImageChild::encode(const Picture& picture, Clock::time_point deadline,
                                       std::string& file, std::string& problem) {
  ++images_;
  Request header;
  header.bytes = picture.pixels.size();
  header.width = picture.width;
  header.height = picture.height;
  header.channels = picture.channels;
  Answer answer;
  Outcome outcome = send(&header, sizeof header, deadline);
  if (outcome == Outcome::kAnswered)
    outcome = send(picture.pixels.data(), picture.pixels.size(), deadline);
  if (outcome == Outcome::kAnswered) outcome = receive(&answer, sizeof answer, deadline);
  if (outcome != Outcome::kAnswered) return told(outcome);
  if (answer.problem_bytes > 0)
    return told(receive_problem(answer.problem_bytes, deadline, problem));
  if (answer.file_bytes < 4 || answer.file_bytes > image_child::most_file_bytes(picture))
    return Outcome::kNonsense;
  file.resize(answer.file_bytes);
  outcome = receive(file.data(), file.size(), deadline);
  // The file is shown in pages that people open, so it must at least begin as a JPEG does.
  if (outcome == Outcome::kAnswered && !file.starts_with("\xFF\xD8\xFF"))
    outcome = Outcome::kNonsense;
  return told(outcome);
}

}  // namespace benzer
