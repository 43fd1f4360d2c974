// Tests UncachedWriter through OutputFile, which uses it for large files.
#include "io/uncached_writer.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <random>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "benzer/error.h"
#include "benzer/output.h"

#include "base/error_test_util.h"
#include "base/file.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

using testing::HasSubstr;

constexpr std::size_t kMiB = 1u << 20;

std::string random_bytes(std::size_t size) {
  std::string out(size, '\0');
  std::mt19937_64 random(size);
  for (std::size_t i = 0; i + 8 <= size; i += 8) {
    const std::uint64_t eight = random();
    std::copy_n(reinterpret_cast<const char*>(&eight), 8, out.data() + i);
  }
  return out;
}

void write_in_pieces(OutputFile& out, std::string_view bytes) {
  std::mt19937_64 random(bytes.size());
  while (!bytes.empty()) {
    const std::size_t most = random() % 4 == 0 ? 3 * kMiB : 40'000;
    const std::size_t n = std::min<std::size_t>(1 + random() % most, bytes.size());
    out.write(bytes.substr(0, n));
    bytes.remove_prefix(n);
  }
}

bool works_in(const TestFolder& folder) {
  FileHandle file;
  EXPECT_EQ(open_file(folder / "probe", O_WRONLY | O_CREAT | O_CLOEXEC, 0600, file), 0);
  const bool works = UncachedWriter::begin(file.get()) != nullptr;
  ::unlink((folder / "probe").c_str());
  return works;
}

bool is_direct(int fd) { return (::fcntl(fd, F_GETFL) & O_DIRECT) != 0; }

// Counts writes past the page cache, and lets a test replace them.
class UncachedWrites : public FileSystem {
 public:
  ssize_t write(int fd, const void* bytes, std::size_t size) final {
    if (!is_direct(fd)) return FileSystem::write(fd, bytes, size);
    ++count;
    return write_uncached(fd, bytes, size);
  }
  virtual ssize_t write_uncached(int fd, const void* bytes, std::size_t size) {
    return really_write(fd, bytes, size);
  }
  ssize_t really_write(int fd, const void* bytes, std::size_t size) {
    return FileSystem::write(fd, bytes, size);
  }

  std::atomic<int> count = 0;
};

void expect_same(const std::string& path, const std::string& bytes) {
  OutputFile out(path);
  write_in_pieces(out, bytes);
  EXPECT_EQ(out.bytes(), bytes.size());
  out.commit();
  EXPECT_TRUE(read_file(path) == bytes) << bytes.size();
}

TEST(UncachedWriter, LargeFilesHaveAllBytes) {
  const TestFolder folder;
  const bool works = works_in(folder);
  for (const std::size_t more :
       {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{4096}, std::size_t{4097},
        kMiB, kMiB + 4096, 2 * kMiB - 1, 2 * kMiB, 3 * kMiB + 5000}) {
    UncachedWrites writes;
    ScopedFileSystem scope(writes);
    expect_same(folder / "out", random_bytes(16 * kMiB + more));
    EXPECT_EQ(writes.count > 0, works && more >= UncachedWriter::kBlock) << more;
  }
  UncachedWrites writes;
  ScopedFileSystem scope(writes);
  expect_same(folder / "out", random_bytes(16 * kMiB - 1));
  EXPECT_EQ(writes.count, 0);
}

TEST(UncachedWriter, GoesOnAsForOthersIfItIsRefused) {
  class Refuses : public UncachedWrites {
   public:
    explicit Refuses(int before) : before_(before) {}
    ssize_t write_uncached(int fd, const void* bytes, std::size_t size) override {
      if (count <= before_) return really_write(fd, bytes, size);
      errno = EINVAL;
      return -1;
    }

   private:
    int before_;
  };
  const TestFolder folder;
  for (const int before : {0, 1, 2}) {
    Refuses refuses(before);
    ScopedFileSystem scope(refuses);
    expect_same(folder / "out", random_bytes(20 * kMiB + 123));
    EXPECT_LE(refuses.count, before + 1);
  }
}

TEST(UncachedWriter, ShortWritesAreContinued) {
  class Short : public UncachedWrites {
   public:
    explicit Short(std::size_t step) : step_(step) {}
    ssize_t write_uncached(int fd, const void* bytes, std::size_t size) override {
      if (count % 3 == 0) {
        errno = EINTR;
        return -1;
      }
      if (count % 3 == 1) return really_write(fd, bytes, size);
      // Not every file system can write a part of a block, so this is done without O_DIRECT.
      const int flags = ::fcntl(fd, F_GETFL);
      ::fcntl(fd, F_SETFL, flags & ~O_DIRECT);
      const ssize_t n = really_write(fd, bytes, std::min(size, step_));
      ::fcntl(fd, F_SETFL, flags);
      return n;
    }

   private:
    std::size_t step_;
  };
  const TestFolder folder;
  for (const std::size_t step : {std::size_t{8192}, std::size_t{8191}, std::size_t{1}}) {
    Short shortens(step);
    ScopedFileSystem scope(shortens);
    expect_same(folder / "out", random_bytes(20 * kMiB + 123));
  }
}

TEST(UncachedWriter, ErrorsSayHowManyBytesWereWritten) {
  class Full : public UncachedWrites {
   public:
    ssize_t write_uncached(int fd, const void* bytes, std::size_t size) override {
      if (count <= 2) return really_write(fd, bytes, size);
      errno = ENOSPC;
      return -1;
    }
  };
  const TestFolder folder;
  if (!works_in(folder)) GTEST_SKIP() << "this file system is written through the page cache";
  const std::string bytes = random_bytes(16 * kMiB + kMiB);
  for (const std::size_t megabytes : {3u, 8u}) {  // met by finish(), and by write()
    Full full;
    ScopedFileSystem scope(full);
    EXPECT_THAT(error_sentence(ErrorCode::kStorageFailed,
                               [&] {
                                 OutputFile out(folder / "out");
                                 out.write(std::string_view(bytes).substr(0, 16 * kMiB));
                                 for (std::size_t i = 0; i < megabytes; ++i)
                                   out.write(std::string_view(bytes).substr(i, kMiB));
                                 out.commit();
                               }),
                HasSubstr("writing failed after 18874368 bytes: No space left on device"));
    EXPECT_TRUE(folder.names().empty());
  }
}

TEST(UncachedWriter, UnfinishedFilesAreRemoved) {
  const TestFolder folder;
  {
    OutputFile out(folder / "out");
    write_in_pieces(out, random_bytes(20 * kMiB));
  }
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace benzer
