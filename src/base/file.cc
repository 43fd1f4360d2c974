#include "base/file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "benzer/error.h"

namespace benzer {
namespace {

FileSystem real_file_system;
std::atomic<FileSystem*> current{&real_file_system};

}  // namespace

int FileSystem::open(const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); }
int FileSystem::close(int fd) { return ::close(fd); }
ssize_t FileSystem::read(int fd, void* out, std::size_t size) { return ::read(fd, out, size); }
ssize_t FileSystem::pread(int fd, void* out, std::size_t size, std::uint64_t offset) {
  return ::pread(fd, out, size, static_cast<off_t>(offset));
}
ssize_t FileSystem::write(int fd, const void* bytes, std::size_t size) {
  return ::write(fd, bytes, size);
}
ssize_t FileSystem::pwrite(int fd, const void* bytes, std::size_t size, std::uint64_t offset) {
  return ::pwrite(fd, bytes, size, static_cast<off_t>(offset));
}
int FileSystem::fsync(int fd) { return ::fsync(fd); }
int FileSystem::fdatasync(int fd) { return ::fdatasync(fd); }
int FileSystem::ftruncate(int fd, std::uint64_t size) {
  return ::ftruncate(fd, static_cast<off_t>(size));
}
int FileSystem::mkdir(const char* path, mode_t mode) { return ::mkdir(path, mode); }
int FileSystem::flock(int fd, int operation) { return ::flock(fd, operation); }
void* FileSystem::mmap(std::size_t size, int fd) {
  return ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
}
int FileSystem::rename(const char* from, const char* to) { return ::rename(from, to); }
int FileSystem::link(const char* from, const char* to) {
  return ::linkat(AT_FDCWD, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW);
}
int FileSystem::unlink(const char* path) { return ::unlink(path); }
int FileSystem::stat(const char* path, struct stat* out) { return ::stat(path, out); }
int FileSystem::fstat(int fd, struct stat* out) { return ::fstat(fd, out); }
DIR* FileSystem::opendir(const char* path) { return ::opendir(path); }
dirent* FileSystem::readdir(DIR* folder) { return ::readdir(folder); }

FileSystem& file_system() noexcept { return *current.load(std::memory_order_acquire); }

ScopedFileSystem::ScopedFileSystem(FileSystem& replacement) noexcept
    : before_(current.exchange(&replacement)) {}
ScopedFileSystem::~ScopedFileSystem() { current.store(before_); }

void FileHandle::reset() noexcept {
  // Linux closes the descriptor even when close() is interrupted, so it is never repeated.
  if (fd_ >= 0) file_system().close(std::exchange(fd_, -1));
}

FileIdentity identity_of(const struct stat& status) noexcept {
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
}

