// What the tests of this room share: a folder of their own, packed bytes, a visitor that remembers,
// and a file system that fails on command.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "benzer/input.h"

#include "base/file.h"
#include "base/record_log.h"
#include "io/corpus_body.h"
#include "io/input_list.h"
#include "io/pack.h"

namespace benzer::testing {

class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "benzer-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

  std::string write(const std::string& name, std::string_view bytes) const {
    const std::string path = *this / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::string path_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::string packed(std::string_view bytes, Compression how) {
  if (how == Compression::kNone) return std::string(bytes);
  std::string out;
  const auto packer = make_packer(how, 1);
  const auto emit = [&](std::string_view part) { out.append(part); };
  packer->pack(bytes, emit);
  packer->finish(emit);
  return out;
}

struct SeenDocument {
  std::string text;
  std::vector<std::string> values;
  std::uint64_t bytes = 0;
  bool replaced = false;
  friend bool operator==(const SeenDocument&, const SeenDocument&) = default;
};

inline SeenDocument seen(const DocumentView& view) {
  return {
      std::string(view.text), {view.values.begin(), view.values.end()}, view.bytes, view.replaced};
}

class RememberingVisitor : public DocumentVisitor {
 public:
  struct Remembered : Block {
    void add(const DocumentView& document) override { documents.push_back(seen(document)); }
    void save(std::string& out) const override {
      FieldWriter fields(out);
      for (const SeenDocument& document : documents) {
        fields.text(document.text);
        fields.number(document.bytes);
        fields.number(document.replaced);
      }
    }
    void load(std::string_view bytes, std::size_t count) override {
      FieldReader fields(bytes);
      for (std::size_t i = 0; i < count; ++i) {
        SeenDocument& document = documents.emplace_back();
        document.text = fields.text();
        document.bytes = fields.number();
        document.replaced = fields.number() != 0;
      }
    }
    std::vector<SeenDocument> documents;
  };
  std::string made_by() const override { return "visitor=remembering\n"; }
  std::unique_ptr<Block> start_block() override { return std::make_unique<Remembered>(); }
  void finish_block(std::unique_ptr<Block> block) override {
    auto& part = static_cast<Remembered&>(*block).documents;
    documents.insert(documents.end(), part.begin(), part.end());
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const auto& document : documents) texts.push_back(document.text);
    return texts;
  }
  std::vector<SeenDocument> documents;
};

// Syncing a thousand small files would take most of the tests' time and show nothing.
class UnsyncedFileSystem : public FileSystem {
 public:
  int fsync(int) override { return 0; }
};

// A corpus, scanned, with everything that it told.
struct Scanned {
  explicit Scanned(InputOptions options, InputTuning tuning = {}, int threads = 1) {
    options.warn = [this](const std::string& sentence) { sentences.push_back(sentence); };
    InputList list = list_inputs(options);
    body = make_corpus_body(options, std::move(list), tuning);
    body->scan(visitor, threads);
  }
  std::vector<std::string> texts() const { return visitor.texts(); }
  std::vector<DocumentLabel> labels() const {
    std::vector<DocumentLabel> labels;
    for (std::uint32_t i = 0; i < body->size(); ++i) labels.push_back(body->label(i));
    return labels;
  }
  std::vector<std::string> ids() const {
    std::vector<std::string> ids;
    for (const auto& label : labels()) ids.push_back(label.id_json);
    return ids;
  }
  // All documents once more, in order.
  std::vector<SeenDocument> scan_again(int threads) const {
    RememberingVisitor again;
    body->scan_again(again, threads);
    return again.documents;
  }
  // Every document read again.
  std::vector<SeenDocument> reread() const {
    std::vector<std::uint32_t> all(body->size());
    for (std::uint32_t i = 0; i < body->size(); ++i) all[i] = i;
    body->prepare(all);
    const auto reader = body->reader();
    std::vector<SeenDocument> documents;
    for (auto i = all.rbegin(); i != all.rend(); ++i) documents.push_back(seen(reader->read(*i)));
    return {documents.rbegin(), documents.rend()};
  }
  struct Written {
    std::string kept;
    std::string skipped;
  };
  Written write(const TestFolder& folder, const std::vector<std::uint32_t>& removed = {}) const {
    UnsyncedFileSystem unsynced;
    ScopedFileSystem scope(unsynced);
    OutputFile kept(folder / "kept.out"), skipped(folder / "skipped.out");
    body->write_kept(removed, kept, &skipped, {});
    kept.commit();
    skipped.commit();
    return {read_file(folder / "kept.out"), read_file(folder / "skipped.out")};
  }

  RememberingVisitor visitor;
  std::vector<std::string> sentences;
  std::unique_ptr<CorpusBody> body;
};

inline InputOptions inputs(std::vector<std::string> paths) {
  InputOptions options;
  options.inputs = std::move(paths);
  return options;
}

// Fails the n-th operation (1-based) once.
class FaultyFileSystem : public FileSystem {
 public:
  enum class Fault { kError, kInterrupt, kShort };
  FaultyFileSystem(int fail_at, Fault fault, int error = EIO)
      : fail_at_(fail_at), fault_(fault), error_(error) {}

  bool fired() const { return calls_ >= fail_at_; }
  const std::string& fired_in() const { return fired_in_; }

  int open(const char* path, int flags, mode_t mode) override {
    return fails("open", false) ? -1 : FileSystem::open(path, flags, mode);
  }
  int close(int fd) override {
    const int result = FileSystem::close(fd);  // as Linux does, also when it reports an error
    return fails("close", false) ? -1 : result;
  }
  ssize_t read(int fd, void* out, std::size_t size) override {
    if (fails("read", true)) return -1;
    return FileSystem::read(fd, out, cut(size));
  }
  ssize_t pread(int fd, void* out, std::size_t size, std::uint64_t offset) override {
    if (fails("pread", true)) return -1;
    return FileSystem::pread(fd, out, cut(size), offset);
  }
  ssize_t write(int fd, const void* bytes, std::size_t size) override {
    if (fails("write", true)) return -1;
    return FileSystem::write(fd, bytes, cut(size));
  }
  int fsync(int) override { return fails("fsync", false) ? -1 : 0; }
  int rename(const char* from, const char* to) override {
    return fails("rename", false) ? -1 : FileSystem::rename(from, to);
  }
  int fstat(int fd, struct stat* out) override {
    return fails("fstat", false) ? -1 : FileSystem::fstat(fd, out);
  }
  int stat(const char* path, struct stat* out) override {
    return fails("stat", false) ? -1 : FileSystem::stat(path, out);
  }
  DIR* opendir(const char* path) override {
    return fails("opendir", false) ? nullptr : FileSystem::opendir(path);
  }

 private:
  bool fails(const char* operation, bool transfers) {
    shorten_ = false;
    // What transfers nothing can be neither short nor (but for open) interrupted.
    const bool applies = fault_ == Fault::kError || transfers ||
                         (fault_ == Fault::kInterrupt && std::string_view(operation) == "open");
    if (!applies || ++calls_ != fail_at_) return false;
    fired_in_ = operation;
    if (fault_ == Fault::kShort) {
      shorten_ = true;
      return false;
    }
    errno = fault_ == Fault::kInterrupt ? EINTR : error_;
    return true;
  }
  std::size_t cut(std::size_t size) const { return shorten_ ? (size + 1) / 2 : size; }

  int fail_at_;
  Fault fault_;
  int error_;
  std::atomic<int> calls_{0};
  bool shorten_ = false;
  std::string fired_in_;
};

}  // namespace benzer::testing
