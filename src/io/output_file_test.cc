#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benzer/error.h"
#include "benzer/output.h"

#include "base/error_test_util.h"
#include "base/sanitized.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string sentence_of(const std::function<void()>& action) {
  return error_sentence(ErrorCode::kStorageFailed, action);
}

// Like a file system, such as NFS, that has no files without names.
class NoUnnamedFiles : public FileSystem {
 public:
  int open(const char* path, int flags, mode_t mode) override {
    if ((flags & O_TMPFILE) != O_TMPFILE) return FileSystem::open(path, flags, mode);
    errno = EOPNOTSUPP;
    return -1;
  }
};

// The parameter tells whether the file system has files without names.
class UnfinishedOutput : public testing::TestWithParam<bool> {
 protected:
  UnfinishedOutput() {
    if (!GetParam()) scope_.emplace(refusing_);
  }
  // How many names an output has that is not finished.
  static std::size_t names() { return GetParam() ? 0 : 1; }

 private:
  NoUnnamedFiles refusing_;
  std::optional<ScopedFileSystem> scope_;
};

INSTANTIATE_TEST_SUITE_P(OutputFile, UnfinishedOutput, testing::Bool());

TEST_P(UnfinishedOutput, AppearsOnlyWhenItIsWhole) {
  const TestFolder folder;
  const std::string path = folder.write("out", "old");
  {
    OutputFile out(path);
    out.write("new");
    EXPECT_EQ(read_file(path), "old");
    EXPECT_EQ(folder.names().size(), 1 + names());
  }
  EXPECT_THAT(folder.names(), ElementsAre("out"));
  EXPECT_EQ(read_file(path), "old");
  OutputFile out(path);
  out.write("new");
  out.commit();
  EXPECT_EQ(read_file(path), "new");
  EXPECT_THAT(folder.names(), ElementsAre("out"));
  EXPECT_THROW(out.write("more"), Error);
  EXPECT_THROW(out.commit(), Error);
}

TEST_P(UnfinishedOutput, FinishedFilesHaveNoNameYet) {
  const TestFolder folder;
  const std::string path = folder.write("out", "old");
  {
    OutputFile dropped(path);
    dropped.write("lost");
    dropped.finish();
    EXPECT_THROW(dropped.write("more"), Error);
    EXPECT_THROW(dropped.finish(), Error);
  }
  EXPECT_THAT(folder.names(), ElementsAre("out"));
  EXPECT_EQ(read_file(path), "old");
  OutputFile out(path);
  out.write("ne");
  out.write("w");
  EXPECT_EQ(out.bytes(), 3u);
  out.finish();
  EXPECT_EQ(read_file(path), "old");
  out.commit();
  EXPECT_EQ(read_file(path), "new");
  EXPECT_THROW(out.commit(), Error);
}

// On a full disk the last bytes fail in finish(), since commit() has nothing left to write.
TEST(OutputFile, CommitAfterFinishWritesNothing) {
  const TestFolder folder;
  for (const std::string name : {"out", "out.gz", "out.zst"}) {
    class Full : public FileSystem {
     public:
      ssize_t write(int, const void*, std::size_t) override { return fail(); }
      int fsync(int) override { return fail(); }

     private:
      static int fail() {
        errno = ENOSPC;
        return -1;
      }
    };
    OutputFile out(folder / name);
    out.write("new");
    out.finish();
    Full full;
    ScopedFileSystem scope(full);
    out.commit();  // a folder that cannot be synced is not an error
    EXPECT_FALSE(read_file(folder / name).empty());
  }
}

