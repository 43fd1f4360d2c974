#include "io/scan_log.h"

#include <csignal>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benzer/error.h"

#include "base/error_test_util.h"
#include "base/sanitized.h"
#include "base/test_random.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

using testing::HasSubstr;

struct Block {
  LoggedBlock block;
  ParsedBlock parsed;
};

// Two documents, one with an id, and a bad line between them.
Block example() {
  Block out;
  out.block = {100, 160, {200, 3, 4}};
  out.parsed.documents = {{0, 20, 0, 3}, {30, 30, 2, 3}};
  out.parsed.ids = "\"a\"";
  out.parsed.id_hashes = {5};
  out.parsed.problems = {{1, {120, 10}, "it is bad"}};
  out.parsed.lines = 3;
  out.parsed.bytes = 50;
  out.parsed.without_group = 1;
  out.parsed.without_number = 2;
  out.parsed.fields_found = kFoundId | found_number(0);
  return out;
}

std::string written(const Block& block) {
  return logged_block(block.block, block.parsed, "made of it");
}

std::pair<Block, std::string> read(std::string_view payload) {
  Block out;
  std::string_view visitor;
  read_logged_block(payload, out.block, out.parsed, visitor);
  return {std::move(out), std::string(visitor)};
}

void expect_corrupt(std::string_view payload, const std::string& what) {
  try {
    read(payload);
    ADD_FAILURE() << what << ": nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << what;
  }
}

TEST(ScanLog, ABlockGoesRound) {
  const std::string payload = written(example());
  const auto [block, visitor] = read(payload);
  EXPECT_EQ(visitor, "made of it");
  EXPECT_EQ(block.block.offset, 100u);
  EXPECT_EQ(block.block.next, 160u);
  EXPECT_EQ(block.block.content, (Content{200, 3, 4}));
  EXPECT_EQ(logged_place(payload).content, block.block.content);
  EXPECT_EQ(block.parsed.fields_found, kFoundId | found_number(0));
  ASSERT_EQ(block.parsed.documents.size(), 2u);
  EXPECT_EQ(block.parsed.documents[1].offset, 30u);
  EXPECT_EQ(block.parsed.ids, "\"a\"");
  ASSERT_EQ(block.parsed.problems.size(), 1u);
  EXPECT_EQ(block.parsed.problems[0].what, "it is bad");
  EXPECT_EQ(written(block), payload);
}

TEST(ScanLog, ACutBlockIsCorrupt) {
  const std::string payload = written(example());
  for (std::size_t size = 0; size < payload.size(); ++size)
    expect_corrupt(payload.substr(0, size), std::to_string(size));
  expect_corrupt(payload + "x", "one byte more");
}

TEST(ScanLog, ABlockThatLiesIsCorrupt) {
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  const std::vector<std::pair<std::string, std::function<void(Block&)>>> lies = {
      {"ends before it begins", [](Block& b) { b.block.next = 99; }},
      {"ends too early", [](Block& b) { b.block.next = 159; }},
      {"begins later", [](Block& b) { b.block.offset = 121; }},
      {"a document behind the end", [](Block& b) { b.parsed.documents[1].length = 31; }},
      {"a huge document", [](Block& b) { b.parsed.documents[1].length = 0xFFFFFFFF; }},
      {"a document far away", [](Block& b) { b.parsed.documents[1].offset = 0xFFFFFFFF; }},
      {"documents overlap", [](Block& b) { b.parsed.documents[1].offset = 19; }},
      {"documents in another order",
       [](Block& b) { std::swap(b.parsed.documents[0], b.parsed.documents[1]); }},
      {"a document over a bad line", [](Block& b) { b.parsed.documents[0].length = 21; }},
      {"a bad line in front", [](Block& b) { b.parsed.problems[0].range.offset = 99; }},
      {"a bad line behind", [](Block& b) { b.parsed.problems[0].range.offset = 161; }},
      {"a bad line without end", [](Block& b) { b.parsed.problems[0].range.length = kHuge; }},
      {"a bad line at the end of all", [](Block& b) { b.parsed.problems[0].range.offset = kHuge; }},
      {"a bad line twice", [](Block& b) { b.parsed.problems.push_back(b.parsed.problems[0]); }},
      {"a line that is not there", [](Block& b) { b.parsed.documents[1].line = 4; }},
      {"ids that overlap", [](Block& b) { b.parsed.documents[1].id_end = 2; }},
      {"an id behind the ids", [](Block& b) { b.parsed.documents[1].id_end = 4; }},
      {"more ids than documents", [](Block& b) { b.parsed.id_hashes = {1, 2, 3}; }},
  };
  for (const auto& [what, lie] : lies) {
    Block block = example();
    lie(block);
    expect_corrupt(written(block), what);
  }
}

