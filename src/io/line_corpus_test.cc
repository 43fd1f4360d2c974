#include <array>
#include <atomic>
#include <chrono>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include "benzer/error.h"
#include "benzer/input.h"
#include "benzer/internal/json.h"

#include "base/error_test_util.h"
#include "base/few_open_files.h"
#include "base/test_random.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kThreeLines =
    "{\"id\":\"a\",\"text\":\"one\"}\n{\"id\":7,\"text\":\"two\"}\n{\"text\":\"three\"}\n";

std::vector<std::string> ids_of(const Scanned& scanned) { return scanned.ids(); }

TEST(LineCorpus, LabelsAndTexts) {
  const TestFolder folder;
  const std::string path = folder.write("a.jsonl", kThreeLines);
  Scanned scanned(inputs({path}));
  EXPECT_THAT(scanned.texts(), ElementsAre("one", "two", "three"));
  EXPECT_THAT(ids_of(scanned), ElementsAre("\"a\"", "7", "null"));
  EXPECT_EQ(scanned.body->label(2).line, 3u);
  EXPECT_EQ(scanned.body->label(2).source, path);
  EXPECT_EQ(scanned.body->counts.bytes, kThreeLines.size());
  EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
  EXPECT_EQ(scanned.scan_again(2), scanned.visitor.documents);
  EXPECT_EQ(scanned.write(folder).kept, kThreeLines);
  EXPECT_EQ(scanned.write(folder, {1}).kept,
            "{\"id\":\"a\",\"text\":\"one\"}\n{\"text\":\"three\"}\n");
  EXPECT_THAT(scanned.sentences, IsEmpty());
}

TEST(LineCorpus, CountsLeaveReferencesOut) {
  const TestFolder folder;
  InputOptions options = inputs({folder.write("new.jsonl", kThreeLines)});
  options.references = {folder.write("seen.jsonl", R"({"text":"four","group":null,"n":null})")};
  options.group_field = "group";
  options.number_fields = {"n"};
  const Scanned scanned(options);
  EXPECT_EQ(scanned.body->size(), 4u);
  EXPECT_EQ(scanned.body->counts.bytes, kThreeLines.size());
  EXPECT_EQ(scanned.body->counts.without_group, 3u);
  EXPECT_EQ(scanned.body->counts.without_number, 3u);
}

TEST(LineCorpus, EveryCompressionAndSeveralFiles) {
  const TestFolder folder;
  const std::vector<std::string> paths = {
      folder.write("a.jsonl", kThreeLines),
      folder.write("b.jsonl.gz", packed(kThreeLines, Compression::kGzip)),
      folder.write("c.ndjson.zst", packed(kThreeLines, Compression::kZstd)),
      // Its compression is known by its content, whatever its name is.
      folder.write("d.jsonl", packed(kThreeLines, Compression::kGzip)),
      folder.write("empty.jsonl", ""), folder.write("e.json", kThreeLines)};
  for (const int threads : {1, 4}) {
    Scanned scanned(inputs(paths), {}, threads);
    EXPECT_EQ(scanned.body->size(), 15u);
    EXPECT_EQ(scanned.body->counts.duplicate_ids, 8u);
    EXPECT_THAT(scanned.sentences, IsEmpty());
    EXPECT_EQ(scanned.body->label(14).source, paths[5]);
    EXPECT_EQ(scanned.body->label(14).line, 3u);
    EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
    EXPECT_EQ(scanned.scan_again(2), scanned.visitor.documents);
    std::string all;
    for (int i = 0; i < 5; ++i) all += kThreeLines;
    EXPECT_EQ(scanned.write(folder).kept, all);
  }
}

