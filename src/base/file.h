// Puts the operations on files that can fail behind one small interface, so that tests can make
// them fail.
//
// The methods of FileSystem are the system calls of the same names: -1 and errno, short counts and
// EINTR included. The rest of the program uses the functions below it.
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
  virtual void* mmap(std::size_t size, int fd);  // from offset 0, read-only, shared
  virtual int rename(const char* from, const char* to);
  virtual int link(const char* from, const char* to);  // follows a symbolic link
  virtual int unlink(const char* path);
  virtual int stat(const char* path, struct stat* out);
  virtual int fstat(int fd, struct stat* out);
  virtual DIR* opendir(const char* path);
  virtual dirent* readdir(DIR* folder);  // errno tells an error from the end
};

// The file system in use: the real one, unless a test has replaced it.
FileSystem& file_system() noexcept;

// For tests: replaces the file system as long as this object lives.
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

// Identifies a file and its state: equal as long as nobody writes to the file or replaces it.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
FileIdentity identity_of(const struct stat& status) noexcept;

// Whether both are of one file, whatever was written to it between them.
bool is_same_file(const struct stat& a, const struct stat& b) noexcept;

// A path that names an open file, also one that has no name.
std::string path_of_descriptor(int fd);

// These functions retry calls that were interrupted, and return 0 or errno.
int open_file(const std::string& path, int flags, mode_t mode, FileHandle& out) noexcept;
int open_to_read(const std::string& path, FileHandle& out) noexcept;
// Opens a file that may be a pipe, without waiting until somebody writes to the pipe. Until then
// a read finds the end of the file, so wait with poll() first.
int open_to_stream(const std::string& path, FileHandle& out) noexcept;
// For callers that go on when a file cannot be opened. Throws Error(kStorageFailed) if the error
// says nothing about the file: too many files are open, or memory has run out.
void throw_if_out_of_files(const std::string& path, int error);
int read_some(int fd, char* out, std::size_t size, std::size_t* got) noexcept;  // *got 0: the end
// Reads a whole file, or the first most + 1 bytes of one that has more than `most`. A signal that
// has a handler ends the wait for the writer of a pipe with EINTR.
int read_whole(const std::string& path, std::size_t most, std::string& out);
// Reads until it has `size` bytes or the file ends; *got is the number of bytes read.
int pread_fully(int fd, char* out, std::size_t size, std::uint64_t offset,
                std::size_t* got) noexcept;
int write_fully(int fd, const char* bytes, std::size_t size) noexcept;
int pwrite_fully(int fd, const char* bytes, std::size_t size, std::uint64_t offset) noexcept;

// The message for an errno, such as "No space left on device". If too many files are open, it also
// says what to do.
std::string system_message(int error);

// The folder for temporary files: $TMPDIR, else /tmp.
std::string temporary_folder();
// Makes a file without a name, which vanishes with its handle, in the folder, or in
// temporary_folder() if `folder` is empty. Throws Error(kStorageFailed).
FileHandle unnamed_temporary_file(const std::string& folder = {});

}  // namespace benzer