TEST(ScanLog, SaysWhatDiffers) {
  InputFiles files;
  files.add({.path = "a.jsonl"});
  files.add({.path = "b.jsonl"});
  LineSource source(files, 0);
  source.identity.size = 10;
  const std::string made_by = "program=benzer 3\nx=1\ny=2\n";
  const std::string payload = logged_source(source, made_by);
  EXPECT_EQ(differs(payload, source, made_by).spelled(), "");
  EXPECT_EQ(differs(payload, source, "program=benzer 3\nx=1\ny=3\n").spelled(),
            "it was made with 'y=2', and this run has 'y=3'");
  EXPECT_EQ(differs(payload, source, "program=benzer 3\nx=1\n").spelled(),
            "it was made with 'y=2', which this run has not");
  EXPECT_EQ(differs(payload, source, "program=benzer 3\ny=2\n").spelled(),
            "it was made with 'x=1', which this run has not");
  EXPECT_EQ(differs(payload, source, "program=benzer 3\nw=0\nx=1\ny=2\n").spelled(),
            "it was made without 'w=0', which this run has");
  EXPECT_EQ(differs(payload, source, made_by + "z=3\n").spelled(),
            "it was made without 'z=3', which this run has");
  EXPECT_EQ(differs(payload, source, "program=benzer 4\nx=1\ny=2\n").spelled(),
            "it was made with 'program=benzer 3', and this run has 'program=benzer 4'");
  EXPECT_EQ(differs(logged_source(source, "x=1\n"), source, made_by).spelled(),
            "it was made by an earlier version of benzer");
  LineSource other = source;
  other.identity.modified_ns = 8;  // the time of the file does not matter
  EXPECT_EQ(differs(payload, other, made_by).spelled(), "");
  other.identity.size = 11;
  EXPECT_EQ(differs(payload, other, made_by).spelled(), "the input 'a.jsonl' was changed since");
  other = source;
  other.at = 1;
  EXPECT_EQ(differs(payload, other, made_by).spelled(),
            "it is of the input 'a.jsonl', and this run has 'b.jsonl' in its place");
}