TEST_P(UnfinishedOutput, CanBeRemovedBySignalHandlers) {
  const TestFolder folder;
  const std::string path = folder.write("out", "old");
  OutputFile done(folder / "done");
  done.commit();
  {
    // Makes more outputs than names are remembered, in several rounds, to reuse the slots.
    for (int round = 0; round < 3; ++round) {
      std::vector<OutputFile> many;
      for (int i = 0; i < 20; ++i) many.emplace_back(path);
      EXPECT_EQ(folder.names().size(), 2 + 20 * names());
      for (OutputFile& one : many) one.finish();
      EXPECT_EQ(folder.names().size(), 22u);
    }
    OutputFile out(path), finished(path);
    out.write("new");
    finished.finish();
    EXPECT_EQ(folder.names().size(), 3 + names());
    errno = EDOM;
    remove_unfinished_outputs();
    EXPECT_EQ(errno, EDOM);
    EXPECT_THAT(folder.names(), ElementsAre("done", "out"));
    EXPECT_THAT(sentence_of([&] { finished.commit(); }), HasSubstr("renaming failed"));
  }
  EXPECT_EQ(read_file(path), "old");
  OutputFile out(path);
  out.commit();
  remove_unfinished_outputs();
  EXPECT_THAT(folder.names(), ElementsAre("done", "out"));
}

