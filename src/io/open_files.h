// Keeps files of a corpus open for threads that read them at any place: only a few at a time,
// whatever the number of threads and of files.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "io/line_source.h"

namespace benzer {

// Threads: any number. A thread that holds a Use must not ask for another one.
class OpenFiles {
 private:
  struct Slot {
    std::uint32_t source = 0;
    std::optional<SourceFile> file;  // null in a slot with users: a thread is opening it
    int users = 0;
    std::uint64_t last_use = 0;
  };

 public:
  // The most files that are open at a time.
  static constexpr std::size_t kMost = 32;

  // The sources must outlive this object.
  explicit OpenFiles(const std::vector<LineSource>& sources) : sources_(sources) {}

  // Keeps the file open as long as it lives.
  class Use {
   public:
    Use(OpenFiles& files, Slot& slot) noexcept : files_(files), slot_(slot) {}
    ~Use() { files_.release(slot_); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    const SourceFile& operator*() const noexcept { return *slot_.file; }
    const SourceFile* operator->() const noexcept { return &*slot_.file; }

   private:
    OpenFiles& files_;
    Slot& slot_;
  };

  // Opens the source, unless it is open; waits while all files are in use. Throws what SourceFile
  // throws.
  Use open(std::uint32_t source);

 private:
  void release(Slot& slot) noexcept;
  Slot* find(std::uint32_t source) noexcept;
  Slot* oldest_unused() noexcept;

  const std::vector<LineSource>& sources_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Slot, kMost> slots_;
  std::uint64_t uses_ = 0;
};

}  // namespace benzer
