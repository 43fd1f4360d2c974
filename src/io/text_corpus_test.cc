#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benzer/error.h"
#include "benzer/input.h"

#include "base/error_test_util.h"
#include "base/few_open_files.h"
#include "base/image_file.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ErrorCode code_of(const InputOptions& options, std::string* sentence = nullptr) {
  const Error error = error_of([&] { FileCorpus corpus(options); });
  if (sentence) *sentence = error.what();
  return error.code();
}

TEST(TextCorpus, AFolderInByteOrderOfThePaths) {
  const TestFolder folder;
  folder.write("letters/b.txt", "B");
  folder.write("letters/a/2", "A2");
  folder.write("letters/a-1", "A-1");  // '-' sorts before '/'
  folder.write("letters/a/1.txt.gz", packed("A1", Compression::kGzip));
  folder.write("letters/z.zst", packed("Z", Compression::kZstd));
  folder.write("letters/empty", "");
  const std::string root = folder / "letters";
  for (const int threads : {1, 4}) {
    InputTuning tuning;
    tuning.batch_files = 2;
    Scanned scanned(inputs({root}), tuning, threads);
    EXPECT_THAT(scanned.texts(), ElementsAre("A-1", "A1", "A2", "B", "", "Z"));
    EXPECT_EQ(scanned.body->label(0).id_json, "\"" + root + "/a-1\"");
    EXPECT_EQ(scanned.body->label(0).source, root + "/a-1");
    EXPECT_EQ(scanned.body->label(0).line, 0u);
    EXPECT_EQ(scanned.body->counts.bytes, 9u);
    EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
    EXPECT_EQ(scanned.scan_again(2), scanned.visitor.documents);
    EXPECT_EQ(scanned.write(folder, {0, 2, 3, 5}).kept, root + "/a/1.txt.gz\n" + root + "/empty\n");
    EXPECT_THAT(scanned.sentences, IsEmpty());
  }
}

TEST(TextCorpus, CountsLeaveReferencesOut) {
  const TestFolder folder;
  folder.write("new/a", "two!");
  folder.write("seen/b", "reference");
  InputOptions options = inputs({folder / "new"});
  options.references = {folder / "seen"};
  const Scanned scanned(options);
  EXPECT_EQ(scanned.body->size(), 2u);
  EXPECT_EQ(scanned.body->counts.bytes, 4u);
}

