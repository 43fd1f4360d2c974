// A file that is mapped to be read. A page that cannot be read, for a bad sector or because
// somebody has cut the file off, ends no process: it reads as zeros from then on, and the file
// knows of it.
//
// The system tells of such a page by SIGBUS, when it is touched first or after it had to be dropped
// from memory. A handler, installed with the first file, puts a page of zeros in its place. So what
// was read of a mapped file is only good if failures() is afterwards what it was before.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "benzer/error.h"

namespace benzer {

// What is checked at once, and what is taken for unreadable at once: no system has smaller pages.
inline constexpr std::size_t kPageBytes = 4096;

// Error(kStorageFailed) of which one page of one file is the cause. Later tries may succeed.
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

  // What the owner has found out of each page: one that was unreadable never becomes sound.
  bool is_sound(std::uint64_t page) const noexcept {
    return states_[page].load(std::memory_order_acquire) == State::kSound;
  }
  // Throws UnreadablePage.
  void set_sound(std::uint64_t page) const;
  // The same, if it could not be read until now.
  void throw_if_unreadable(std::uint64_t page) const;

  // How often a page could not be read.
  std::uint64_t failures() const noexcept { return after_reads(*failures_); }
  // Throws UnreadablePage if there were others since.
  void throw_if_more(std::uint64_t failures_before) const {
    if (failures() != failures_before) throw_last();
  }
  // Of all files of the process: while it does not grow, nobody need ask each of them.
  static std::uint64_t all_failures() noexcept { return after_reads(all_failures_); }

 private:
  friend struct MappedRange;
  enum class State : std::uint8_t { kUnknown, kSound, kUnreadable };

  // Not before everything that the calling thread has read until now.
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
