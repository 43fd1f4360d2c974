// The operations on files that can fail, behind one small interface, so that tests can fail them.
//
// The methods of FileSystem are the system calls of the same names: -1 and errno, short counts and
// EINTR included. The functions below it are what the rest of the program uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <dirent.h>
#include <sys/stat.h>
#include <sys/types.h>

namespace benzer {

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual int open(const char* path, int flags, mode_t mode);
  virtual int close(int fd);
  virtual ssize_t read(int fd, void* out, std::size_t size);
  virtual ssize_t pread(int fd, void* out, std::size_t size, std::uint64_t offset);
  virtual ssize_t write(int fd, const void* bytes, std::size_t size);
  virtual ssize_t pwrite(int fd, const void* bytes, std::size_t size, std::uint64_t offset);
  virtual int fsync(int fd);
  virtual int fdatasync(int fd);
  virtual int ftruncate(int fd, std::uint64_t size);
  virtual int mkdir(const char* path, mode_t mode);
  virtual int flock(int fd, int operation);
  virtual void* mmap(std::size_t size, int fd);  // from the beginning, to be read, shared
  virtual int rename(const char* from, const char* to);
  virtual int link(const char* from, const char* to);  // of what a symbolic link names
  virtual int unlink(const char* path);
  virtual int stat(const char* path, struct stat* out);
  virtual int fstat(int fd, struct stat* out);
  virtual DIR* opendir(const char* path);
  virtual dirent* readdir(DIR* folder);  // errno tells an error from the end
};

// The file system in use: the real one, unless a test has put another in its place.
FileSystem& file_system() noexcept;

// For tests: replaces the file system while it lives.
class ScopedFileSystem {
 public:
  explicit ScopedFileSystem(FileSystem& replacement) noexcept;
  ~ScopedFileSystem();
  ScopedFileSystem(const ScopedFileSystem&) = delete;
  ScopedFileSystem& operator=(const ScopedFileSystem&) = delete;

 private:
  FileSystem* before_;
};

// Owns a file descriptor.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int fd) noexcept : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~FileHandle() { reset(); }

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  int release() noexcept { return std::exchange(fd_, -1); }
  void reset() noexcept;

 private:
  int fd_ = -1;
};

// What is seen of a file from outside: equal as long as nobody writes to it or replaces it.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
FileIdentity identity_of(const struct stat& status) noexcept;

// Each retries what was interrupted and returns 0 or errno.
int open_file(const std::string& path, int flags, mode_t mode, FileHandle& out) noexcept;
int open_to_read(const std::string& path, FileHandle& out) noexcept;
// The same of what may be a pipe: returns at once, though nobody writes to it. Until somebody does,
// reading finds the end: so wait for it with poll() first.
int open_to_stream(const std::string& path, FileHandle& out) noexcept;
// For callers that go on without a file that cannot be opened, or take it for another one. Throws
// Error(kStorageFailed) if the error says nothing about the file: too many files are open, or there
// is no memory.
void throw_if_out_of_files(const std::string& path, int error);
int read_some(int fd, char* out, std::size_t size, std::size_t* got) noexcept;  // got 0: the end
// All of a file, but of one with more than `most` bytes only the first most + 1. A signal that has
// a handler ends the wait for the writer of a pipe: EINTR.
int read_whole(const std::string& path, std::size_t most, std::string& out);
// Reads until `size` bytes or the end of the file; *got says how many.
int pread_fully(int fd, char* out, std::size_t size, std::uint64_t offset,
                std::size_t* got) noexcept;
int write_fully(int fd, const char* bytes, std::size_t size) noexcept;
int pwrite_fully(int fd, const char* bytes, std::size_t size, std::uint64_t offset) noexcept;

// "No space left on device"; if too many files are open, with what to do.
std::string system_message(int error);

// The folder for temporary files: $TMPDIR, else /tmp.
std::string temporary_folder();
// A new file in the folder, or if that is empty in temporary_folder(), that has no name any more
// and vanishes with its handle. Throws Error(kStorageFailed).
FileHandle unnamed_temporary_file(const std::string& folder = {});

}  // namespace benzer