TEST(LineCorpus, LineEndsAndMarks) {
  const TestFolder folder;
  const std::string mark = "\xEF\xBB\xBF";
  const std::string a =
      folder.write("a.jsonl", mark + "{\"text\":\"1\"}\r\n\r\n \n{\"text\":\"2\"}");
  const std::string b = folder.write("b.jsonl", mark);
  const std::string c = folder.write("c.jsonl", "\n\n{\"text\":\"3\"}");
  Scanned scanned(inputs({a, b, c}));
  EXPECT_THAT(scanned.texts(), ElementsAre("1", "2", "3"));
  EXPECT_THAT(scanned.sentences, IsEmpty());
  EXPECT_EQ(scanned.body->label(1).line, 4u);
  EXPECT_EQ(scanned.body->label(2).line, 3u);
  // Lines keep their ends and are never joined; byte order marks and blank lines are not documents.
  EXPECT_EQ(scanned.write(folder).kept, "{\"text\":\"1\"}\r\n{\"text\":\"2\"}\n{\"text\":\"3\"}");
  EXPECT_EQ(scanned.write(folder, {2}).kept, "{\"text\":\"1\"}\r\n{\"text\":\"2\"}");
  EXPECT_EQ(scanned.write(folder, {0, 1, 2}).kept, "");
}

TEST(LineCorpus, ProblemsAreSaidInOrderAndKeptForTheUser) {
  const TestFolder folder;
  const std::string a = folder.write(
      "a.jsonl", "{\"text\":\"1\"}\n{\"text\":17}\n\nrubbish\n{\"text\":\"2\"}\n{\"id\":3}");
  const std::string b = folder.write("b.jsonl", "[]\n{\"text\":\"3\"}");
  for_each_scan(inputs({a, b}), [&](Scanned& scanned) {
    EXPECT_THAT(
        scanned.sentences,
        ElementsAre(
            a + ":2: the field \"text\" is a number, it must be a string; the line was skipped",
            a + ":4: malformed JSON at byte 1: found 'r' where a value is allowed; the line was "
                "skipped",
            a + ":6: the field \"text\" is missing, it must be a string; the line was skipped",
            b + ":1: the line is an array, it must be a JSON object; the line was skipped"));
    EXPECT_EQ(scanned.body->counts.skipped, 4u);
    const auto written = scanned.write(folder, {1});
    EXPECT_EQ(written.kept, "{\"text\":\"1\"}\n{\"text\":\"3\"}");
    EXPECT_EQ(written.skipped, "{\"text\":17}\nrubbish\n{\"id\":3}\n[]\n");
  });
}

TEST(LineCorpus, StrictStopsAtTheFirstProblem) {
  const TestFolder folder;
  const std::string path = folder.write("a.jsonl", "{\"text\":\"1\"}\nx\n{}\n");
  InputOptions options = inputs({path});
  options.strict = true;
  try {
    Scanned scanned(options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    EXPECT_EQ(error.what(), path +
                                ":2: malformed JSON at byte 1: found 'x' where a value is "
                                "allowed");
  }
}

TEST(LineCorpus, DamagedFilesGiveWhatWasReadable) {
  const TestFolder folder;
  std::string lines;
  for (int i = 0; i < 12; ++i)
    lines +=
        "{\"id\":" + std::to_string(i * i * 7919) + ",\"text\":\"" + std::to_string(i) + "\"}\n";
  const std::string good = folder.write("good.jsonl", "{\"text\":\"after\"}\n");
  for (const Compression how : {Compression::kGzip, Compression::kZstd}) {
    const std::string whole = packed(lines, how);
    const std::string name = how == Compression::kGzip ? "cut.jsonl.gz" : "cut.jsonl.zst";
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const std::string path = folder.write(name, whole.substr(0, length));
      Scanned scanned(inputs({path, good}));
      ASSERT_EQ(scanned.sentences.size(), 1u) << length;
      EXPECT_THAT(scanned.sentences[0], HasSubstr(path + ":"));
      EXPECT_THAT(scanned.sentences[0], HasSubstr("says at byte " + std::to_string(length)));
      EXPECT_EQ(scanned.body->counts.skipped, 1u);
      EXPECT_EQ(scanned.texts().back(), "after");
      EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
      EXPECT_EQ(scanned.scan_again(2), scanned.visitor.documents);
      const auto written = scanned.write(folder);
      const std::string kept = written.kept.substr(0, written.kept.size() - 17);
      EXPECT_TRUE(lines.starts_with(kept + written.skipped)) << length;
      EXPECT_EQ(static_cast<std::size_t>(std::count(kept.begin(), kept.end(), '\n')),
                scanned.body->size() - 1);

      InputOptions strict = inputs({path});
      strict.strict = true;
      EXPECT_THROW(Scanned{strict}, Error);
    }
  }
}

