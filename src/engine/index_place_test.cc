// Tests indexes whose process changes its working directory, whose folder is moved, and whose
// process is forked.
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benzer/error.h"
#include "benzer/index.h"

#include "base/error_test_util.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

namespace fs = std::filesystem;

// Returns to the working directory when a test ends.
class WorkingFolder {
 public:
  WorkingFolder() : before_(fs::current_path()) {}
  ~WorkingFolder() { fs::current_path(before_); }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

 private:
  fs::path before_;
};

const OpenOptions& making() {
  static const OpenOptions options = [] {
    OpenOptions out;
    out.create_with = Schema();
    return out;
  }();
  return options;
}

void put(Index& index, const std::string& prefix, int count) {
  std::vector<Document> documents;
  for (int i = 0; i < count; ++i) {
    const std::string id = prefix + std::to_string(i);
    documents.push_back({id, {Field::of_text("text", "some words and the number " + id)}});
  }
  index.index_documents(documents);
}

void decide(Index& index, const std::string& member) {
  Decision decision;
  decision.members = {member};
  decision.keeper = member;
  index.put_decision(decision);
}

std::map<std::string, std::string> files_of(const std::string& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::directory_iterator(folder))
    out[entry.path().filename().string()] = read_file(entry.path().string());
  return out;
}

TEST(IndexPlace, ARelativePathMeansTheSameAfterChdir) {
  const WorkingFolder before;
  const TestFolder folder;
  fs::create_directory(folder / "a");
  fs::create_directory(folder / "b");
  {
    // What a process leaves that was killed: its documents are in the log.
    Index other = Index::open(folder / "other", making());
    put(other, "b", 50);
    fs::copy(folder / "other", folder / "b/idx");
  }
  const auto untouched = files_of(folder / "b/idx");
  fs::current_path(folder / "a");
  {
    Index index = Index::open("idx", making());
    put(index, "a", 5);
    fs::current_path(folder / "b");
    index.snapshot("copy");
    put(index, "later", 5);
    decide(index, "a1");
    index.compact();
    index.close();
    fs::current_path(folder / "a");
    EXPECT_TRUE(error_sentence(ErrorCode::kBusy, [] { Index::open("idx"); }).starts_with("idx: "));
  }
  EXPECT_EQ(files_of(folder / "b/idx"), untouched);
  EXPECT_EQ(Index::open(folder / "b/idx").size(), 50U);
  EXPECT_EQ(Index::open(folder / "b/copy").size(), 5U);
  const Index again = Index::open(folder / "a/idx");
  EXPECT_EQ(again.size(), 10U);
  EXPECT_EQ(again.decisions().size(), 1U);
}

TEST(IndexPlace, DamageIsToldByTheGivenPath) {
  const WorkingFolder before;
  const TestFolder folder;
  fs::current_path(folder.path());
  {
    Index index = Index::open("idx", making());
    put(index, "a", 5);
    index.close();
  }
  fs::resize_file("idx/MANIFEST", 20);
  EXPECT_TRUE(error_sentence(ErrorCode::kCorrupt, [] {
                Index::open("idx");
              }).starts_with("idx/MANIFEST: "));
  const RepairReport report = repair_index("idx");
  EXPECT_EQ(report.documents, 5U);
  EXPECT_EQ(report.damaged, "idx/damaged");
  ASSERT_FALSE(report.files.empty());
  EXPECT_EQ(report.files[0].name, "MANIFEST");
  EXPECT_EQ(report.files[0].problem.find("idx"), std::string::npos) << report.files[0].problem;
}

TEST(IndexPlace, AnotherFolderInItsPlaceIsLeftAlone) {
  const TestFolder folder;
  const std::string path = folder / "news", moved = folder / "moved";
  const auto refused = [](const std::function<void()>& action) {
    const std::string sentence = error_sentence(ErrorCode::kStorageFailed, action);
    EXPECT_NE(sentence.find("was moved, removed or replaced"), std::string::npos) << sentence;
  };
  {
    Index index = Index::open(path, making());
    put(index, "old", 30);
    index.close();
    put(index, "new", 10);  // in the log
    index.snapshot(folder / "copy");
    fs::rename(path, moved);
    fs::copy(folder / "copy", path);
    const auto untouched = files_of(path);

    put(index, "later", 10);  // the log is open
    refused([&] { index.compact(); });
    refused([&] { index.bulk_load(); });
    refused([&] { index.snapshot(folder / "second"); });
    refused([&] { decide(index, "old1"); });
    index.close();
    EXPECT_EQ(files_of(path), untouched);
    EXPECT_FALSE(fs::exists(folder / "second/BENZER"));

    fs::remove_all(path);
    refused([&] { index.compact(); });
    fs::copy(folder / "copy", path);
  }
  EXPECT_EQ(Index::open(path).size(), 40U);
  EXPECT_EQ(Index::open(moved).size(), 50U);
}

// A merge or a load that was begun before the folder was replaced.
TEST(IndexPlace, WorkInProgressIsGivenUp) {
  const TestFolder folder;
  const std::string path = folder / "news", moved = folder / "moved";
  {
    Index index = Index::open(path, making());
    put(index, "old", 30);
    index.close();
    BulkLoad load = index.bulk_load();
    load.add({{"loaded", {Field::of_text("text", "some words of a document that is loaded")}}});
    fs::rename(path, moved);
    fs::create_directory(path);
    Index::open(folder / "other", making()).close();
    fs::copy(folder / "other", path, fs::copy_options::recursive);
    // As many files of all kinds as the load might take for its own.
    for (int i = 2; i < 20; ++i)
      for (const std::string kind : {"segment", "removed"})
        std::ofstream(fmt::format("{}/{}-{:06}", path, kind, i)) << "of another index";
    const auto untouched = files_of(path);
    EXPECT_THROW(load.finish(), Error);
    EXPECT_EQ(files_of(path), untouched);
  }
  EXPECT_EQ(Index::open(moved).size(), 30U);
}

TEST(IndexPlace, AForkedProcessKeepsNoLock) {
  const TestFolder folder;
  const std::string path = folder / "news";
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  pid_t child = 0;
  {
    Index index = Index::open(path, making());
    put(index, "a", 5);
    child = ::fork();
    if (child == 0) {
      char byte = 0;
      ::close(ends[1]);
      ::_exit(::read(ends[0], &byte, 1) == 0 ? 0 : 1);  // until the parent has closed its end
    }
    EXPECT_NE(error_sentence(ErrorCode::kBusy, [&] { Index::open(path); })
                  .find(fmt::format("process {}, or one forked from it, writes to this index",
                                    ::getpid())),
              std::string::npos);
  }
  EXPECT_EQ(Index::open(path).size(), 5U);
  ::close(ends[1]);
  ::close(ends[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace benzer
