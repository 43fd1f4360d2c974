// A child that decodes images, and what it says. What it says is not believed: an image may have
// taken it over.
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

  // kAnswered: there is a picture or a problem. After anything else the child is of no use.
  enum class Outcome { kAnswered, kDied, kLate, kNonsense };
  Outcome decode(std::string_view bytes, const DecodeRequest& request, Clock::time_point deadline,
                 DecodedImage& out);
  // kAnswered: there is a file, or a problem.
  Outcome encode(const Picture& picture, Clock::time_point deadline, std::string& file,
                 std::string& problem);

  std::uint64_t images() const noexcept { return images_; }  // that it was given

  // Waits for its end. How it died: "signal 11, Segmentation fault".
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
