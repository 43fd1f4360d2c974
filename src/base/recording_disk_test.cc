// Checks that the disk loses what was not synced; otherwise tests that rely on it show nothing.
#include "base/recording_disk.h"

#include <set>

#include <gtest/gtest.h>

#include "io/io_test_util.h"

namespace benzer {
namespace {

FileHandle created(const std::string& path) {
  FileHandle file;
  EXPECT_EQ(open_file(path, O_RDWR | O_CREAT | O_APPEND, 0644, file), 0);
  return file;
}

void sync_folder(const std::string& path) {
  FileHandle folder;
  EXPECT_EQ(open_file(path, O_RDONLY | O_DIRECTORY, 0, folder), 0);
  EXPECT_EQ(file_system().fsync(folder.get()), 0);
}

// All contents that a file may have after a loss of power; "-" means that there is no file.
std::set<std::string> outcomes(const RecordingDisk& disk, const std::string& name) {
  std::set<std::string> out;
  TestRandom random(1);
  for (int i = 0; i < 250; ++i) {
    const TestFolder after;
    disk.lose_power(disk.now(), after.path(), random);
    out.insert(std::filesystem::exists(after / name) ? read_file(after / name) : "-");
  }
  return out;
}

TEST(RecordingDisk, ForgetsWhatWasNotSynced) {
  const TestFolder folder;
  RecordingDisk disk(folder.path());
  const ScopedFileSystem scope(disk);
  const FileHandle file = created(folder / "a");
  EXPECT_EQ(write_fully(file.get(), "12", 2), 0);
  EXPECT_EQ(outcomes(disk, "a"), (std::set<std::string>{"-", "", "1", "12", {"\0\0", 2}}));
  disk.fsync(file.get());
  EXPECT_EQ(outcomes(disk, "a"), (std::set<std::string>{"-", "12"}));
  sync_folder(folder.path());
  EXPECT_EQ(outcomes(disk, "a"), (std::set<std::string>{"12"}));
  EXPECT_EQ(write_fully(file.get(), "3", 1), 0);
  EXPECT_EQ(write_fully(file.get(), "4", 1), 0);
  EXPECT_EQ(outcomes(disk, "a"),
            (std::set<std::string>{
                "12", "123", {"12\0", 3}, "1234", {"12\0004", 4}, {"123\0", 4}, {"12\0\0", 4}}));
}

TEST(RecordingDisk, AFailedSyncIsNotMadeGoodByTheNext) {
  const TestFolder folder;
  RecordingDisk disk(folder.path());
  const ScopedFileSystem scope(disk);
  const FileHandle file = created(folder / "a");
  sync_folder(folder.path());
  EXPECT_EQ(write_fully(file.get(), "1", 1), 0);
  disk.fail_next_sync("a");
  EXPECT_EQ(disk.fsync(file.get()), -1);
  EXPECT_EQ(disk.fsync(file.get()), 0);
  EXPECT_TRUE(outcomes(disk, "a").contains(""));
  EXPECT_EQ(pwrite_fully(file.get(), "1", 1, 0), 0);
  EXPECT_EQ(disk.fsync(file.get()), 0);
  EXPECT_EQ(outcomes(disk, "a"), (std::set<std::string>{"1"}));
}

TEST(RecordingDisk, NamesAreTheFoldersToSync) {
  const TestFolder folder;
  folder.write("a", "old");
  folder.write("b", "removed");
  RecordingDisk disk(folder.path());
  const ScopedFileSystem scope(disk);
  {
    const FileHandle file = created(folder / "a.tmp");
    EXPECT_EQ(write_fully(file.get(), "new", 3), 0);
    EXPECT_EQ(disk.fsync(file.get()), 0);
  }
  EXPECT_EQ(disk.rename((folder / "a.tmp").c_str(), (folder / "a").c_str()), 0);
  EXPECT_EQ(disk.unlink((folder / "b").c_str()), 0);
  EXPECT_EQ(outcomes(disk, "a"), (std::set<std::string>{"old", "new"}));
  EXPECT_EQ(outcomes(disk, "b"), (std::set<std::string>{"-", "removed"}));
  sync_folder(folder.path());
  EXPECT_EQ(outcomes(disk, "a"), (std::set<std::string>{"new"}));
  EXPECT_EQ(outcomes(disk, "b"), (std::set<std::string>{"-"}));
}

TEST(RecordingDisk, AKilledProcessChangesNothingMore) {
  const TestFolder folder;
  RecordingDisk disk(folder.path());
  const ScopedFileSystem scope(disk);
  const FileHandle file = created(folder / "a");
  disk.kill_after(1);
  EXPECT_EQ(write_fully(file.get(), "1", 1), 0);
  EXPECT_TRUE(disk.was_killed());
  EXPECT_EQ(write_fully(file.get(), "2", 1), EIO);
  EXPECT_EQ(disk.unlink((folder / "a").c_str()), -1);
  disk.revive();
  EXPECT_EQ(write_fully(file.get(), "3", 1), 0);
  EXPECT_EQ(read_file(folder / "a"), "13");
}

}  // namespace
}  // namespace benzer