TEST(LineCorpus, TheLongestLine) {
  const TestFolder folder;
  const std::string line = "{\"text\":\"" + std::string(89, 'x') + "\"}";
  ASSERT_EQ(line.size(), 100u);
  const std::string path = folder.write("a.jsonl", line + "\n{\"text\":\"b\"}\n" + line);
  for (const std::size_t block_bytes : {16u, 64u, 4000u}) {
    for (const std::uint64_t limit : {99u, 100u, 101u}) {
      InputTuning tuning;
      tuning.block_bytes = block_bytes;
      InputOptions options = inputs({path});
      options.max_line_bytes = limit;
      Scanned scanned(options, tuning);
      EXPECT_EQ(scanned.body->size(), limit < 100 ? 1u : 3u);
      if (limit >= 100) continue;
      EXPECT_THAT(scanned.sentences,
                  ElementsAre(path + ":1: the line has 100 bytes, at most 99 are allowed "
                                     "(max_line); the line was skipped",
                              path + ":3: the line has 100 bytes, at most 99 are allowed "
                                     "(max_line); the line was skipped"));
      EXPECT_EQ(scanned.write(folder).skipped, line + "\n" + line);
      EXPECT_EQ(scanned.body->label(0).line, 2u);
    }
  }
}

TEST(LineCorpus, StandardInputIsReadOnceAndServedTwice) {
  const TestFolder folder;
  for (const Compression how : {Compression::kNone, Compression::kGzip, Compression::kZstd}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::string lines;
    for (int i = 0; i < 20'000; ++i)
      lines += "{\"id\":" + std::to_string(i) + ",\"text\":\"t" + std::to_string(i) + "\"}\n";
    const std::string bytes = packed(lines, how);
    std::thread writer([&] {
      write_fully(ends[1], bytes.data(), bytes.size());
      ::close(ends[1]);
    });
    InputTuning tuning;
    tuning.standard_input = ends[0];
    Scanned scanned(inputs({"-"}), tuning, 2);
    writer.join();
    ::close(ends[0]);
    EXPECT_EQ(scanned.body->size(), 20'000u);
    EXPECT_EQ(scanned.body->label(1).source, "-");
    EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
    EXPECT_EQ(scanned.scan_again(2), scanned.visitor.documents);
    EXPECT_EQ(scanned.write(folder).kept, lines);
  }
}

TEST(LineCorpus, ValueSetsAndReplacedTexts) {
  const TestFolder folder;
  InputOptions options =
      inputs({folder.write("a.jsonl", "{\"v\":[\"a\",\"\xff\"]}\n{\"v\":[]}\n")});
  options.values_field = "v";
  Scanned scanned(options);
  ASSERT_EQ(scanned.visitor.documents.size(), 2u);
  EXPECT_THAT(scanned.visitor.documents[0].values, ElementsAre("a", "\xEF\xBF\xBD"));
  EXPECT_EQ(scanned.visitor.documents[0].bytes, 4u);
  EXPECT_TRUE(scanned.visitor.documents[0].replaced);
  EXPECT_FALSE(scanned.visitor.documents[1].replaced);
  EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
  EXPECT_EQ(scanned.scan_again(2), scanned.visitor.documents);
}

TEST(LineCorpus, AFileThatChangesMeanwhileIsNoticed) {
  const TestFolder folder;
  for (const std::string name : {"a.jsonl", "a.jsonl.gz"}) {
    const Compression how = compression_by_name(name);
    const std::string path = folder.write(name, packed(kThreeLines, how));
    Scanned scanned(inputs({path}));
    folder.write(name, packed(std::string(kThreeLines) + "{\"text\":\"new\"}\n", how));
    EXPECT_THROW(scanned.reread(), Error);
    EXPECT_THROW(scanned.scan_again(2), Error);
    try {
      scanned.write(folder);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      EXPECT_THAT(error.what(), HasSubstr("changed while it was read"));
    }
    std::filesystem::remove(path);
    EXPECT_THROW(scanned.reread(), Error);
    EXPECT_FALSE(std::filesystem::exists(folder / "kept.out"));
  }
}

// Each of many threads reads lines of every file.
TEST(LineCorpus, ManyThreadsAndFilesTakeFewOpenFiles) {
  const TestFolder folder;
  std::vector<std::string> paths;
  for (int i = 0; i < 100; ++i)
    paths.push_back(folder.write(fmt::format("{}.jsonl", i), std::string(kThreeLines)));
  Scanned scanned(inputs(paths));
  const FewOpenFiles few(40);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 48; ++t)
    threads.emplace_back([&] {
      const auto reader = scanned.body->reader();
      for (std::uint32_t i = 0; i < 300; ++i) {
        const std::uint32_t document = i * 7 % 300;
        const std::string_view expected[] = {"one", "two", "three"};
        wrong += reader->read(document).text != expected[document % 3];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// A file that cannot be opened because too many are open is not skipped, and not taken for one that
// has changed.
TEST(LineCorpus, TooManyOpenFilesAreCalledSo) {
  const TestFolder folder;
  const std::string path = folder.write("a.jsonl", std::string(kThreeLines));
  {  // A sanitizer has to open a file when it first checks a type.
    Scanned open(inputs({path}));
    open.reread();
    open.scan_again(2);
  }
  const auto refused = [](const auto& call) {
    const FewOpenFiles none(0);
    EXPECT_THAT(
        error_sentence(ErrorCode::kStorageFailed, call),
        HasSubstr("a.jsonl: it cannot be opened: Too many open files (this process may open "));
  };
  refused([&] { Scanned scanned(inputs({path})); });
  Scanned scanned(inputs({path}));
  refused([&] { scanned.reread(); });
  refused([&] { scanned.scan_again(2); });
}

TEST(LineCorpus, OnlyWhatWasNamedCanBeReadAgainFromPackedFiles) {
  const TestFolder folder;
  Scanned scanned(inputs({folder.write("a.jsonl.gz", packed(kThreeLines, Compression::kGzip))}));
  const std::vector<std::uint32_t> wanted = {0, 2};
  scanned.body->prepare(wanted);
  const auto reader = scanned.body->reader();
  EXPECT_EQ(reader->read(2).text, "three");
  EXPECT_EQ(reader->read(0).text, "one");
  EXPECT_THROW(reader->read(1), Error);
}

// Several packed files are unpacked at a time.
TEST(LineCorpus, PackedFilesAreReadAgainByManyThreads) {
  for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{64} << 20}) {
    const TestFolder folder;
    std::vector<std::string> paths;
    std::vector<std::string> texts;
    for (int file = 0; file < 9; ++file) {
      std::string lines;
      for (int i = 0; i < 400; ++i) {
        texts.push_back(fmt::format("{} of {} {}", i, file, std::string(i * file % 999, 'x')));
        lines += fmt::format("{{\"text\":\"{}\"}}\n", texts.back());
      }
      const Compression how = std::array{Compression::kNone, Compression::kGzip,
                                         Compression::kZstd}[static_cast<std::size_t>(file % 3)];
      paths.push_back(folder.write(fmt::format("{}.jsonl", file),
                                   how == Compression::kNone ? lines : packed(lines, how)));
    }
    InputOptions options = inputs(paths);
    options.memory_limit = limit;
    Scanned scanned(options, {}, 4);
    std::vector<std::uint32_t> some;
    for (std::uint32_t i = 0; i < scanned.body->size(); i += 1 + i % 5)
      if (i / 400 != 4) some.push_back(i);  // none of the fifth file
    scanned.body->prepare(some);
    const auto reader = scanned.body->reader();
    for (const std::uint32_t document : some)
      EXPECT_EQ(reader->read(document).text, texts[document]);
    // One that has changed is noticed, whichever thread reads it.
    folder.write("7.jsonl", packed("{}\n", Compression::kGzip));
    EXPECT_THAT(error_sentence(ErrorCode::kBadInput, [&] { scanned.body->prepare(some); }),
                HasSubstr("7.jsonl: the file changed while it was read"));
  }
}

// The first block of the first file waits for a document of the second one.
TEST(LineCorpus, PackedFilesAreReadSeveralAtATime) {
  class Waiting : public RememberingVisitor {
   public:
    struct Waits : Remembered {
      explicit Waits(std::latch& latch) : second(latch) {}
      void add(const DocumentView& document) override {
        Remembered::add(document);
        if (document.text == "of 1") second.count_down();
        for (int ms = 0; document.text == "of 0" && !second.try_wait() && ms < 10'000; ++ms)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      std::latch& second;
    };
    std::unique_ptr<Block> start_block() override { return std::make_unique<Waits>(second); }
    std::latch second{1};
  };
  for (const bool again : {false, true}) {
    const TestFolder folder;
    std::vector<std::string> texts, paths;
    for (const char* first : {"of 0", "of 1"}) {
      texts.emplace_back(first);
      for (int i = 0; i < 50; ++i) texts.push_back(std::to_string(i));
      std::string lines;
      for (std::size_t i = texts.size() - 51; i < texts.size(); ++i)
        lines += "{\"text\":\"" + texts[i] + "\"}\n";
      paths.push_back(
          folder.write(std::string(first) + ".jsonl", packed(lines, Compression::kGzip)));
    }
    const InputOptions options = inputs(paths);
    InputTuning tuning;
    tuning.block_bytes = 20;
    const auto body = make_corpus_body(options, list_inputs(options), tuning);
    if (again) {
      RememberingVisitor before;
      body->scan(before, 2);
    }
    Waiting visitor;
    again ? body->scan_again(visitor, 2) : body->scan(visitor, 2);
    EXPECT_TRUE(visitor.second.try_wait());
    EXPECT_EQ(visitor.texts(), texts);
  }
}

// Files of all kinds, some of them damaged, give the same documents, sentences and first error,
// however many are read at a time.
RC_GTEST_PROP(LineCorpus, FilesAtATimeDoNotShow, ()) {
  const TestFolder folder(fast_folder());
  std::vector<std::string> paths;
  const int files = *rc::gen::inRange(1, 8);
  for (int file = 0; file < files; ++file) {
    std::string lines;
    const int count = *rc::gen::inRange(0, 40);
    for (int i = 0; i < count; ++i)
      lines += *rc::gen::inRange(0, 30) == 0 ? "{}\n"
                                             : fmt::format("{{\"text\":\"{} of {} {}\"}}\n", i,
                                                           file, std::string(i % 9, 'x'));
    std::string bytes = packed(
        lines, *rc::gen::element(Compression::kNone, Compression::kGzip, Compression::kZstd));
    if (*rc::gen::inRange(0, 6) == 0) bytes.resize(bytes.size() - bytes.size() / 4);
    paths.push_back(folder.write(fmt::format("{}.jsonl", file), bytes));
  }
  // So that there is a document that has a text: without one the field would be misspelt.
  paths.push_back(folder.write("last.jsonl", "{\"text\":\"the last\"}\n"));
  InputOptions options = inputs(paths);
  options.memory_limit = *rc::gen::element<std::uint64_t>(0, 64u << 20);
  options.strict = *rc::gen::inRange(0, 4) == 0;
  InputTuning tuning;
  tuning.block_bytes = *rc::gen::inRange<std::size_t>(16, 300);
  const int threads = *rc::gen::inRange(2, 6);
  if (options.strict) {
    const auto sentence = [&](int scan_threads) -> std::string {
      try {
        Scanned scanned(options, tuning, scan_threads);
      } catch (const Error& error) {
        return error.what();
      }
      return {};
    };
    RC_ASSERT(sentence(threads) == sentence(1));
    return;
  }
  Scanned one(options, tuning, 1), many(options, tuning, threads);
  RC_ASSERT(many.visitor.documents == one.visitor.documents);
  RC_ASSERT(many.sentences == one.sentences);
  RC_ASSERT(many.ids() == one.ids());
  RC_ASSERT(many.body->counts.skipped == one.body->counts.skipped);
  RC_ASSERT(many.scan_again(threads) == one.visitor.documents);
}

// Raises the flag at the first read of a file, and counts the reads.
class RaisingReads : public FileSystem {
 public:
  explicit RaisingReads(std::atomic<bool>& stop) : stop_(stop) {}
  ssize_t pread(int fd, void* out, std::size_t size, std::uint64_t offset) override {
    ++reads;
    stop_ = true;
    return FileSystem::pread(fd, out, size, offset);
  }
  std::atomic<int> reads{0};

 private:
  std::atomic<bool>& stop_;
};

TEST(LineCorpus, StopsAlsoWhereNothingIsKept) {
  const TestFolder folder;
  const auto reads_after = [](std::atomic<bool>& stop, const auto& work) {
    RaisingReads raising(stop);
    const ScopedFileSystem scope(raising);
    EXPECT_EQ(error_of(work).code(), ErrorCode::kInterrupted);
    return raising.reads.load();
  };
  std::atomic<bool> stop{false};
  InputOptions options = inputs({folder.write("long.jsonl", std::string(8u << 20, 'x'))});
  options.max_line_bytes = 1000;
  options.stop = &stop;
  InputTuning tuning;
  tuning.block_bytes = 4000;
  const auto long_line = make_corpus_body(options, list_inputs(options), tuning);
  RememberingVisitor visitor;
  EXPECT_LT(reads_after(stop, [&] { long_line->scan(visitor, 1); }), 5);

  // Before a document at the end of a packed file, which is read again.
  stop = false;
  TestRandom random(4);
  std::string bytes;
  for (int i = 0; i < 60'000; ++i)
    bytes +=
        fmt::format("{{\"text\":\"{:x}{:x}{:x}\"}}\n", random.next(), random.next(), random.next());
  InputOptions packed_ones = inputs({folder.write("a.gz", packed(bytes, Compression::kGzip))});
  packed_ones.stop = &stop;
  const Scanned scanned(packed_ones);
  const std::array<std::uint32_t, 1> last = {scanned.body->size() - 1};
  EXPECT_LT(reads_after(stop, [&] { scanned.body->prepare(last); }), 3);
}

// For any bytes and sizes a scan finds the same documents, and each line is written to exactly one
// output.
RC_GTEST_PROP(LineCorpus, BlocksAndThreadsDoNotShow, ()) {
  const TestFolder folder;
  const auto lines = *rc::gen::container<std::vector<std::string>>(rc::gen::oneOf(
      rc::gen::just(std::string()), rc::gen::just(std::string("  ")),
      rc::gen::element<std::string>("{\"text\":null}", "x", "{\"text\":1}", "{\"text\":\"\xff\"}",
                                    "[1,2]"),
      rc::gen::map(rc::gen::pair(rc::gen::arbitrary<std::string>(), rc::gen::inRange(0, 9)),
                   [](const std::pair<std::string, int>& document) {
                     return "{\"id\":" + std::to_string(document.second) +
                            ",\"text\":" + json_string(document.first) + "}";
                   })));
  std::string bytes;
  for (const auto& line : lines) bytes += line + (*rc::gen::arbitrary<bool>() ? "\n" : "\r\n");
  if (*rc::gen::arbitrary<bool>() && !bytes.empty()) bytes.pop_back();
  const Compression how =
      *rc::gen::element(Compression::kNone, Compression::kGzip, Compression::kZstd);
  const std::string path = folder.write("a.jsonl", packed(bytes, how));
  InputOptions options = inputs({path});
  options.max_line_bytes = *rc::gen::inRange<std::uint64_t>(1, 100);

  Scanned plain(options);
  InputTuning tuning;
  tuning.block_bytes = *rc::gen::inRange<std::size_t>(1, 200);
  Scanned other(options, tuning, *rc::gen::inRange(1, 4));
  RC_ASSERT(plain.visitor.documents == other.visitor.documents);
  RC_ASSERT(plain.sentences == other.sentences);
  RC_ASSERT(plain.ids() == other.ids());
  RC_ASSERT(plain.body->counts.duplicate_ids == other.body->counts.duplicate_ids);
  RC_ASSERT(plain.body->counts.bytes == other.body->counts.bytes);
  RC_ASSERT(other.reread() == other.visitor.documents);
  RC_ASSERT(other.scan_again(2) == other.visitor.documents);
  const auto written = other.write(folder);
  RC_ASSERT(written.kept == plain.write(folder).kept);
  std::size_t blank = 0;
  for (const auto& line : lines) blank += line.find_first_not_of(' ') == std::string::npos;
  RC_ASSERT(other.body->size() + other.body->counts.skipped >= lines.size() - blank);
  RC_ASSERT(written.kept.size() + written.skipped.size() <= bytes.size() + 1);
}

}  // namespace
}  // namespace benzer
