#include "base/workspace.h"

#include <algorithm>

#include <fmt/format.h>

#include "benzer/error.h"

namespace benzer {

std::size_t Workspace::share(std::size_t n, std::size_t most) const noexcept {
  if (!limited()) return most;
  return static_cast<std::size_t>(std::min<std::uint64_t>(limit_ / n, most));
}

void Workspace::set_aside(std::uint64_t bytes) noexcept {
  std::uint64_t before = aside_.load();
  while (before < bytes && !aside_.compare_exchange_weak(before, bytes)) {
  }
}

std::uint64_t Workspace::tables_allowed() const noexcept {
  const std::uint64_t all = limit_ / tables_;
  return all - std::min<std::uint64_t>(all, aside_.load());
}

bool Workspace::hold(std::size_t bytes) noexcept {
  if (!limited()) return true;
  const std::uint64_t before = held_.fetch_add(bytes);
  if (before + bytes <= tables_allowed()) return true;
  held_.fetch_sub(bytes);
  return false;
}

MemoryRoom::Part MemoryRoom::take(std::uint64_t bytes) {
  if (limit_ == 0 || bytes < kSmall) return {nullptr, 0};
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return taken_ == 0 || taken_ + bytes <= most(); });
  taken_ += bytes;
  return {this, bytes};
}

void MemoryRoom::give_back(std::uint64_t bytes) noexcept {
  {
    const std::lock_guard lock(mutex_);
    taken_ -= bytes;
  }
  changed_.notify_all();
}

std::uint64_t ScratchFile::append(const void* bytes, std::size_t size) {
  if (!file_) file_ = unnamed_temporary_file(folder_);
  if (const int error = write_fully(file_.get(), static_cast<const char*>(bytes), size))
    throw_full(size_, error);
  const std::uint64_t begin = size_;
  size_ += size;
  return begin;
}

std::uint64_t ScratchFile::reserve(std::uint64_t size) {
  if (!file_) file_ = unnamed_temporary_file(folder_);
  const std::uint64_t begin = size_;
  size_ += size;
  return begin;
}

void ScratchFile::write(std::uint64_t offset, const void* bytes, std::size_t size) {
  if (const int error = pwrite_fully(file_.get(), static_cast<const char*>(bytes), size, offset))
    throw_full(offset, error);
}

void ScratchFile::throw_full(std::uint64_t size, int error) const {
  throw Error(
      ErrorCode::kStorageFailed, Subject::file(folder()),
      fmt::format("a temporary file of {} bytes cannot grow: {}", size, system_message(error)),
      fmt::format("free space there or name another folder{}",
                  folder_.empty() ? " in TMPDIR" : ""));
}

void ScratchFile::read(std::uint64_t offset, void* out, std::size_t size) const {
  std::size_t got = 0;
  const int error = pread_fully(file_.get(), static_cast<char*>(out), size, offset, &got);
  if (error || got < size)
    throw_unreadable(offset, error ? system_message(error) : "it is shorter than it was");
}

void ScratchFile::throw_unreadable(std::uint64_t offset, const std::string& why) const {
  throw Error(ErrorCode::kStorageFailed, Subject::file(folder()),
              fmt::format("a temporary file cannot be read again at byte {}: {}", offset, why));
}

}  // namespace benzer
