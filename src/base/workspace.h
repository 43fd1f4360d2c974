// Shares out the memory of a run for its data about all documents, and holds what exceeds a limit
// in temporary files without a name.
//
// The limit is for the process. A part of it goes to tables that stay in memory as long as they fit
// there (hold()). Other structures that can grow ask for a share() and work in pieces of that size.
// Files are read with pread(), so that the system's cache of them does not count as our memory.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/file.h"

namespace benzer {

class Workspace {
 public:
  // memory_limit: in bytes, 0: none. folder: for temporary files; empty: the system's. tables: one
  // part in so many of the limit is for tables that stay in memory.
  explicit Workspace(std::uint64_t memory_limit = 0, std::string folder = {},
                     std::size_t tables = 2)
      : limit_(memory_limit), folder_(std::move(folder)), tables_(tables) {}

  bool limited() const noexcept { return limit_ != 0; }
  std::uint64_t limit() const noexcept { return limit_; }
  const std::string& folder() const noexcept { return folder_; }

  // The limit's nth part, or `most` if that is less or there is no limit.
  std::size_t share(std::size_t n, std::size_t most = ~std::size_t{0}) const noexcept;

  // From now on, uses `bytes` of the part for tables for something else: large documents. A smaller
  // number than before changes nothing. What is held beyond tables_allowed() must be released.
  void set_aside(std::uint64_t bytes) noexcept;
  std::uint64_t tables_allowed() const noexcept;

  // Reserves memory for a table. Returns false, and reserves nothing, if it does not fit.
  bool hold(std::size_t bytes) noexcept;
  void release(std::size_t bytes) noexcept { held_.fetch_sub(bytes); }
  std::uint64_t held() const noexcept { return held_.load(); }

 private:
  std::uint64_t limit_;
  std::string folder_;
  std::size_t tables_;
  std::atomic<std::uint64_t> held_{0};
  std::atomic<std::uint64_t> aside_{0};
};

// Makes threads wait before they take much memory, so that together they take at most an eighth of
// the limit; one thread is always let in. A request for less than a mebibyte does not wait: there
// is room for that for all the threads that a limit allows (threads_within()).
// Threads: any number. A thread that holds a part of one room may ask for a part of another, if all
// threads ask in the same order.
class MemoryRoom {
 public:
  explicit MemoryRoom(std::uint64_t memory_limit) : limit_(memory_limit) {}

  std::uint64_t most() const noexcept { return limit_ / 8; }

  // Gives the bytes back when it is destroyed.
  class Part {
   public:
    Part(MemoryRoom* room, std::uint64_t bytes) noexcept : room_(room), bytes_(bytes) {}
    ~Part() {
      if (room_) room_->give_back(bytes_);
    }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    explicit operator bool() const noexcept { return room_ != nullptr; }

   private:
    MemoryRoom* room_;  // null: the part is small, or there is no limit
    std::uint64_t bytes_;
  };
  Part take(std::uint64_t bytes);

 private:
  static constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;

  void give_back(std::uint64_t bytes) noexcept;

  std::uint64_t limit_;  // 0: none
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t taken_ = 0;
};

// A temporary file that only grows. The first append() makes it.
// Threads: any number of readers, one writer. Errors: Error(kStorageFailed) that names the folder.
class ScratchFile {
 public:
  explicit ScratchFile(const Workspace& workspace) : folder_(workspace.folder()) {}
  std::uint64_t size() const noexcept { return size_; }
  // Returns the offset of the bytes in the file.
  std::uint64_t append(const void* bytes, std::size_t size);
  // Makes room for bytes that are written later, in any order and by any thread. Returns the offset
  // of the room. Nothing can be appended afterwards.
  std::uint64_t reserve(std::uint64_t size);
  void write(std::uint64_t offset, const void* bytes, std::size_t size);
  void read(std::uint64_t offset, void* out, std::size_t size) const;
  int fd() const noexcept { return file_.get(); }  // -1: nothing was appended
  [[noreturn]] void throw_unreadable(std::uint64_t offset, const std::string& why) const;

 private:
  std::string folder() const { return folder_.empty() ? temporary_folder() : folder_; }
  [[noreturn]] void throw_full(std::uint64_t size, int error) const;

  std::string folder_;
  FileHandle file_;
  std::uint64_t size_ = 0;
};

}  // namespace benzer
