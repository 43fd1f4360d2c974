#include "io/uncached_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include "base/file.h"

namespace benzer {
namespace {

constexpr std::size_t kBufferBytes = 1u << 20;
#ifndef XFS_SUPER_MAGIC
constexpr long XFS_SUPER_MAGIC = 0x58465342;
#endif

// Others work, too, but some then wait for a server after each buffer, and some copy anyway.
bool is_local_disk(int fd) {
  struct statfs status{};
  if (::fstatfs(fd, &status) != 0) return false;
  return status.f_type == EXT4_SUPER_MAGIC || status.f_type == XFS_SUPER_MAGIC;
}

bool set_direct(int fd, bool direct) {
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && ::fcntl(fd, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

}  // namespace

std::unique_ptr<UncachedWriter> UncachedWriter::begin(int fd) {
  if (!is_local_disk(fd)) return nullptr;
  const auto allocate = [] {
    return Buffer(static_cast<char*>(std::aligned_alloc(kBlock, kBufferBytes)));
  };
  Buffer first = allocate(), second = allocate();
  if (!first || !second || !set_direct(fd, true)) return nullptr;
  return std::unique_ptr<UncachedWriter>(
      new UncachedWriter(fd, std::move(first), std::move(second)));
}

UncachedWriter::UncachedWriter(int fd, Buffer first, Buffer second)
    : fd_(fd), filling_(std::move(first)), leaving_(std::move(second)) {}

UncachedWriter::~UncachedWriter() { wait(); }

int UncachedWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t n = std::min(bytes.size(), kBufferBytes - filled_);
    std::memcpy(filling_.get() + filled_, bytes.data(), n);
    filled_ += n;
    bytes.remove_prefix(n);
    if (filled_ < kBufferBytes) return 0;
    if (const int error = begin_buffer()) return error;
  }
  return 0;
}

// Hands the filled buffer to a thread, or writes it in wait() if the system has no thread to spare.
int UncachedWriter::begin_buffer() {
  if (const int error = wait()) return error;
  std::swap(filling_, leaving_);
  pending_ = std::async(
      std::launch::async | std::launch::deferred,
      [this, size = std::exchange(filled_, 0)] { return write_buffer(leaving_.get(), size); });
  return 0;
}

int UncachedWriter::wait() { return pending_.valid() ? pending_.get() : 0; }

int UncachedWriter::finish() {
  if (const int error = wait()) return error;
  const std::size_t whole = filled_ / kBlock * kBlock;
  if (const int error = write_buffer(filling_.get(), whole)) return error;
  if (direct_ && !set_direct(fd_, false)) return errno;
  direct_ = false;
  return write_buffer(filling_.get() + whole, filled_ - whole);
}

std::uint64_t UncachedWriter::written() {
  wait();
  return written_;
}

int UncachedWriter::write_buffer(const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t n = file_system().write(fd_, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    // The file system refuses after all, or has written a part of a block: goes on as for others.
    const bool refuses = (n < 0 && errno == EINVAL) || (n > 0 && n % kBlock != 0);
    if (direct_ && refuses && set_direct(fd_, false)) {
      direct_ = false;
    } else if (n < 0) {
      return errno;
    }
    if (n == 0) return EIO;
    if (n < 0) continue;
    bytes += n;
    size -= static_cast<std::size_t>(n);
    written_ += static_cast<std::size_t>(n);
  }
  return 0;
}

}  // namespace benzer
