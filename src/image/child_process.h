// Starts a child process that decodes images, and checks what it answers: an image may have taken
// it over.
#pragma once

#include <chrono>
#include <cstdint>
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

  // kAnswered: `out` has an image or a problem. After any other outcome the child cannot be used
  // again.
  enum class Outcome { kAnswered, kDied, kLate, kNonsense };
  Outcome decode(std::string_view bytes, const DecodeRequest& request, Clock::time_point deadline,
                 DecodedImage& out);
  // kAnswered: `file` or `problem` is set.
  Outcome encode(const Picture& picture, Clock::time_point deadline, std::string& file,
                 std::string& problem);

  std::uint64_t images() const noexcept { return images_; }  // how many requests it was given

  // Waits for the child to end and kills it if it does not. Returns how it died: "signal 11,
  // Segmentation fault".
  std::string cause_of_death();

 private:
  Outcome send(const void* bytes, std::size_t size, Clock::time_point deadline);
  Outcome receive(void* out, std::size_t size, Clock::time_point deadline);
  Outcome wait(short events, Clock::time_point deadline);
  Outcome receive_answer(const DecodeRequest& request, Clock::time_point deadline,
                         DecodedImage& out);
  Outcome receive_problem(std::uint32_t size, Clock::time_point deadline, std::string& out);
  int reap() noexcept;

  const ImageLimits limits_;
  FileHandle socket_;
  pid_t pid_ = -1;
  std::uint64_t images_ = 0;
};

}  // namespace benzer
