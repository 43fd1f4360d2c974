// Checks that what a run saved about its inputs is used only for inputs with the same names, order
// and bytes.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "io/io_test_util.h"
#include "io/scan_log.h"

namespace benzer {
namespace {

using testing::HasSubstr;

std::string numbered_lines(const std::string& tag, int count) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += "{\"id\":\"" + tag + std::to_string(100 + i) + "\",\"text\":\"" + tag + "\"}\n";
  return out;
}

struct SavedRun {
  explicit SavedRun(bool signatures) : signatures_(signatures) {
    for (const char* name : {"a.jsonl", "b.jsonl", "empty.jsonl", "c.jsonl.gz"})
      inputs.push_back(folder / name);
    folder.write("a.jsonl", numbered_lines("a", 30));
    folder.write("b.jsonl", numbered_lines("b", 30));
    folder.write("empty.jsonl", "");
    folder.write("c.jsonl.gz", packed(numbered_lines("c", 300), Compression::kGzip));
    std::filesystem::create_directory(work);
  }

  InputOptions options() const {
    InputOptions out;
    out.inputs = inputs;
    if (!signatures_) out.stage_folder = work;
    return out;
  }
  void save() {
    InputOptions saving = options();
    if (signatures_) saving.save_to = [this](std::string_view bytes) { saved_ += bytes; };
    texts = scan(std::move(saving));
    if (signatures_) folder.write("saved", saved_);
  }
  std::vector<std::string> use() const {
    InputOptions using_it = options();
    using_it.resume = !signatures_;
    if (signatures_) using_it.signatures = folder / "saved";
    return scan(std::move(using_it));
  }
  // Why what was saved cannot be used; empty if it can.
  std::string refusal() const {
    try {
      EXPECT_EQ(use(), texts);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument) << error.what();
      return error.what();
    }
    return {};
  }

  // Changes a byte but neither the size nor the time of the file.
  void overwrite(const std::string& path, std::size_t at) const {
    const auto time = std::filesystem::last_write_time(path);
    std::string bytes = read_file(path);
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    std::ofstream(path, std::ios::binary | std::ios::in).write(bytes.data(), std::ssize(bytes));
    std::filesystem::last_write_time(path, time);
  }
  void replace(const std::string& path, const std::string& bytes) const {
    const auto time = std::filesystem::last_write_time(path);
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << bytes;
    std::filesystem::last_write_time(path, time);
  }

  TestFolder folder;
  std::string work = folder / "work";
  std::vector<std::string> inputs, texts;

 private:
  static std::vector<std::string> scan(InputOptions options) {
    InputTuning tuning;
    tuning.block_bytes = 200;
    return Scanned(std::move(options), tuning).texts();
  }

  bool signatures_;
  std::string saved_;
};

struct ChangeOfInputs {
  const char* what;
  std::function<void(SavedRun&)> make;
  const char* said;  // empty: no error, what was saved is used
};

