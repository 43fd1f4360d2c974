// Maps a file for reading. A page that cannot be read, because of a bad sector or because somebody
// has cut the file off, does not end the process: it reads as zeros from then on, and is counted.
//
// The system reports such a page by SIGBUS, when it is touched first or after it had to be dropped
// from memory. A handler, installed with the first file, puts a page of zeros in its place. So what
// was read of a mapped file is only valid if failures() is afterwards what it was before.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "benzer/error.h"

namespace benzer {

// The unit in which bytes are checked and taken for unreadable: no system has smaller pages.
inline constexpr std::size_t kPageBytes = 4096;

// Error(kStorageFailed) that one page of one file has caused. Later tries may succeed.
class UnreadablePage : public Error {
 public:
  using Error::Error;
};

struct MappedRange;  // what the handler knows of a file

// Threads: any number. Errors: Error(kStorageFailed), or Error(kCorrupt) where there is no such
// file; each names the file.
class MappedFile {
 public:
  explicit MappedFile(std::string path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

  // Whether the owner has found this page sound. One that was unreadable never becomes sound.
  bool is_sound(std::uint64_t page) const noexcept {
    return states_[page].load(std::memory_order_acquire) == State::kSound;
  }
  // Lets the system load the pages [begin, end), without waiting for them. This is a hint.
  void load(std::uint64_t begin, std::uint64_t end) const noexcept;
  // Throws UnreadablePage if the page could not be read before.
  void set_sound(std::uint64_t page) const;
  // Throws UnreadablePage if the page could not be read before.
  void throw_if_unreadable(std::uint64_t page) const;

  // How often a page could not be read.
  std::uint64_t failures() const noexcept { return after_reads(*failures_); }
  // Throws UnreadablePage if pages could not be read since.
  void throw_if_more(std::uint64_t failures_before) const {
    if (failures() != failures_before) throw_last();
  }
  // The failures of all files of the process: while these do not grow, no single file need be
  // asked.
  static std::uint64_t all_failures() noexcept { return after_reads(all_failures_); }

 private:
  friend struct MappedRange;
  enum class State : std::uint8_t { kUnknown, kSound, kUnreadable };

  // Loads the counter after everything that the calling thread has read until now.
  static std::uint64_t after_reads(const std::atomic<std::uint64_t>& counter) noexcept {
    std::atomic_thread_fence(std::memory_order_acquire);
    return counter.load(std::memory_order_relaxed);
  }
  [[noreturn]] void throw_last() const;
  [[noreturn]] void fail_unreadable(std::uint64_t page) const;

  static inline std::atomic<std::uint64_t> all_failures_{0};

  std::string path_;
  std::size_t size_ = 0;
  const std::byte* data_ = nullptr;
  std::unique_ptr<std::atomic<State>[]> states_;  // by page
  MappedRange* range_ = nullptr;
  const std::atomic<std::uint64_t>* failures_ = nullptr;  // in the range
};

}  // namespace benzer
