#include "io/input_list.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "io/io_test_util.h"

namespace benzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kNotUtf8[] = ": the path is not valid UTF-8";

bool is_interrupted(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.code() == ErrorCode::kInterrupted;
  }
  return false;
}

// With invalid UTF-8 replaced they would all have the same id.
TEST(InputList, TextsWhoseNameIsNotUtf8AreSkipped) {
  const TestFolder folder;
  folder.write("f/a", "A");
  folder.write("f/b\xFF", "B");
  folder.write("f/b\xFE", "B");
  folder.write("f/\xC3\xA9", "E");
  Scanned scanned(inputs({folder / "f"}));
  EXPECT_THAT(scanned.texts(), ElementsAre("A", "E"));
  ASSERT_THAT(scanned.sentences, ElementsAre(HasSubstr(kNotUtf8), HasSubstr(kNotUtf8)));
  EXPECT_THAT(scanned.sentences[0], HasSubstr("f/b\\xFE: "));
  EXPECT_EQ(scanned.body->counts.skipped, 2u);
  EXPECT_EQ(Scanned(inputs({folder / "f/a", folder / "f/b\xFF"})).body->counts.skipped, 1u);
  InputOptions strict = inputs({folder / "f"});
  strict.strict = true;
  EXPECT_THAT([&] { Scanned scanned_strictly(strict); },
              testing::ThrowsMessage<Error>(testing::EndsWith("the same as other such paths")));
}

TEST(InputList, TheOnlyFileOfARunMayHaveAnyName) {
  const TestFolder folder;
  Scanned scanned(inputs({folder.write("b\xFF", "B")}));
  EXPECT_THAT(scanned.texts(), ElementsAre("B"));
  EXPECT_THAT(scanned.sentences, IsEmpty());
}

// An index has other documents, too.
TEST(InputList, AFileThatAnIndexTakesMustHaveANameOfUtf8) {
  const TestFolder folder;
  InputOptions options = inputs({folder.write("b\xFF", "B")});
  options.fields = {{.name = "text"}};
  Scanned scanned(options);
  EXPECT_THAT(scanned.sentences, ElementsAre(HasSubstr(kNotUtf8)));
  EXPECT_EQ(scanned.body->counts.skipped, 1u);
  options.needs_id = false;  // a question
  EXPECT_THAT(Scanned(options).sentences, IsEmpty());
}

TEST(InputList, FilesOfLinesMayHaveAnyName) {
  const TestFolder folder;
  Scanned scanned(inputs({folder.write("a\xFF.jsonl", "{\"text\":\"A\"}\n"),
                          folder.write("a\xFE.jsonl", "{\"text\":\"B\"}\n")}));
  EXPECT_THAT(scanned.texts(), ElementsAre("A", "B"));
  EXPECT_THAT(scanned.sentences, IsEmpty());
}

TEST(Stop, EndsTheListing) {
  const TestFolder folder;
  const std::string file = folder.write("f/a", "A");
  const std::atomic<bool> stop = true;
  EXPECT_TRUE(is_interrupted([&] { walk_folder(folder / "f", 0, &stop); }));
  for (const std::string& input : {folder / "f", file}) {
    InputOptions options = inputs({input});
    options.stop = &stop;
    EXPECT_TRUE(is_interrupted([&] { list_inputs(options); })) << input;
  }
}

// Raises the flag when the folder `name` is opened.
class Raising : public FileSystem {
 public:
  Raising(std::string name, std::atomic<bool>& stop) : name_(std::move(name)), stop_(stop) {}
  DIR* opendir(const char* path) override {
    ++opened;
    if (std::string_view(path).ends_with(name_)) stop_ = true;
    return FileSystem::opendir(path);
  }
  int opened = 0;

 private:
  std::string name_;
  std::atomic<bool>& stop_;
};

TEST(Stop, EndsAWalkWithinTheFolderItIsIn) {
  const TestFolder folder;
  folder.write("f/g/h/a", "A");
  std::atomic<bool> stop = false;
  Raising raising("/f/g", stop);
  ScopedFileSystem scope(raising);
  EXPECT_TRUE(is_interrupted([&] { walk_folder(folder / "f", 0, &stop); }));
  EXPECT_EQ(raising.opened, 2);
}

TEST(Stop, EndsTheScanOfTexts) {
  const TestFolder folder;
  folder.write("f/a", "A");
  folder.write("f/b", "B");
  std::atomic<bool> stop = false;
  InputOptions options = inputs({folder / "f"});
  options.stop = &stop;
  const auto body = make_text_corpus(options, list_inputs(options), {});
  stop = true;
  RememberingVisitor visitor;
  EXPECT_TRUE(is_interrupted([&] { body->scan(visitor, 1); }));
  EXPECT_THAT(visitor.documents, IsEmpty());
}

// Also when everything was removed and no progress is reported.
TEST(Stop, EndsTheWriting) {
  const TestFolder folder;
  std::string lines;
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    lines += "{\"text\":\"A\"}\n";
    folder.write("f/" + std::to_string(i), "A");
    all.push_back(i);
  }
  for (const std::string& input : {folder.write("a.jsonl", lines), folder / "f"}) {
    std::atomic<bool> stop = false;
    InputOptions options = inputs({input});
    options.stop = &stop;
    const Scanned scanned(options);
    EXPECT_EQ(scanned.write(folder, all).kept, "");
    stop = true;
    EXPECT_TRUE(is_interrupted([&] { scanned.write(folder, all); })) << input;
    EXPECT_TRUE(is_interrupted([&] { scanned.write(folder); })) << input;
  }
}

}  // namespace
}  // namespace benzer