const std::vector<ChangeOfInputs>& changes_of_inputs() {
  static const std::vector<ChangeOfInputs> all = {
      {"nothing", [](SavedRun&) {}, ""},
      {"another time",
       [](SavedRun& run) {
         std::filesystem::last_write_time(run.inputs[0], std::filesystem::file_time_type());
       },
       ""},
      {"a copy of the same bytes",
       [](SavedRun& run) { run.replace(run.inputs[0], read_file(run.inputs[0])); }, ""},
      {"the first byte", [](SavedRun& run) { run.overwrite(run.inputs[1], 0); },
       "b.jsonl' was changed since"},
      {"a byte in the middle", [](SavedRun& run) { run.overwrite(run.inputs[1], 305); },
       "b.jsonl' was changed since"},
      {"the last byte",
       [](SavedRun& run) { run.overwrite(run.inputs[0], read_file(run.inputs[0]).size() - 1); },
       "a.jsonl' was changed since"},
      {"a byte of a packed file", [](SavedRun& run) { run.overwrite(run.inputs[3], 4); },
       "c.jsonl.gz' was changed since"},
      {"another file of the same size and time",
       [](SavedRun& run) { run.replace(run.inputs[0], numbered_lines("x", 30)); },
       "a.jsonl' was changed since"},
      {"two files have each other's names",
       [](SavedRun& run) {
         const std::string a = read_file(run.inputs[0]);
         run.replace(run.inputs[0], read_file(run.inputs[1]));
         run.replace(run.inputs[1], a);
       },
       "a.jsonl' was changed since"},
      {"appended to",
       [](SavedRun& run) { std::ofstream(run.inputs[0], std::ios::app) << numbered_lines("z", 1); },
       "a.jsonl' was changed since"},
      {"an empty one has something",
       [](SavedRun& run) { std::ofstream(run.inputs[2]) << numbered_lines("z", 1); },
       "empty.jsonl' was changed since"},
      {"cut",
       [](SavedRun& run) { run.replace(run.inputs[0], read_file(run.inputs[0]).substr(0, 90)); },
       "a.jsonl' was changed since"},
      {"another order", [](SavedRun& run) { std::swap(run.inputs[0], run.inputs[1]); },
       "in its place"},
      {"another name",
       [](SavedRun& run) {
         std::filesystem::create_symlink(run.inputs[0], run.folder / "link.jsonl");
         run.inputs[0] = run.folder / "link.jsonl";
       },
       "in its place"},
      {"without the empty one", [](SavedRun& run) { run.inputs.erase(run.inputs.begin() + 2); },
       "this run"},
  };
  return all;
}

TEST(SavedContent, IsHeldAgainstTheInputs) {
  for (const bool signatures : {false, true}) {
    for (const ChangeOfInputs& change : changes_of_inputs()) {
      SavedRun run(signatures);
      run.save();
      ASSERT_EQ(run.texts.size(), 360u);
      change.make(run);
      const std::string said = run.refusal();
      if (*change.said == '\0') {
        EXPECT_EQ(said, "") << change.what << signatures;
      } else {
        EXPECT_THAT(said, HasSubstr(change.said)) << change.what << signatures;
      }
    }
  }
}

// A run that was interrupted has seen only the beginning of a file, and only that is compared.
TEST(SavedContent, OfTheBeginningOfAFile) {
  SavedRun run(false);
  run.save();
  const std::string log = whole_log(run.work, 0);
  std::filesystem::resize_file(log, std::filesystem::file_size(log) / 2);
  std::filesystem::rename(log, growing_log(run.work, 0));
  const std::string half = read_file(growing_log(run.work, 0));
  run.overwrite(run.inputs[0], 20);
  EXPECT_THAT(run.refusal(), HasSubstr("was changed since"));
  run.overwrite(run.inputs[0], 20);
  EXPECT_EQ(run.refusal(), "");
  EXPECT_EQ(run.refusal(), "");  // the records added to the log are valid, too
  run.overwrite(run.inputs[0], read_file(run.inputs[0]).size() - 3);
  EXPECT_THAT(run.refusal(), HasSubstr("was changed since"));
}

// A file of signatures whose records are undamaged, but of which one is missing.
TEST(SavedContent, WithoutABlockIsDamaged) {
  SavedRun run(true);
  run.save();
  RecordLogReader reader;
  ASSERT_TRUE(reader.open(run.folder / "saved"));
  std::vector<std::pair<std::uint32_t, std::string>> records;
  std::uint32_t kind = 0;
  for (std::string payload; reader.next(kind, payload);) records.emplace_back(kind, payload);
  int used = 0;
  for (std::size_t left_out = 0; left_out < records.size(); ++left_out) {
    std::string bytes(record_log_magic());
    for (std::size_t i = 0; i < records.size(); ++i)
      if (i != left_out)
        bytes += record_head(records[i].first, records[i].second) + records[i].second;
    run.folder.write("saved", bytes);
    try {
      EXPECT_EQ(run.use(), run.texts) << left_out;
      ++used;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << left_out << error.what();
    }
  }
  EXPECT_LT(used, 4);  // the last block of a file may be empty
}

}  // namespace
}  // namespace benzer