// The decoder says that it is too large, and the file is kept, as one that is damaged.
TEST(TextCorpus, ALargeImageIsADocument) {
  const TestFolder folder;
  folder.write("f/image", "P5");
  folder.write("f/too large", "P5");
  std::filesystem::resize_file(folder / "f/image", 70 << 20);
  std::filesystem::resize_file(folder / "f/too large", kMostImageFileBytes + 7);
  InputOptions options = inputs({folder / "f"});
  options.images = true;
  options.max_line_bytes = 100;
  struct Sizes : DocumentVisitor {
    struct Sized : Block {
      void add(const DocumentView& view) override { all.push_back({view.text.size(), view.bytes}); }
      std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    };
    std::unique_ptr<Block> start_block() override { return std::make_unique<Sized>(); }
    void finish_block(std::unique_ptr<Block> block) override {
      for (const auto& one : static_cast<Sized&>(*block).all) all.push_back(one);
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  } first, second;
  FileCorpus corpus(options);
  corpus.scan(first, 1);
  EXPECT_THAT(first.all,
              ElementsAre(testing::Pair(70 << 20, 70 << 20),
                          testing::Pair(kMostImageFileBytes + 1, kMostImageFileBytes + 7)));
  EXPECT_EQ(corpus.counts().skipped, 0u);
  corpus.scan_again(second, 1);
  EXPECT_EQ(second.all, first.all);
}

TEST(TextCorpus, LinksPipesAndStrangeNamesAreTold) {
  const TestFolder folder;
  folder.write("f/a", "A");
  folder.write("f/two\nlines", "B");
  ASSERT_EQ(::symlink("a", (folder / "f/link").c_str()), 0);
  ASSERT_EQ(::mkfifo((folder / "f/pipe").c_str(), 0600), 0);
  Scanned scanned(inputs({folder / "f"}));
  EXPECT_THAT(scanned.texts(), ElementsAre("A"));
  ASSERT_EQ(scanned.sentences.size(), 3u);
  EXPECT_EQ(scanned.sentences[0], folder / "f: symbolic links in this folder were not read: 1");
  EXPECT_EQ(scanned.sentences[1],
            folder / "f: pipes, sockets and devices in this folder were not read: 1");
  EXPECT_THAT(scanned.sentences[2], HasSubstr("two\\nlines\": the path holds a line end"));
  EXPECT_EQ(scanned.body->counts.skipped, 1u);
}

TEST(TextCorpus, DamagedAndLongFilesAreSkippedWhole) {
  const TestFolder folder;
  folder.write("f/a.gz", packed("text", Compression::kGzip).substr(0, 12));
  folder.write("f/b", "123456");
  folder.write("f/c", "12345");
  folder.write("f/d.zst", "plain");
  InputOptions options = inputs({folder / "f"});
  options.max_line_bytes = 5;
  Scanned scanned(options);
  EXPECT_THAT(scanned.texts(), ElementsAre("12345"));
  EXPECT_THAT(
      scanned.sentences,
      ElementsAre(folder / "f/a.gz: zlib says at byte 12 of the file: unexpected end of the file; "
                           "the file was skipped",
                  folder / "f/b: the text has more than 5 bytes, which is what is allowed "
                           "(max_line); the file was skipped",
                  folder / "f/d.zst: the content is not zstd as the name promises, it begins with "
                           "the bytes 70 6c 61 69; the file was skipped"));
  EXPECT_EQ(scanned.body->counts.skipped, 3u);
  options.strict = true;
  EXPECT_THAT([&] { Scanned scanned_strictly(options); },
              testing::ThrowsMessage<Error>(testing::EndsWith("unexpected end of the file")));
}

TEST(TextCorpus, FormatsAreToldApart) {
  const TestFolder folder;
  const std::string json = folder.write("a.jsonl", "{\"text\":\"j\"}\n");
  const std::string brace = folder.write("brace", " \n\xEF\xBB\xBF{");
  const std::string lines = folder.write("lines.log", "\n  {\"text\":\"l\"}\n");
  const std::string text = folder.write("a.txt", "hello");
  const std::string blank = folder.write("blank.txt", "  \n");
  const std::string packed_lines =
      folder.write("l.gz", packed("{\"text\":\"p\"}", Compression::kGzip));

  EXPECT_EQ(FileCorpus(inputs({lines})).format(), InputFormat::kJsonLines);
  EXPECT_EQ(FileCorpus(inputs({packed_lines})).format(), InputFormat::kJsonLines);
  EXPECT_EQ(FileCorpus(inputs({text})).format(), InputFormat::kText);
  EXPECT_EQ(FileCorpus(inputs({brace})).format(), InputFormat::kText);
  EXPECT_EQ(FileCorpus(inputs({blank})).format(), InputFormat::kText);
  EXPECT_EQ(FileCorpus(inputs({json, blank})).format(), InputFormat::kJsonLines);
  EXPECT_EQ(FileCorpus(inputs({text, blank})).format(), InputFormat::kText);
  EXPECT_EQ(FileCorpus(inputs({"-"})).format(), InputFormat::kJsonLines);
  EXPECT_EQ(FileCorpus(inputs({"/dev/null"})).format(), InputFormat::kJsonLines);

  const std::string csv = folder.write("a.csv", "text\nc\n");
  const std::string tsv = folder.write("a.tsv.gz", packed("text\tid\nt\t1\n", Compression::kGzip));
  EXPECT_EQ(FileCorpus(inputs({csv, blank})).format(), InputFormat::kCsv);
  EXPECT_EQ(FileCorpus(inputs({tsv})).format(), InputFormat::kTsv);

  std::string sentence;
  EXPECT_EQ(code_of(inputs({json, text}), &sentence), ErrorCode::kInvalidArgument);
  EXPECT_THAT(sentence, HasSubstr(json + " holds JSON lines and " + text + " text"));
  EXPECT_EQ(code_of(inputs({tsv, csv}), &sentence), ErrorCode::kInvalidArgument);
  EXPECT_THAT(sentence, HasSubstr(csv + " holds CSV and " + tsv + " TSV"));
  EXPECT_EQ(code_of(inputs({csv, json}), &sentence), ErrorCode::kInvalidArgument);
  EXPECT_THAT(sentence, HasSubstr(json + " holds JSON lines and " + csv + " CSV"));
  InputOptions sets = inputs({csv});
  sets.values_field = "text";
  EXPECT_EQ(code_of(sets, &sentence), ErrorCode::kInvalidArgument);
  EXPECT_THAT(sentence, HasSubstr(csv + " holds CSV, which has no arrays for values"));

  InputOptions as_text = inputs({json, text});
  as_text.format = InputFormat::kText;
  Scanned scanned(as_text);
  EXPECT_THAT(scanned.texts(), ElementsAre("{\"text\":\"j\"}\n", "hello"));

  // A folder is read as JSON lines if that format is given.
  folder.write("shards/1", "{\"text\":\"s1\"}");
  folder.write("shards/0", "{\"text\":\"s0\"}");
  InputOptions shards = inputs({folder / "shards"});
  shards.format = InputFormat::kJsonLines;
  EXPECT_THAT(Scanned(shards).texts(), ElementsAre("s0", "s1"));
}

TEST(TextCorpus, InputsThatCannotBe) {
  const TestFolder folder;
  const std::string a = folder.write("f/a", "A");
  std::string sentence;
  EXPECT_EQ(code_of(inputs({}), &sentence), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(inputs({folder / "none"}), &sentence), ErrorCode::kNotFound);
  EXPECT_EQ(sentence, folder / "none: there is no such file or folder");
  EXPECT_EQ(code_of(inputs({a, folder / "f/../f/a"}), &sentence), ErrorCode::kInvalidArgument);
  EXPECT_THAT(sentence, HasSubstr("this input is read twice"));
  EXPECT_EQ(code_of(inputs({folder / "f", a})), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(inputs({a, folder / "f"})), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(inputs({folder.path(), folder / "f"})), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(inputs({"-", "-"})), ErrorCode::kInvalidArgument);
  InputOptions options = inputs({a});
  options.max_line_bytes = kLargestMaxLine + 1;
  EXPECT_EQ(code_of(options), ErrorCode::kInvalidArgument);
  EXPECT_EQ(kLargestMaxLine, 1ull << 30);
  // Two names of one file inside a folder are two documents.
  ASSERT_EQ(::link(a.c_str(), (folder / "f/b").c_str()), 0);
  EXPECT_EQ(Scanned(inputs({folder / "f"})).body->size(), 2u);
}

TEST(TextCorpus, AnInputThatIsTheOutputIsSeen) {
  const TestFolder folder;
  const std::string a = folder.write("f/a", "A");
  const std::string other = folder.write("other", "x");
  ASSERT_EQ(::symlink(a.c_str(), (folder / "link").c_str()), 0);
  const FileCorpus corpus(inputs({folder / "f"}));
  EXPECT_TRUE(corpus.reads(a));
  EXPECT_TRUE(corpus.reads(folder / "f/../f//a"));
  EXPECT_TRUE(corpus.reads(folder / "link"));
  EXPECT_FALSE(corpus.reads(other));
  EXPECT_FALSE(corpus.reads(folder / "f/new"));
  EXPECT_FALSE(corpus.reads("/dev/null"));
  EXPECT_FALSE(corpus.reads("-"));
}

TEST(TextCorpus, StandardInputAsOneText) {
  const TestFolder folder;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(write_fully(ends[1], "hello", 5), 0);
  ::close(ends[1]);
  InputOptions options = inputs({"-", folder.write("a", "A")});
  options.format = InputFormat::kText;
  InputTuning tuning;
  tuning.standard_input = ends[0];
  Scanned scanned(options, tuning);
  ::close(ends[0]);
  EXPECT_THAT(scanned.texts(), ElementsAre("hello", "A"));
  EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
  EXPECT_EQ(scanned.scan_again(2), scanned.visitor.documents);
}

TEST(TextCorpus, AFileThatChangesMeanwhileIsNoticed) {
  const TestFolder folder;
  folder.write("f/a", "A");
  Scanned scanned(inputs({folder / "f"}));
  folder.write("f/a", "AB");
  EXPECT_THROW(scanned.reread(), Error);
}

// Only documents in candidate pairs are read again, so other changes are found before the writing.
TEST(TextCorpus, AFileThatChangedBeforeTheWritingIsNoticed) {
  const auto rewrite = [](const TestFolder& folder) { folder.write("f/a", "AB"); };
  const auto replace = [](const TestFolder& folder) {
    folder.write("new", "C");
    std::filesystem::rename(folder / "new", folder / "f/a");
  };
  const auto remove = [](const TestFolder& folder) { std::filesystem::remove(folder / "f/a"); };
  for (const std::function<void(const TestFolder&)>& change :
       {std::function<void(const TestFolder&)>(rewrite), {replace}, {remove}}) {
    const TestFolder folder;
    folder.write("f/a", "A");
    folder.write("f/b", "B");
    Scanned scanned(inputs({folder / "f"}));
    EXPECT_EQ(scanned.write(folder, {0}).kept, folder / "f/b\n");
    change(folder);
    for (const std::vector<std::uint32_t>& removed : {std::vector<std::uint32_t>{}, {0}, {1}}) {
      try {
        scanned.write(folder, removed);
        ADD_FAILURE() << "no error";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kBadInput);
        EXPECT_THAT(error.what(), HasSubstr("f/a: the file changed while it was read"));
      }
    }
  }
}

