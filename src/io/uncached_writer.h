// Writes large files past the page cache of the system.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <future>
#include <memory>
#include <string_view>

namespace benzer {

// Writes the rest of a file, from front to back. The bytes go from one of two buffers straight to
// the disk while the other one is filled. So the system needs no free pages and copies nothing,
// which took up to half of the CPU of a run with a large output. In return the file is not in
// memory when it is read next.
//
// Errors are those of the system, as errno. After one the object may only be destroyed.
//
// Threads: one at a time. Holds 2 MiB.
class UncachedWriter {
 public:
  static constexpr std::size_t kBlock = 4096;

  // The file must be at a multiple of kBlock. Returns null where this is not known to work.
  static std::unique_ptr<UncachedWriter> begin(int fd);
  ~UncachedWriter();

  // Returns 0, or the error of these bytes or of earlier ones.
  int write(std::string_view bytes);
  // Writes what is left. Call it once, and sync the file afterwards.
  int finish();
  // Returns how many bytes the file has got.
  std::uint64_t written();

 private:
  struct Free {
    void operator()(char* memory) const noexcept { std::free(memory); }
  };
  using Buffer = std::unique_ptr<char, Free>;

  UncachedWriter(int fd, Buffer first, Buffer second);
  int begin_buffer();
  int wait();
  int write_buffer(const char* bytes, std::size_t size);

  int fd_;
  Buffer filling_, leaving_;
  std::size_t filled_ = 0;
  bool direct_ = true;
  std::uint64_t written_ = 0;  // of the thread that writes, until pending_ is ready
  std::future<int> pending_;   // of leaving_
};

}  // namespace benzer
