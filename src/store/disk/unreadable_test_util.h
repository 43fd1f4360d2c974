// Makes pages of files unreadable, for tests.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "io/io_test_util.h"
#include "store/disk/mapped_file.h"

namespace benzer {

// Maps a page of an empty file there, so that touching it raises SIGBUS, as a bad sector does.
inline void put_unreadable_page(void* at) {
  const FileHandle empty = unnamed_temporary_file();
  ASSERT_EQ(::mmap(at, kPageBytes, PROT_READ, MAP_SHARED | MAP_FIXED, empty.get(), 0), at);
}

// Makes a page unreadable wherever this process has mapped the file, as if it had been dropped from
// memory. Returns how often the file was mapped.
inline int make_unreadable(const std::string& path, std::uint64_t page) {
  std::vector<std::uint64_t> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0, offset = 0;
    int path_begin = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx %*s %llx %*s %*s %n", &begin, &end, &offset,
                    &path_begin) != 3 ||
        line.substr(static_cast<std::size_t>(path_begin)) != path)
      continue;
    const std::uint64_t at = begin + page * kPageBytes - offset;
    if (page * kPageBytes >= offset && at < end) found.push_back(at);
  }
  for (const std::uint64_t at : found) put_unreadable_page(reinterpret_cast<void*>(at));
  return static_cast<int>(found.size());
}

// A file system on which some pages of files cannot be read, mapped or not; later files with the
// same names can be read. Threads: one adds, any number reads.
class UnreadablePages : public UnsyncedFileSystem {
 public:
  void add(const std::string& path, std::uint64_t page) {
    struct stat status{};
    ASSERT_EQ(::stat(path.c_str(), &status), 0) << path;
    pages_[{path, status.st_ino}].insert(page);
  }
  void heal() { pages_.clear(); }

  void* mmap(std::size_t size, int fd) override {
    void* const mapped = FileSystem::mmap(size, fd);
    if (mapped == MAP_FAILED) return mapped;
    for (const std::uint64_t page : pages_of(fd))
      if (page * kPageBytes < size)
        put_unreadable_page(static_cast<std::byte*>(mapped) + page * kPageBytes);
    return mapped;
  }
  ssize_t pread(int fd, void* out, std::size_t size, std::uint64_t offset) override {
    struct stat status{};
    if (FileSystem::fstat(fd, &status) != 0) return -1;
    const std::uint64_t end = std::min<std::uint64_t>(offset + size, status.st_size);
    for (const std::uint64_t page : pages_of(fd)) {
      if (page * kPageBytes >= end || (page + 1) * kPageBytes <= offset) continue;
      errno = EIO;
      return -1;
    }
    return FileSystem::pread(fd, out, size, offset);
  }

 private:
  std::set<std::uint64_t> pages_of(int fd) const {
    std::error_code error;
    const auto path =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error).string();
    struct stat status{};
    if (::fstat(fd, &status) != 0) return {};
    const auto found = pages_.find({path, status.st_ino});
    return found == pages_.end() ? std::set<std::uint64_t>() : found->second;
  }
  std::map<std::pair<std::string, ino_t>, std::set<std::uint64_t>> pages_;
};

}  // namespace benzer