// A text that cannot be opened because too many files are open is not skipped, and not taken for
// one that has changed.
TEST(TextCorpus, TooManyOpenFilesAreCalledSo) {
  const TestFolder folder;
  folder.write("f/a", "A");
  {  // A sanitizer has to open a file when it first checks a type.
    Scanned open(inputs({folder / "f"}));
    open.reread();
    Scanned one(inputs({folder / "f/a"}));
  }
  const auto refused = [](const auto& call) {
    const FewOpenFiles none(0);
    EXPECT_THAT(error_sentence(ErrorCode::kStorageFailed, call),
                HasSubstr("it cannot be opened: Too many open files"));
  };
  refused([&] { Scanned scanned(inputs({folder / "f"})); });
  refused([&] { Scanned scanned(inputs({folder / "f/a"})); });
  Scanned scanned(inputs({folder / "f"}));
  refused([&] { scanned.reread(); });
}

// Simulates the refusal, since root may read everything.
TEST(TextCorpus, WhatMayNotBeReadIsSkippedWithOneSentence) {
  class Refusing : public FileSystem {
   public:
    int open(const char* path, int flags, mode_t mode) override {
      if (!std::string_view(path).ends_with("secret")) return FileSystem::open(path, flags, mode);
      errno = EACCES;
      return -1;
    }
    DIR* opendir(const char* path) override {
      if (!std::string_view(path).ends_with("closed")) return FileSystem::opendir(path);
      errno = EACCES;
      return nullptr;
    }
  };
  const TestFolder folder;
  folder.write("f/a", "A");
  folder.write("f/closed/x", "X");
  folder.write("f/secret", "S");
  Refusing refusing;
  ScopedFileSystem scope(refusing);
  Scanned scanned(inputs({folder / "f"}));
  EXPECT_THAT(scanned.texts(), ElementsAre("A"));
  EXPECT_THAT(scanned.sentences,
              ElementsAre(folder / "f/closed: the folder cannot be read: Permission denied; it was "
                                   "skipped",
                          folder / "f/secret: the file cannot be opened: Permission denied; the "
                                   "file was skipped"));
  EXPECT_EQ(scanned.body->counts.skipped, 2u);

  InputOptions lines = inputs({folder / "f/secret"});
  lines.format = InputFormat::kJsonLines;
  EXPECT_THAT(Scanned(lines).sentences,
              ElementsAre(folder / "f/secret: the file cannot be opened: Permission denied; it was "
                                   "skipped"));
}