TEST(ScanLog, TheFolder) {
  const TestFolder folder;
  const auto refused = [&](std::size_t sources, bool resume) {
    try {
      check_work_folder(folder.path(), sources, resume);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused(1, false), "");
  folder.write("benzer-sketch-x", "");
  folder.write("benzer-sketch-000001.tmp", "");
  folder.write("benzer-sketch-1", "");
  EXPECT_EQ(refused(1, false), "");
  folder.write("benzer-sketch-000001.growing", "");
  EXPECT_THAT(refused(2, false), HasSubstr("(resume)"));
  EXPECT_EQ(refused(2, true), "");
  EXPECT_THAT(refused(1, true), HasSubstr("more inputs than the 1"));
  remove_logs(folder.path(), 2);
  EXPECT_EQ(refused(1, false), "");
}

TEST(ScanLog, RunsOfOneProcessInAFolder) {
  const TestFolder folder, other;
  // As another process would lock it.
  FileHandle elsewhere;
  ASSERT_EQ(open_file(folder.path(), O_RDONLY | O_DIRECTORY, 0, elsewhere), 0);
  const auto is_free = [&](int kind) {
    const bool locked = ::flock(elsewhere.get(), kind | LOCK_NB) == 0;
    ::flock(elsewhere.get(), LOCK_UN);
    return locked;
  };
  const auto refused = [&](const std::string& path, bool share) {
    try {
      const WorkFolderLock lock(path, share);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBusy);
      return std::string(error.what());
    }
    return std::string();
  };
  ::flock(elsewhere.get(), LOCK_EX);
  EXPECT_THAT(refused(folder.path(), false), HasSubstr("another run keeps its stages"));
  EXPECT_THAT(refused(folder.path(), true), HasSubstr(folder.path()));
  EXPECT_EQ(refused(other.path(), false), "");
  ::flock(elsewhere.get(), LOCK_SH);
  EXPECT_THAT(refused(folder.path(), false), HasSubstr("wait for it"));
  EXPECT_EQ(refused(folder.path(), true), "");
  ::flock(elsewhere.get(), LOCK_UN);
  {
    const WorkFolderLock run(folder.path(), false);
    EXPECT_FALSE(is_free(LOCK_SH));
    EXPECT_EQ(refused(folder.path(), false), "");  // the same process goes on after a failure
    EXPECT_FALSE(is_free(LOCK_SH));
  }
  EXPECT_TRUE(is_free(LOCK_EX));
  {
    const WorkFolderLock part(folder.path(), true);
    EXPECT_TRUE(is_free(LOCK_SH));
    EXPECT_FALSE(is_free(LOCK_EX));
  }
  EXPECT_EQ(refused(folder.path() + "/none", false), "");  // check_work_folder() names it

  // A process that was forked and lives on does not keep it.
  auto run = std::make_unique<WorkFolderLock>(folder.path(), false);
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  run.reset();
  EXPECT_TRUE(is_free(LOCK_EX));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

// Everything that a scan gives.
struct CutOutcome {
  std::vector<std::string> texts, ids, sentences;
  std::vector<std::uint64_t> lines;
  std::uint64_t skipped_lines = 0, bytes = 0, duplicate_ids = 0;
  std::string kept, skipped;
  friend bool operator==(const CutOutcome&, const CutOutcome&) = default;
};

constexpr std::size_t kBlockBytes = 100;
constexpr std::size_t kSteps[] = {kSanitized ? 5 : 1,
                                  kSanitized ? 31 : 9};  // through the logs of the two sources

CutOutcome scan(InputOptions options, const TestFolder& folder, int threads = 1) {
  InputTuning tuning;
  tuning.block_bytes = kBlockBytes;
  const Scanned scanned(std::move(options), tuning, threads);
  EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
  CutOutcome out{scanned.texts(), scanned.ids(), scanned.sentences, {}, 0, 0, 0, {}, {}};
  for (const DocumentLabel& label : scanned.labels()) out.lines.push_back(label.line);
  out.skipped_lines = scanned.body->counts.skipped_lines;
  out.bytes = scanned.body->counts.bytes;
  out.duplicate_ids = scanned.body->counts.duplicate_ids;
  const auto [kept, skipped] = scanned.write(folder);
  out.kept = kept;
  out.skipped = skipped;
  return out;
}

std::string lines(const std::string& tag, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    out += "{\"id\":\"" + tag + std::to_string(i % 4) + "\",\"text\":\"" + tag +
           std::string(20, 'x') + std::to_string(i) + "\"}\n";
    if (i % 3 == 1) out += "bad\n\n";
  }
  return out;
}

// Has a plain file with a byte order mark, a packed one, and what a scan without stages gives.
class Stages : public testing::Test {
 protected:
  Stages() {
    plain_.inputs = {
        folder_.write("a.jsonl", "\xEF\xBB\xBF" + lines("a", 6)),
        folder_.write("b.jsonl.gz", packed(lines("b", 5) + "end", Compression::kGzip))};
    std::filesystem::create_directory(work_);
    expected_ = scan(plain_, folder_);
    EXPECT_EQ(expected_.texts.size(), 11u);
    EXPECT_EQ(expected_.skipped_lines, 5u);
  }