bool is_same_file(const struct stat& a, const struct stat& b) noexcept {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

std::string path_of_descriptor(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

int open_file(const std::string& path, int flags, mode_t mode, FileHandle& out) noexcept {
  // For the system a name ends there, and is that of another file.
  if (path.find('\0') != std::string::npos) return ENOENT;
  int fd = -1;
  do {
    fd = file_system().open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return errno;
  out = FileHandle(fd);
  return 0;
}

int open_to_read(const std::string& path, FileHandle& out) noexcept {
  return open_file(path, O_RDONLY, 0, out);
}

void throw_if_out_of_files(const std::string& path, int error) {
  if (error == EMFILE || error == ENFILE || error == ENOMEM)
    throw Error(ErrorCode::kStorageFailed, Subject::file(path),
                fmt::format("it cannot be opened: {}", system_message(error)));
}

int open_to_stream(const std::string& path, FileHandle& out) noexcept {
  if (const int error = open_file(path, O_RDONLY | O_NONBLOCK, 0, out)) return error;
  const int flags = ::fcntl(out.get(), F_GETFL);
  if (flags >= 0) ::fcntl(out.get(), F_SETFL, flags & ~O_NONBLOCK);
  return 0;
}

int read_some(int fd, char* out, std::size_t size, std::size_t* got) noexcept {
  ssize_t n = 0;
  do {
    n = file_system().read(fd, out, size);
  } while (n < 0 && errno == EINTR);
  *got = n < 0 ? 0 : static_cast<std::size_t>(n);
  return n < 0 ? errno : 0;
}

int read_whole(const std::string& path, std::size_t most, std::string& out) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  out.clear();
  FileHandle file;
  if (const int error = open_to_stream(path, file)) return error;
  struct pollfd ready = {file.get(), POLLIN, 0};
  if (::poll(&ready, 1, -1) < 0) return errno;
  for (std::size_t size = 0, got = 1; got > 0 && size <= most; size += got) {
    out.resize(size + std::min(std::max(kPiece, size), most + 1 - size));
    if (const int error = read_some(file.get(), out.data() + size, out.size() - size, &got))
      return error;
    out.resize(size + got);
  }
  return 0;
}

int pread_fully(int fd, char* out, std::size_t size, std::uint64_t offset,
                std::size_t* got) noexcept {
  *got = 0;
  while (*got < size) {
    const ssize_t n = file_system().pread(fd, out + *got, size - *got, offset + *got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) break;
    *got += static_cast<std::size_t>(n);
  }
  return 0;
}

int write_fully(int fd, const char* bytes, std::size_t size) noexcept {
  while (size > 0) {
    const ssize_t n = file_system().write(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return EIO;  // a regular file or pipe never does this; do not loop for ever
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return 0;
}

int pwrite_fully(int fd, const char* bytes, std::size_t size, std::uint64_t offset) noexcept {
  while (size > 0) {
    const ssize_t n = file_system().pwrite(fd, bytes, size, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return EIO;
    bytes += n;
    offset += static_cast<std::size_t>(n);
    size -= static_cast<std::size_t>(n);
  }
  return 0;
}

namespace {

// Takes the result of strerror_r(): GNU's returns the message, that of POSIX a number.
[[maybe_unused]] const char* message_of(const char* message, const char*) { return message; }
[[maybe_unused]] const char* message_of(int, const char* buffer) { return buffer; }

}  // namespace

// Does not use std::error_category, since the sanitizer of virtual calls has to open a file, and
// the process may be out of them.
std::string system_message(int error) {
  char buffer[256] = "";
  std::string message = message_of(::strerror_r(error, buffer, sizeof buffer), buffer);
  struct rlimit files{};
  if (error == EMFILE && ::getrlimit(RLIMIT_NOFILE, &files) == 0)
    message += fmt::format(" (this process may open {}: allow more, or use fewer threads)",
                           files.rlim_cur);
  return message;
}

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

FileHandle unnamed_temporary_file(const std::string& wanted) {
  static std::atomic<unsigned> counter{0};
  const std::string folder = wanted.empty() ? temporary_folder() : wanted;
  // A file without a name is not left behind, whenever the process is killed. Not every file system
  // can make one. The loop below reports any other reason for the failure.
  FileHandle unnamed;
  if (open_file(folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600, unnamed) == 0)
    return unnamed;
  const std::string_view where = wanted.empty() ? " in TMPDIR" : "";
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string path = fmt::format("{}/benzer-{}-{:x}.tmp", folder, ::getpid(), ++counter);
    const int fd =
        file_system().open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 && (errno == EEXIST || errno == EINTR)) continue;
    if (fd < 0) {
      throw_if_out_of_files(path, errno);
      throw Error(ErrorCode::kStorageFailed, Subject::file(folder),
                  fmt::format("a temporary file cannot be made there: {}", system_message(errno)),
                  fmt::format("name a folder that can be written{}", where));
    }
    FileHandle handle(fd);
    file_system().unlink(path.c_str());
    return handle;
  }
  throw Error(ErrorCode::kStorageFailed, Subject::file(folder),
              "no free name for a temporary file was found",
              fmt::format("remove old benzer-*.tmp files there or name another folder{}", where));
}

}  // namespace benzer
