// Starts a child process that decodes images, and checks what it answers: an image may have taken
// it over.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/file.h"
#include "image/decoder.h"

namespace benzer {

class ImageChild {
 public:
  using Clock = std::chrono::steady_clock;

  // Throws Error(kUnavailable) if it cannot be started.
  ImageChild(const FileHandle& program, const ImageLimits& limits);
  ~ImageChild();  // kills it
  ImageChild(const ImageChild&) = delete;
  ImageChild& operator=(const ImageChild&) = delete;

  // kAnswered: `out` has an image or a problem. kUsedUp: the child has used all the time of a core
  // that it may. kLate: the deadline has passed, or the child has ended because its own has. After
  // any but kAnswered the child cannot be used again.
  enum class Outcome { kAnswered, kDied, kUsedUp, kLate, kNonsense };
  Outcome decode(std::string_view bytes, const DecodeRequest& request, Clock::time_point deadline,
                 DecodedImage& out);
  // kAnswered: `file` or `problem` is set.
  Outcome encode(const Picture& picture, Clock::time_point deadline, std::string& file,
                 std::string& problem);

  std::uint64_t images() const noexcept { return images_; }  // how many requests it was given

  // How the child died, after kDied: "signal 11, Segmentation fault".
  std::string cause_of_death();
  // Whether it was SIGKILL, after kDied: nothing that a file does to its decoder sends that, but
  // the system may, when it is short of memory.
  bool was_killed();

 private:
  Outcome send(const void* bytes, std::size_t size, Clock::time_point deadline);
  Outcome receive(void* out, std::size_t size, Clock::time_point deadline);
  Outcome wait(short events, Clock::time_point deadline);
  Outcome receive_answer(const DecodeRequest& request, Clock::time_point deadline,
                         DecodedImage& out);
  Outcome receive_problem(std::uint32_t size, Clock::time_point deadline, std::string& out);
  void spawn_child(const FileHandle& program);
  Outcome hand_over_limits();
  Outcome told(Outcome outcome) noexcept;
  int wait_for_end(int options) noexcept;
  int end_status() noexcept;
  int reap() noexcept;

  const ImageLimits limits_;
  FileHandle socket_;
  pid_t pid_ = -1;
  FileHandle handle_;  // of the process; none on old systems
  std::uint64_t images_ = 0;
  std::optional<int> end_status_;
};

}  // namespace benzer