  InputOptions saving(bool resume) const {
    InputOptions options = plain_;
    options.stage_folder = work_;
    options.resume = resume;
    return options;
  }
  std::string log(std::size_t source) const { return read_file(whole_log(work_, source)); }

  TestFolder folder_;
  std::string work_ = folder_ / "work";
  InputOptions plain_;
  CutOutcome expected_;
};

TEST_F(Stages, AreWrittenAndUsedAndStay) {
  for (const int threads : {1, 4}) {
    EXPECT_EQ(scan(saving(false), folder_, threads), expected_);
    const std::string first = log(0), second = log(1);
    EXPECT_GT(first.size(), 1000u);
    for (int again = 0; again < 3; ++again) {
      EXPECT_EQ(scan(saving(true), folder_, threads), expected_);
      EXPECT_EQ(log(0), first);
      EXPECT_EQ(log(1), second);
    }
    EXPECT_THROW(scan(saving(false), folder_), Error);
    remove_logs(work_, 2);
  }
}

TEST_F(Stages, CutAnywhereAreMadeWhole) {
  scan(saving(false), folder_);
  for (std::size_t source = 0; source < 2; ++source) {
    const std::string whole = log(source);
    for (std::size_t size = 0; size < whole.size(); size += kSteps[source]) {
      folder_.write("work/" + std::filesystem::path(whole_log(work_, source)).filename().string(),
                    whole.substr(0, size));
      if (size % 2 == 1)
        std::filesystem::rename(whole_log(work_, source), growing_log(work_, source));
      ASSERT_EQ(scan(saving(true), folder_), expected_) << source << ' ' << size;
      const std::string again = log(source);
      ASSERT_GE(again.size(), whole.size() - 200)
          << source << ' ' << size;  // empty blocks may differ
      ASSERT_FALSE(std::filesystem::exists(growing_log(work_, source)));
      if (size % 7 != 0) continue;
      ASSERT_EQ(scan(saving(true), folder_), expected_) << source << ' ' << size;
      ASSERT_EQ(log(source), again) << source << ' ' << size;
    }
  }
}

TEST_F(Stages, WithAFlippedBitAreMadeWhole) {
  scan(saving(false), folder_);
  for (std::size_t source = 0; source < 2; ++source) {
    const std::string whole = log(source);
    for (std::size_t i = 0; i < whole.size(); i += kSteps[source]) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
      folder_.write("work/" + std::filesystem::path(whole_log(work_, source)).filename().string(),
                    damaged);
      ASSERT_EQ(scan(saving(true), folder_), expected_) << source << ' ' << i;
      if (i % 7 != 0) continue;
      const std::string again = log(source);
      ASSERT_EQ(scan(saving(true), folder_), expected_) << source << ' ' << i;
      ASSERT_EQ(log(source), again) << source << ' ' << i;
    }
  }
}

TEST_F(Stages, WithoutABlockAreReadFromThere) {
  scan(saving(false), folder_);
  RecordLogReader reader;
  ASSERT_TRUE(reader.open(whole_log(work_, 0)));
  std::vector<std::pair<std::uint32_t, std::string>> records;
  std::uint32_t kind = 0;
  for (std::string payload; reader.next(kind, payload);) records.emplace_back(kind, payload);
  ASSERT_GT(records.size(), 4u);
  const std::string whole = log(0);
  // The first record is the source. A log without it cannot be used; a second one is unexpected.
  for (std::size_t left_out = 0; left_out < records.size(); ++left_out) {
    for (const bool twice : {false, true}) {
      std::string bytes(record_log_magic());
      for (std::size_t i = 0; i < records.size(); ++i) {
        const int times = i != left_out ? 1 : twice ? 2 : 0;
        for (int n = 0; n < times; ++n)
          bytes += record_head(records[i].first, records[i].second) + records[i].second;
      }
      folder_.write("work/benzer-sketch-000000", bytes);
      const CutOutcome outcome = scan(saving(true), folder_);
      ASSERT_EQ(outcome.texts, expected_.texts) << left_out << twice;
      ASSERT_EQ(outcome, expected_) << left_out << twice;
    }
  }
}

