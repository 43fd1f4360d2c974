// Tests indexes whose process changes its working directory.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace benzer
