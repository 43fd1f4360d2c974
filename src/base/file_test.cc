#include "base/file.h"

#include <cerrno>
#include <filesystem>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "io/io_test_util.h"

namespace benzer {
namespace {

// Counts the files that are made with a name. A process can be killed between any two calls, so
// only a file that never has a name is never left behind.
class NameRecorder : public FileSystem {
 public:
  explicit NameRecorder(int error = 0) : error_(error) {}
  int open(const char* path, int flags, mode_t mode) override {
    if (error_ != 0 && (flags & O_TMPFILE) == O_TMPFILE) {
      errno = error_;
      return -1;
    }
    if ((flags & O_CREAT) != 0) ++names_made;
    return FileSystem::open(path, flags, mode);
  }
  int names_made = 0;

 private:
  int error_;
};

void expect_usable(const FileHandle& file, const TestFolder& folder) {
  ASSERT_EQ(pwrite_fully(file.get(), "bytes", 5, 3), 0);
  char out[8] = {};
  std::size_t got = 0;
  ASSERT_EQ(pread_fully(file.get(), out, sizeof out, 0, &got), 0);
  EXPECT_EQ(std::string(out, got), std::string("\0\0\0bytes", 8));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TemporaryFile, HasNoNameAtAnyTime) {
  const TestFolder folder;
  NameRecorder files;
  const ScopedFileSystem scope(files);
  const FileHandle file = unnamed_temporary_file(folder.path());
  EXPECT_EQ(files.names_made, 0);
  expect_usable(file, folder);
}

// NFS and some others cannot make files without a name.
TEST(TemporaryFile, LosesItsNameWhereItNeedsOne) {
  for (const int error : {EOPNOTSUPP, EISDIR, EINVAL, ENOENT}) {
    const TestFolder folder;
    NameRecorder files(error);
    const ScopedFileSystem scope(files);
    const FileHandle file = unnamed_temporary_file(folder.path());
    EXPECT_EQ(files.names_made, 1);
    expect_usable(file, folder);
  }
}

TEST(TemporaryFile, TellsWhyThereIsNone) {
  const TestFolder folder;
  try {
    unnamed_temporary_file(folder / "absent");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kStorageFailed);
    EXPECT_NE(std::string(error.what())
                  .find("/absent: a temporary file cannot be made there: No "
                        "such file or directory; name a folder"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace benzer
