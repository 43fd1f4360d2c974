// Identifies a file by its content, so that what a run saved about it is never used for another.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "io/byte_stream.h"

namespace benzer {

// The number of first bytes of a file, as they are on disk, and their XXH3-128. It tells apart
// files that differ by accident. It does not protect against somebody who searches for two files
// that agree.
struct Content {
  std::uint64_t bytes = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Content&, const Content&) = default;
};

class ContentSum {
 public:
  ContentSum();
  ~ContentSum();
  void add(std::string_view bytes) noexcept;
  Content content() const noexcept;  // of all bytes so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Passes the bytes on and adds them to `sum`, which must outlive the stream.
std::unique_ptr<ByteStream> stream_summed(std::unique_ptr<ByteStream> bytes, ContentSum& sum);

// Computes the content of the first `bytes` bytes of a file, or of all if it has fewer. Returns 0
// or errno. Throws Error(kInterrupted) when `stop` (may be null) turns true.
int read_content(int fd, std::uint64_t bytes, const std::atomic<bool>* stop, Content& out);

}  // namespace benzer