TEST(OutputFile, AProcessThatIsKilledLeavesNothing) {
  const TestFolder folder;
  const std::string path = folder.write("out", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    OutputFile out(path);
    out.write(std::string(100'000, 'x'));
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_THAT(folder.names(), ElementsAre("out"));
  EXPECT_EQ(read_file(path), "old");
}

TEST_P(UnfinishedOutput, NamesMayComeAndGoWhileTheyAreRemoved) {
  const TestFolder folder;
  std::atomic<bool> stop{false};
  std::thread remover([&] {
    while (!stop) remove_unfinished_outputs();
  });
  std::vector<std::thread> makers;
  for (int t = 0; t < 2; ++t) {
    makers.emplace_back([&folder, t] {
      for (int i = 0; i < 300; ++i) OutputFile(folder / std::to_string(t)).finish();
    });
  }
  for (std::thread& maker : makers) maker.join();
  stop = true;
  remover.join();
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(OutputFile, SmallAndLargePiecesKeepTheirOrder) {
  const TestFolder folder;
  for (const std::string name : {"out", "out.gz", "out.zst"}) {
    for (const int threads : {1, 2}) {
      std::string all;
      OutputFile out(folder / name, threads);
      for (std::size_t i = 0; i < (kSanitized ? 80 : 300); ++i) {
        const std::string piece(i * i * 31 % 70'000, static_cast<char>('a' + i % 26));
        out.write(piece);
        all += piece;
      }
      out.commit();
      const std::string bytes = read_file(folder / name);
      const auto stream = stream_unpacked(stream_memory(bytes), compression_by_name(name));
      std::string unpacked(all.size() + 1, '\0');
      unpacked.resize(read_fully(*stream, unpacked.data(), unpacked.size()));
      EXPECT_TRUE(unpacked == all) << name;
    }
  }
}

TEST(OutputFile, AnEmptyPackedFileIsAValidOne) {
  const TestFolder folder;
  for (const std::string name : {"out.gz", "out.zst"}) {
    OutputFile(folder / name).commit();
    const std::string bytes = read_file(folder / name);
    const auto stream = stream_unpacked(stream_memory(bytes), compression_by_name(name));
    char byte = 0;
    EXPECT_EQ(stream->read(&byte, 1), 0u);
  }
}

TEST_P(UnfinishedOutput, KeepsModeAndLinks) {
  const TestFolder folder;
  const std::string target = folder.write("deep/target", "old");
  ASSERT_EQ(::chmod(target.c_str(), 0640), 0);
  ASSERT_EQ(::symlink("deep/target", (folder / "link").c_str()), 0);
  ASSERT_EQ(::symlink("deep/fresh", (folder / "dangling").c_str()), 0);
  for (const std::string name : {"link", "dangling"}) {
    OutputFile out(folder / name);
    out.write("new");
    out.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(folder / name));
    EXPECT_EQ(read_file(folder / name), "new");
  }
  struct stat status{};
  ASSERT_EQ(::stat(target.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);

  const mode_t before = ::umask(027);
  OutputFile(folder / "masked").commit();
  ::umask(before);
  ASSERT_EQ(::stat((folder / "masked").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST_P(UnfinishedOutput, LongNames) {
  const TestFolder folder;
  const std::string name(255, 'n');
  OutputFile out(folder / name);
  out.write("x");
  out.commit();
  EXPECT_EQ(read_file(folder / name), "x");
}

TEST(OutputFile, DevicesAndPipesAreWrittenDirectly) {
  EXPECT_TRUE(OutputFile::is_direct("-"));
  EXPECT_TRUE(OutputFile::is_direct("/dev/null"));
  EXPECT_TRUE(OutputFile::is_direct("/dev/stdout"));
  EXPECT_TRUE(OutputFile::is_direct("/dev/fd/7"));
  EXPECT_FALSE(OutputFile::is_direct("/nowhere/file"));
  const TestFolder folder;
  EXPECT_FALSE(OutputFile::is_direct(folder.write("file", "")));
  OutputFile null("/dev/null");
  null.write("x");
  null.commit();
  struct stat status{};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));

  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = read_file(pipe); });
  {
    OutputFile out(pipe);
    out.write("through the pipe");
    out.commit();
  }
  reader.join();
  EXPECT_EQ(received, "through the pipe");
  ASSERT_EQ(::stat(pipe.c_str(), &status), 0);
  EXPECT_TRUE(S_ISFIFO(status.st_mode));
}

TEST(OutputFile, NamedDescriptorsContinueWhereTheyAre) {
  const TestFolder folder;
  const std::string path = folder.write("log", "");
  const int fd = ::open(path.c_str(), O_WRONLY);
  ASSERT_EQ(write_fully(fd, "before ", 7), 0);
  OutputFile out("/dev/fd/" + std::to_string(fd));
  out.write("after");
  out.commit();
  EXPECT_EQ(read_file(path), "before after");
  EXPECT_EQ(::close(fd), 0);
}

TEST(OutputFile, AClosedPipeIsAnError) {
  struct sigaction ignore{}, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  OutputFile out("/dev/fd/" + std::to_string(ends[1]));
  EXPECT_THAT(sentence_of([&] { out.write(std::string(100'000, 'x')); }), HasSubstr("closed pipe"));
  // Only for standard output is the end of the reader not a failure.
  const int standard_output = ::dup(1);
  for (const bool on_it : {false, true}) {
    const int written_to = on_it ? 1 : ends[1];
    if (on_it) {
      ASSERT_EQ(::dup2(ends[1], 1), 1);
    }
    bool told = false;
    try {
      OutputFile again("/dev/fd/" + std::to_string(written_to));
      again.write("x");
      again.commit();
    } catch (const StdoutClosed&) {
      told = true;
    } catch (const Error&) {
    }
    ::dup2(standard_output, 1);
    EXPECT_EQ(told, on_it);
  }
  ::close(standard_output);
  ::close(ends[1]);
  ::sigaction(SIGPIPE, &before, nullptr);
}

TEST(OutputFile, WhatCannotBeMade) {
  const TestFolder folder;
  EXPECT_EQ(sentence_of([&] { OutputFile out(folder / "none/out"); }),
            folder / "none/out: there is no folder " + folder / "none" + "; make it first");
  EXPECT_EQ(sentence_of([&] { OutputFile out(folder.path()); }),
            folder.path() + ": this is a folder, the output must be a file");
  EXPECT_THAT(sentence_of([&] { OutputFile out("/dev/fd/999999"); }), HasSubstr("/dev/fd/999999"));
}

TEST(OutputFile, WhatCanNeverBeReplacedIsRefusedAtOnce) {
  const TestFolder folder;
  const std::string long_name = folder / std::string(256, 'n');
  EXPECT_EQ(sentence_of([&] { OutputFile out(long_name); }),
            long_name + ": opening failed after 0 bytes: File name too long");
  ASSERT_EQ(::symlink("loop-b", (folder / "loop-a").c_str()), 0);
  ASSERT_EQ(::symlink("loop-a", (folder / "loop-b").c_str()), 0);
  EXPECT_THAT(sentence_of([&] { OutputFile out(folder / "loop-a"); }),
              HasSubstr("Too many levels of symbolic links"));
  folder.write("file", "");
  EXPECT_THAT(sentence_of([&] { OutputFile out(folder / "file/out"); }),
              HasSubstr("Not a directory"));
  EXPECT_THAT(folder.names(), ElementsAre("file", "loop-a", "loop-b"));
}

// Containers have files that are mounted by themselves.
TEST(OutputFile, AMountedFileIsRefused) {
  std::ifstream mounts("/proc/self/mountinfo");
  std::string mounted;
  for (std::string line, word; mounted.empty() && std::getline(mounts, line);) {
    std::istringstream words(line);
    for (int i = 0; i < 5; ++i) words >> word;
    struct stat status{};
    if (::stat(word.c_str(), &status) == 0 && S_ISREG(status.st_mode)) mounted = word;
  }
  if (mounted.empty()) GTEST_SKIP() << "no file is mounted here";
  EXPECT_EQ(sentence_of([&] { OutputFile out(mounted); }),
            mounted +
                ": this file is mounted by itself, so it cannot be replaced by the complete "
                "output; mount the folder that it is in, or name another file");
}

// Only root can make a file of another user.
TEST(OutputFile, AFileOfAnotherUserInAStickyFolderIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const TestFolder folder;
  const std::string path = folder.write("out", "of root");
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 01777), 0);
  const auto opens_as_another = [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      constexpr uid_t kNobody = 65534;
      if (::setuid(kNobody) != 0) ::_exit(2);
      try {
        const OutputFile out(path);
      } catch (const Error& error) {
        const bool is_it = std::string_view(error.what()).find("belongs to another user") !=
                           std::string_view::npos;
        ::_exit(is_it ? 1 : 3);
      }
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(opens_as_another(), 1);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  EXPECT_EQ(opens_as_another(), 0);
}

TEST_P(UnfinishedOutput, ARelativePathMeansTheSameAfterChdir) {
  const std::filesystem::path before = std::filesystem::current_path();
  const TestFolder folder, other;
  folder.write("out", "old");
  other.write("out", "of another run");
  std::filesystem::current_path(folder.path());
  {
    OutputFile out("out");
    out.write("new");
    std::filesystem::current_path(other.path());
    EXPECT_EQ(out.path(), "out");
    out.commit();
  }
  const std::string sentence = sentence_of([] { OutputFile out("none/out"); });
  std::filesystem::current_path(before);
  EXPECT_EQ(read_file(folder / "out"), "new");
  EXPECT_EQ(read_file(other / "out"), "of another run");
  EXPECT_EQ(sentence, "none/out: there is no folder none; make it first");
}

TEST_P(UnfinishedOutput, StaysWhenItCannotBeRenamed) {
  const TestFolder folder;
  const std::string path = folder / "out";
  {
    OutputFile out(path);
    out.write("new");
    out.finish();
    std::filesystem::create_directory(path);
    const std::string sentence = sentence_of([&] { out.commit(); });
    EXPECT_THAT(sentence, HasSubstr("out: renaming failed after 3 bytes: Is a directory; the "
                                    "complete output is in " +
                                    folder.path() + "/.out.benzer-"));
  }
  const std::vector<std::string> names = folder.names();
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(read_file(folder / names[0]), "new");
}

TEST(OutputFile, AFullDiskNamesThePath) {
  const TestFolder folder;
  class Full : public FileSystem {
   public:
    ssize_t write(int, const void*, std::size_t) override {
      errno = ENOSPC;
      return -1;
    }
  };
  Full full;
  ScopedFileSystem scope(full);
  const std::string sentence = sentence_of([&] {
    OutputFile out(folder / "out");
    out.write(std::string(100'000, 'x'));
    out.commit();
  });
  EXPECT_THAT(sentence, HasSubstr(folder / "out: writing failed after 0 bytes: No space left"));
  EXPECT_THAT(sentence, HasSubstr("more space is needed"));
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(OutputFile, AFullDeviceToo) {
  OutputFile out("/dev/full");
  EXPECT_THAT(sentence_of([&] {
                out.write("x");
                out.commit();
              }),
              HasSubstr("No space left"));
}

// Fails each operation once, each in a run of its own.
TEST(OutputFile, WhateverFailsNothingIsHalfWritten) {
  using Fault = FaultyFileSystem::Fault;
  for (const std::string name : {"out", "out.gz", "out.zst"}) {
    for (const Fault fault : {Fault::kError, Fault::kInterrupt, Fault::kShort}) {
      bool fired = true;
      int errors = 0;
      for (int n = 1; fired; ++n) {
        const TestFolder folder;
        const std::string path = folder.write(name, "old");
        FaultyFileSystem faulty(n, fault, n % 2 ? EIO : ENOSPC);
        bool failed = false;
        std::size_t kept = 0;
        {
          ScopedFileSystem scope(faulty);
          try {
            OutputFile out(path);
            for (int i = 0; i < 20; ++i) out.write(std::string(10'000, static_cast<char>('a' + i)));
            out.commit();
          } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::kStorageFailed);
            EXPECT_THAT(error.what(), HasSubstr(path));
            failed = true;
            kept += std::string_view(error.what()).find("output is in") != std::string_view::npos;
            ++errors;
          }
        }
        fired = faulty.fired();
        const std::string bytes = read_file(path);
        // An error means that the file of this name is unchanged.
        EXPECT_EQ(failed, bytes == "old") << faulty.fired_in();
        if (!failed) {
          const auto stream = stream_unpacked(stream_memory(bytes), compression_by_name(name));
          std::string unpacked(200'001, '\0');
          EXPECT_EQ(read_fully(*stream, unpacked.data(), unpacked.size()), 200'000u)
              << faulty.fired_in();
        }
        EXPECT_TRUE(fault == Fault::kError || !failed) << faulty.fired_in();
        EXPECT_EQ(folder.names().size(), 1 + kept) << faulty.fired_in();
        EXPECT_TRUE(kept == 0 || faulty.fired_in() == "rename") << faulty.fired_in();
      }
      EXPECT_EQ(errors > 5, fault == Fault::kError);
    }
  }
}

// Bytes are missing after any exception of write(), and the old file is better than a part.
TEST(OutputFile, IsNotCommittedAfterItWasInterrupted) {
  const TestFolder folder;
  const std::string path = folder.write("out", "old");
  std::atomic<bool> stop = false;
  OutputFile out(path, 0, &stop);
  const std::string piece(std::size_t{12} << 20, 'x');
  out.write(piece);
  stop = true;
  try {
    out.write(piece);
    GTEST_SKIP() << "this file system writes through the page cache";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
  }
  stop = false;
  EXPECT_THROW(out.write("more"), Error);
  EXPECT_THROW(out.commit(), Error);
  EXPECT_EQ(read_file(path), "old");
}

TEST(OutputFile, HasNoNameWithAZero) {
  const TestFolder folder;
  const std::string path = folder.write("out", "old") + std::string("\0.new", 5);
  EXPECT_THROW(OutputFile{path}, Error);
  EXPECT_THROW(OutputFile::check_place(path), Error);
  EXPECT_EQ(read_file(folder / "out"), "old");
}

}  // namespace
}  // namespace benzer