TEST(FileCorpus, ThePublicDoorWorks) {
  const TestFolder folder;
  const std::string path =
      folder.write("a.jsonl", "{\"id\":1,\"text\":\"x\"}\n{\"id\":1,\"text\":\"y\"}");
  FileCorpus corpus(inputs({path}));
  RememberingVisitor visitor;
  corpus.scan(visitor, 2);
  EXPECT_EQ(corpus.size(), 2u);
  EXPECT_EQ(corpus.counts().duplicate_ids, 1u);
  EXPECT_TRUE(corpus.reads(path));
  OutputFile out(folder / "out.gz");
  std::uint64_t written = 0;
  corpus.write_kept({}, out, nullptr, [&](std::uint64_t count) { written = count; });
  out.commit();
  EXPECT_EQ(written, 2u);
}

TEST(MemoryCorpus, GivesBackWhatItHolds) {
  MemoryCorpus corpus;
  corpus.add_text("a\"", "one");
  corpus.add_values("v", {"x", "yz"});
  for (int i = 0; i < 1000; ++i) corpus.add_text("", "text " + std::to_string(i));
  RememberingVisitor visitor;
  corpus.scan(visitor, 3);
  ASSERT_EQ(visitor.documents.size(), corpus.size());
  EXPECT_EQ(visitor.documents[0].text, "one");
  EXPECT_EQ(visitor.documents[0].bytes, 3u);
  EXPECT_THAT(visitor.documents[1].values, ElementsAre("x", "yz"));
  EXPECT_EQ(visitor.documents[1].bytes, 3u);
  EXPECT_EQ(visitor.documents[1001].text, "text 999");
  EXPECT_EQ(corpus.label(0).id_json, "\"a\\\"\"");
  EXPECT_EQ(seen(corpus.reader()->read(1)), visitor.documents[1]);
}

TEST(MemoryCorpus, NumberIsNameOnlyIfNoDocumentHasAnId) {
  MemoryCorpus corpus;
  corpus.add_text("", "one");
  corpus.end_references();
  corpus.add_text("2", "two");
  corpus.add_text("", "three");
  EXPECT_EQ(corpus.label(0).id_json, "0");
  EXPECT_EQ(corpus.label(1).id_json, "\"2\"");
  EXPECT_EQ(corpus.label(2).id_json, "null");
}

}  // namespace
}  // namespace benzer