TEST_F(Stages, OfADamagedFileAreLookedAtAgain) {
  std::string bytes = packed(lines("c", 400), Compression::kGzip);
  bytes.resize(bytes.size() / 2);
  plain_.inputs.insert(plain_.inputs.begin() + 1, folder_.write("c.jsonl.gz", bytes));
  const CutOutcome expected = scan(plain_, folder_);
  EXPECT_EQ(scan(saving(false), folder_), expected);
  EXPECT_FALSE(std::filesystem::exists(whole_log(work_, 1)));
  EXPECT_TRUE(std::filesystem::exists(growing_log(work_, 1)));
  for (int again = 0; again < 2; ++again) EXPECT_EQ(scan(saving(true), folder_), expected);
}

// That its lines are not records shows in the first block, after that of another file was logged.
TEST_F(Stages, HaveNothingOfARefusedBlock) {
  TestRandom random(5);
  std::string indented = "{\n";
  for (int i = 0; i < 4000; ++i) indented += fmt::format(" \"{}\": \"{:x}\",\n", i, random.next());
  const std::string whole = packed(indented, Compression::kGzip);
  // Damaged, so that it cannot be looked at before the scan.
  const std::string damaged = folder_.write("c.jsonl.gz", whole.substr(0, whole.size() / 5));
  InputTuning tuning;
  tuning.block_bytes = 4000;
  for (const std::size_t others : {0u, 1u, 2u}) {
    InputOptions options = saving(false);
    options.inputs.resize(others);
    options.inputs.push_back(damaged);
    options.stage_folder = folder_ / fmt::format("work{}", others);
    std::filesystem::create_directory(options.stage_folder);
    EXPECT_THAT(error_of([&] { const Scanned scanned(options, tuning); }).what(),
                testing::HasSubstr("a JSON object spans several lines here"));
  }
}

TEST_F(Stages, OfPartsAreOne) {
  for (std::uint32_t part = 1; part <= 3; ++part) {
    InputOptions options = saving(false);
    options.part = part;
    options.parts = 3;
    scan(options, folder_);
  }
  EXPECT_FALSE(log(0).empty());
  EXPECT_FALSE(log(1).empty());
  EXPECT_EQ(scan(saving(true), folder_), expected_);
  for (const auto& [part, parts] : {std::pair{0U, 3U}, {4U, 3U}, {1U, 0U}, {0U, 0U}}) {
    InputOptions options = saving(false);
    options.part = part;
    options.parts = parts;
    EXPECT_THROW(FileCorpus{options}, Error) << part << " of " << parts;
  }
}

// Fails each operation once: that gives an error or a counted skip, and the next run is right.
TEST_F(Stages, AfterAnyFault) {
  for (const auto fault : {FaultyFileSystem::Fault::kError, FaultyFileSystem::Fault::kInterrupt,
                           FaultyFileSystem::Fault::kShort}) {
    bool fired = true;
    for (int n = 1; fired; ++n) {
      const bool resume = n % 2 == 0;
      if (resume) {
        scan(saving(false), folder_);
        std::filesystem::resize_file(whole_log(work_, 0), log(0).size() / 2);
      }
      FaultyFileSystem faulty(n, fault, ENOSPC);
      {
        ScopedFileSystem scope(faulty);
        try {
          InputTuning tuning;
          tuning.block_bytes = kBlockBytes;
          const Scanned scanned(saving(resume), tuning);
        } catch (const Error& error) {
          EXPECT_EQ(fault, FaultyFileSystem::Fault::kError) << error.what();
          EXPECT_THAT(std::string(error.what()), HasSubstr(": "));
        }
      }
      fired = faulty.fired();
      ASSERT_EQ(scan(saving(true), folder_), expected_) << faulty.fired_in() << ' ' << n;
      remove_logs(work_, 2);
    }
  }
}

}  // namespace
}  // namespace benzer
