// Provides what the tests of io share: temporary folders, packed bytes, a visitor that remembers
// documents, and a file system that fails on command.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <bzlib.h>
#include <fcntl.h>
#include <lzma.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "benzer/input.h"

#include "base/file.h"
#include "base/record_log.h"
#include "io/corpus_body.h"
#include "io/input_list.h"
#include "io/pack.h"

namespace benzer {

class TestFolder {
 public:
  TestFolder() : TestFolder(std::filesystem::temp_directory_path()) {}
  explicit TestFolder(const std::filesystem::path& where) {
    std::string name = (where / "benzer-test-XXXXXX").string();
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

// A folder for thousands of small files: in memory, if the system has a place for that.
inline std::filesystem::path fast_folder() {
  return std::filesystem::is_directory("/dev/shm") ? std::filesystem::path("/dev/shm")
                                                   : std::filesystem::temp_directory_path();
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::string packed_as_xz(std::string_view bytes, std::uint32_t preset = 1,
                                lzma_check check = LZMA_CHECK_CRC64) {
  std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
  std::size_t size = 0;
  if (lzma_easy_buffer_encode(
          preset, check, nullptr, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
          reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size()) != LZMA_OK)
    std::abort();
  out.resize(size);
  return out;
}

inline std::string packed_as_bzip2(std::string_view bytes) {
  auto size = static_cast<unsigned>(bytes.size() + bytes.size() / 100 + 600);
  std::string out(size, '\0');
  if (BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(bytes.data()),
                               static_cast<unsigned>(bytes.size()), 1, 0, 0) != BZ_OK)
    std::abort();
  out.resize(size);
  return out;
}

inline std::string packed(std::string_view bytes, Compression how) {
  if (how == Compression::kNone) return std::string(bytes);
  if (how == Compression::kXz) return packed_as_xz(bytes);
  if (how == Compression::kBzip2) return packed_as_bzip2(bytes);
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
  std::string id;
  friend bool operator==(const SeenDocument&, const SeenDocument&) = default;
};

inline SeenDocument seen(const DocumentView& view) {
  return {std::string(view.text),
          {view.values.begin(), view.values.end()},
          view.bytes,
          view.replaced,
          std::string(view.id)};
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
        fields.text(document.id);
      }
    }
    void load(std::string_view bytes, std::size_t count) override {
      FieldReader fields(bytes);
      for (std::size_t i = 0; i < count; ++i) {
        SeenDocument& document = documents.emplace_back();
        document.text = fields.text();
        document.bytes = fields.number();
        document.replaced = fields.number() != 0;
        document.id = fields.text();
      }
    }
    std::uint64_t set_aside() override { return 100 * documents.size(); }
    std::vector<SeenDocument> documents;
  };
  bool blocks_may_wait() const override { return true; }
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

// Skips syncs, since waiting for them took two thirds of the tests' time and nothing that the tests
// check depends on them. unit_main.cc installs it. A test of syncing installs another one.
class UnsyncedFileSystem : public FileSystem {
 public:
  int fsync(int) override { return 0; }
  int fdatasync(int) override { return 0; }
};

// Scans a corpus and keeps everything that it reported.
struct Scanned {
  explicit Scanned(InputOptions options, InputTuning tuning = {}, int threads = 1) {
    options.warn = [this](const Error& problem) { sentences.emplace_back(problem.what()); };
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
  // All documents of a second scan, in order.
  std::vector<SeenDocument> scan_again(int threads) const {
    RememberingVisitor again;
    body->scan_again(again, threads);
    return again.documents;
  }
  // All documents, each read again through a reader, from the last to the first.
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

// Calls `check` with scans in blocks that are shorter and longer than the records, on one thread
// and on several. All must find the same.
inline void for_each_scan(const InputOptions& options,
                          const std::function<void(Scanned& scanned)>& check) {
  for (const int threads : {1, 4}) {
    for (const std::size_t block_bytes : {16u, 20u, 4000u}) {
      InputTuning tuning;
      tuning.block_bytes = block_bytes;
      Scanned scanned(options, tuning, threads);
      check(scanned);
    }
  }
}

inline InputOptions inputs(std::vector<std::string> paths) {
  InputOptions options;
  options.inputs = std::move(paths);
  return options;
}

// Fails the n-th operation (1-based), once or from then on. Threads: any number.
class FaultyFileSystem : public FileSystem {
 public:
  enum class Fault { kError, kInterrupt, kShort };
  enum class Extent { kOnce, kFromThenOn };
  FaultyFileSystem(int fail_at, Fault fault, int error = EIO, Extent extent = Extent::kOnce)
      : fail_at_(fail_at), fault_(fault), error_(error), extent_(extent) {}

  bool fired() const { return calls_ >= fail_at_; }
  // The first operation that failed.
  std::string fired_in() const {
    const std::lock_guard lock(mutex_);
    return fired_in_;
  }
  // Nothing fails from now on.
  void heal() { healed_ = true; }

  int open(const char* path, int flags, mode_t mode) override {
    return fails((flags & O_CREAT) != 0 ? "create" : "open") ? -1
                                                             : FileSystem::open(path, flags, mode);
  }
  int close(int fd) override {
    const int result = FileSystem::close(fd);  // Linux closes it also if it reports an error
    return fails("close") ? -1 : result;
  }
  ssize_t read(int fd, void* out, std::size_t size) override {
    return fails("read", &size) ? -1 : FileSystem::read(fd, out, size);
  }
  ssize_t pread(int fd, void* out, std::size_t size, std::uint64_t offset) override {
    return fails("pread", &size) ? -1 : FileSystem::pread(fd, out, size, offset);
  }
  ssize_t write(int fd, const void* bytes, std::size_t size) override {
    return fails("write", &size) ? -1 : FileSystem::write(fd, bytes, size);
  }
  ssize_t pwrite(int fd, const void* bytes, std::size_t size, std::uint64_t offset) override {
    return fails("pwrite", &size) ? -1 : FileSystem::pwrite(fd, bytes, size, offset);
  }
  int fsync(int) override { return fails("fsync") ? -1 : 0; }
  int fdatasync(int) override { return fails("fdatasync") ? -1 : 0; }
  int ftruncate(int fd, std::uint64_t size) override {
    return fails("ftruncate") ? -1 : FileSystem::ftruncate(fd, size);
  }
  int mkdir(const char* path, mode_t mode) override {
    return fails("mkdir") ? -1 : FileSystem::mkdir(path, mode);
  }
  int flock(int fd, int operation) override {
    return fails("flock") ? -1 : FileSystem::flock(fd, operation);
  }
  void* mmap(std::size_t size, int fd) override {
    return fails("mmap") ? MAP_FAILED : FileSystem::mmap(size, fd);
  }
  int rename(const char* from, const char* to) override {
    return fails("rename") ? -1 : FileSystem::rename(from, to);
  }
  int link(const char* from, const char* to) override {
    return fails("link") ? -1 : FileSystem::link(from, to);
  }
  int unlink(const char* path) override { return fails("unlink") ? -1 : FileSystem::unlink(path); }
  int fstat(int fd, struct stat* out) override {
    return fails("fstat") ? -1 : FileSystem::fstat(fd, out);
  }
  int stat(const char* path, struct stat* out) override {
    return fails("stat") ? -1 : FileSystem::stat(path, out);
  }
  DIR* opendir(const char* path) override {
    return fails("opendir") ? nullptr : FileSystem::opendir(path);
  }
  dirent* readdir(DIR* folder) override {
    return fails("readdir") ? nullptr : FileSystem::readdir(folder);
  }

 protected:
  // Which operations count and may fail. A file that cannot be removed is rarely an error of the
  // code under test, so unlink() fails only in tests that override this.
  virtual bool may_fail(std::string_view operation) const { return operation != "unlink"; }

 private:
  // `size` is null for operations that transfer no bytes.
  bool fails(std::string_view operation, std::size_t* size = nullptr) {
    // An operation that transfers no bytes cannot be short, and none of these but open can be
    // interrupted.
    const bool applies =
        fault_ == Fault::kError || size != nullptr ||
        (fault_ == Fault::kInterrupt && (operation == "open" || operation == "create"));
    if (healed_ || !applies || !may_fail(operation)) return false;
    const int call = ++calls_;
    if (extent_ == Extent::kOnce ? call != fail_at_ : call < fail_at_) return false;
    if (call == fail_at_) {
      const std::lock_guard lock(mutex_);
      fired_in_ = operation;
    }
    if (fault_ == Fault::kShort) {
      *size = (*size + 1) / 2;
      return false;
    }
    errno = fault_ == Fault::kInterrupt ? EINTR : error_;
    return true;
  }

  const int fail_at_;
  const Fault fault_;
  const int error_;
  const Extent extent_;
  std::atomic<int> calls_{0};
  std::atomic<bool> healed_{false};
  mutable std::mutex mutex_;
  std::string fired_in_;
};

}  // namespace benzer
