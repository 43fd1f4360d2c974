// For tests: records all changes to files while it makes them, and writes folders as a loss of
// power at any moment of the record may have left them.
//
// Only what was synced is certain. Each write and each truncation of a file since the file's last
// sync may have happened or not, in any order, and a write may have happened in part; bytes that
// are missing in front of others are zeros. Each creation, renaming and removal of a name in a
// folder since the folder's last sync may have happened or not. Syncing a file does not sync its
// name.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>

#include "base/file.h"
#include "base/test_random.h"

namespace benzer {

class RecordingDisk : public FileSystem {
 public:
  // Records the changes below a folder. Its present contents count as synced.
  explicit RecordingDisk(const std::string& root) : root_(root) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      const int file = new_file(entry.is_directory());
      if (!entry.is_directory()) {
        std::ifstream in(entry.path(), std::ios::binary);
        files_[file].content.assign(std::istreambuf_iterator<char>(in), {});
        files_[file].size = files_[file].content.size();
      }
      first_names_[name_of(entry.path().string())] = file;
    }
    names_ = first_names_;
  }

  // The present moment, as the number of changes that were requested so far.
  std::size_t now() const {
    const std::lock_guard lock(mutex_);
    return changes_.size();
  }

  // Simulates that the process is killed: after `changes` more changes, all others fail.
  void kill_after(std::size_t changes) {
    const std::lock_guard lock(mutex_);
    last_ = changes_.size() + changes;
  }
  bool was_killed() const {
    const std::lock_guard lock(mutex_);
    return is_dead();
  }
  // Lets changes succeed again, as for a new process. It finds all that was written, synced or not.
  void revive() {
    const std::lock_guard lock(mutex_);
    last_ = kNever;
  }
  // Makes the next sync of a file whose name contains `of` fail. The system then regards the
  // written bytes as clean: a later sync does not write them.
  void fail_next_sync(const std::string& of) {
    const std::lock_guard lock(mutex_);
    failing_sync_ = of;
  }

  // Writes to an empty folder what a loss of power at the moment may leave.
  void lose_power(std::size_t moment, const std::string& folder, TestRandom& random) const {
    const std::lock_guard lock(mutex_);
    leave(moment, sure_changes(moment), folder, random);
  }
  // Writes to an empty folder what a process leaves that is killed at the moment: every change.
  void kill(std::size_t moment, const std::string& folder) const {
    const std::lock_guard lock(mutex_);
    TestRandom nothing_is_random(0);
    leave(moment, std::vector<bool>(moment, true), folder, nothing_is_random);
  }

  int open(const char* path, int flags, mode_t mode) override {
    const std::lock_guard lock(mutex_);
    const std::string name = name_of(path);
    const bool is_new = (flags & O_CREAT) != 0 && !names_.contains(name);
    const bool empties = (flags & O_TRUNC) != 0;
    if ((is_new || empties) && is_dead()) return fail();
    const int fd = FileSystem::open(path, flags, mode);
    if (fd < 0) return fd;
    if (is_new) {
      names_[name] = new_file(false);
      changes_.push_back({Change::kName, names_[name], 0, {}, name, {}});
    }
    const auto known = names_.find(name);
    if (known == names_.end()) return fd;  // the root folder, or one above it
    open_[fd] = {known->second, 0, (flags & O_APPEND) != 0};
    if (empties && !is_new) truncate(known->second, 0);
    return fd;
  }
  int close(int fd) override {
    const std::lock_guard lock(mutex_);
    open_.erase(fd);
    return FileSystem::close(fd);
  }
  ssize_t write(int fd, const void* bytes, std::size_t size) override {
    const std::lock_guard lock(mutex_);
    if (is_dead()) return fail();
    Open& at = open_.at(fd);
    if (at.appends) at.offset = files_[at.file].size;
    const ssize_t written = FileSystem::write(fd, bytes, size);
    if (written > 0) record_write(at.file, at.offset, bytes, static_cast<std::size_t>(written));
    if (written > 0) at.offset += static_cast<std::size_t>(written);
    return written;
  }
  ssize_t pwrite(int fd, const void* bytes, std::size_t size, std::uint64_t offset) override {
    const std::lock_guard lock(mutex_);
    if (is_dead()) return fail();
    const ssize_t written = FileSystem::pwrite(fd, bytes, size, offset);
    if (written > 0)
      record_write(open_.at(fd).file, offset, bytes, static_cast<std::size_t>(written));
    return written;
  }
  int ftruncate(int fd, std::uint64_t size) override {
    const std::lock_guard lock(mutex_);
    if (is_dead()) return fail();
    truncate(open_.at(fd).file, size);
    return FileSystem::ftruncate(fd, size);
  }
  int fsync(int fd) override { return sync(fd); }
  int fdatasync(int fd) override { return sync(fd); }
  int mkdir(const char* path, mode_t mode) override {
    const std::lock_guard lock(mutex_);
    if (is_dead()) return fail();
    if (FileSystem::mkdir(path, mode) != 0) return -1;
    const std::string name = name_of(path);
    names_[name] = new_file(true);
    changes_.push_back({Change::kName, names_[name], 0, {}, name, {}});
    return 0;
  }
  int rename(const char* from, const char* to) override {
    const std::lock_guard lock(mutex_);
    if (is_dead()) return fail();
    if (FileSystem::rename(from, to) != 0) return -1;
    const int file = names_.at(name_of(from));
    changes_.push_back({Change::kRename, file, 0, {}, name_of(from), name_of(to)});
    names_.erase(name_of(from));
    names_[name_of(to)] = file;
    return 0;
  }
  int link(const char* from, const char* to) override {
    const std::lock_guard lock(mutex_);
    if (is_dead()) return fail();
    if (FileSystem::link(from, to) != 0) return -1;
    const std::string name = name_of(to);
    names_[name] = names_.at(name_of(from));
    changes_.push_back({Change::kName, names_[name], 0, {}, name, {}});
    return 0;
  }
  int unlink(const char* path) override {
    const std::lock_guard lock(mutex_);
    if (is_dead()) return fail();
    if (FileSystem::unlink(path) != 0) return -1;
    changes_.push_back({Change::kUnlink, names_.at(name_of(path)), 0, {}, name_of(path), {}});
    names_.erase(name_of(path));
    return 0;
  }

 private:
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  static constexpr std::uint64_t kSector = 512;
  using Names = std::map<std::string, int>;  // below the root; folders before their contents

  struct File {
    bool is_folder = false;
    std::string content;     // when the record began
    std::uint64_t size = 0;  // at present
  };
  struct Change {
    enum Kind { kWrite, kTruncate, kSync, kFailedSync, kName, kRename, kUnlink } kind;
    int file;
    std::uint64_t offset;  // or size
    std::string bytes;
    std::string name, to;
  };
  struct Open {
    int file;
    std::uint64_t offset;
    bool appends;
  };

  void leave(std::size_t moment, const std::vector<bool>& sure, const std::string& folder,
             TestRandom& random) const {
    for (const auto& [name, file] : names_after(moment, sure, random)) {
      const std::string path = folder + "/" + name;
      if (files_[file].is_folder) {
        std::filesystem::create_directory(path);
      } else if (std::filesystem::is_directory(std::filesystem::path(path).parent_path())) {
        std::ofstream(path, std::ios::binary) << content_after(file, moment, sure, random);
      }
    }
  }
  bool is_dead() const { return changes_.size() >= last_; }
  static int fail() {
    errno = EIO;
    return -1;
  }
  std::string name_of(const std::string& path) const {
    return path.size() > root_.size() ? path.substr(root_.size() + 1) : std::string();
  }
  int new_file(bool is_folder) {
    files_.push_back({is_folder, {}, 0});
    return static_cast<int>(files_.size()) - 1;
  }
  void record_write(int file, std::uint64_t offset, const void* bytes, std::size_t size) {
    changes_.push_back(
        {Change::kWrite, file, offset, std::string(static_cast<const char*>(bytes), size), {}, {}});
    files_[file].size = std::max(files_[file].size, offset + size);
  }
  void truncate(int file, std::uint64_t size) {
    changes_.push_back({Change::kTruncate, file, size, {}, {}, {}});
    files_[file].size = size;
  }
  int sync(int fd) {
    const std::lock_guard lock(mutex_);
    if (is_dead()) return fail();
    const auto known = open_.find(fd);
    const int file = known == open_.end() ? kRoot : known->second.file;
    const auto has_file = [&](const auto& name) { return name.second == file; };
    const auto name = std::find_if(names_.begin(), names_.end(), has_file);
    if (!failing_sync_.empty() && name != names_.end() &&
        name->first.find(failing_sync_) != std::string::npos) {
      failing_sync_.clear();
      changes_.push_back({Change::kFailedSync, file, 0, {}, {}, {}});
      return fail();
    }
    changes_.push_back({Change::kSync, file, 0, {}, {}, {}});
    return 0;
  }

  // Which changes are sure to have happened: those whose next sync, of their file or folder,
  // succeeded.
  std::vector<bool> sure_changes(std::size_t moment) const {
    std::vector<bool> sure(moment);
    std::map<int, std::vector<std::size_t>> waiting;
    for (std::size_t i = 0; i < moment; ++i) {
      const Change& change = changes_[i];
      if (change.kind == Change::kSync) {
        for (const std::size_t done : waiting[change.file]) sure[done] = true;
        waiting[change.file].clear();
      } else if (change.kind == Change::kFailedSync) {
        waiting[change.file].clear();
      } else if (change.kind == Change::kWrite || change.kind == Change::kTruncate) {
        waiting[change.file].push_back(i);
      } else {
        waiting[folder_of(change.name)].push_back(i);
      }
    }
    return sure;
  }
  int folder_of(const std::string& name) const {
    const std::size_t slash = name.rfind('/');
    if (slash == std::string::npos) return kRoot;
    for (const Change& change : changes_)
      if (change.kind == Change::kName && change.name == name.substr(0, slash)) return change.file;
    return first_names_.at(name.substr(0, slash));
  }

  Names names_after(std::size_t moment, const std::vector<bool>& sure, TestRandom& random) const {
    // Most file systems keep the order of changes to names. Of these states a third do not.
    const bool keeps_order = random.below(3) > 0;
    std::vector<std::size_t> unsure;
    for (std::size_t i = 0; i < moment; ++i)
      if (changes_[i].kind >= Change::kName && !sure[i]) unsure.push_back(i);
    const std::size_t kept = random.below(unsure.size() + 1);
    Names names = first_names_;
    for (std::size_t i = 0, seen = 0; i < moment; ++i) {
      const Change& change = changes_[i];
      if (change.kind < Change::kName) continue;
      if (!sure[i] && (keeps_order ? seen++ >= kept : random.below(2) == 0)) continue;
      const auto from = names.find(change.name);
      if (change.kind == Change::kName) {
        names[change.name] = change.file;
        continue;
      }
      if (from != names.end() && from->second == change.file) names.erase(from);
      if (change.kind == Change::kRename) names[change.to] = change.file;
    }
    return names;
  }

  std::string content_after(int file, std::size_t moment, const std::vector<bool>& sure,
                            TestRandom& random) const {
    enum Style { kNone, kAll, kUpTo, kAny } style = static_cast<Style>(random.below(4));
    std::size_t unsure = 0;
    for (std::size_t i = 0; i < moment; ++i)
      unsure += changes_[i].file == file && changes_[i].kind <= Change::kTruncate && !sure[i];
    const std::size_t up_to = random.below(unsure + 1);
    std::string content = files_[file].content;
    for (std::size_t i = 0, seen = 0; i < moment; ++i) {
      const Change& change = changes_[i];
      if (change.file != file || change.kind > Change::kTruncate) continue;
      bool happened = sure[i] || style == kAll;
      bool in_part = false;
      if (!happened && style == kUpTo) {
        happened = seen <= up_to;
        in_part = seen++ == up_to;
      } else if (!happened && style == kAny) {
        happened = random.below(3) > 0;
        in_part = random.below(2) == 0;
      }
      if (!happened) continue;
      if (change.kind == Change::kTruncate) {
        content.resize(static_cast<std::size_t>(change.offset));
        continue;
      }
      const std::uint64_t end = change.offset + change.bytes.size();
      const int tear = in_part ? static_cast<int>(random.below(4)) : 4;
      std::uint64_t first = end;  // first byte that is not written
      if (tear < 2) first = change.offset + random.below(change.bytes.size() + 1);
      if (tear == 1) first = std::max(change.offset, first / kSector * kSector);
      const std::uint64_t last = tear < 2 ? first : end;  // the file has at least this size
      if (content.size() < last) content.resize(static_cast<std::size_t>(last));
      for (std::uint64_t at = change.offset; at < first;) {
        const std::uint64_t next = std::min(first, (at / kSector + 1) * kSector);
        // Of a partial write, some sectors reach the disk, or only the new size of the file does.
        if (tear == 4 || tear < 2 || (tear == 2 && random.below(2) == 0))
          std::copy_n(change.bytes.begin() + static_cast<std::ptrdiff_t>(at - change.offset),
                      next - at, content.begin() + static_cast<std::ptrdiff_t>(at));
        at = next;
      }
    }
    return content;
  }

  static constexpr int kRoot = -1;

  const std::string root_;
  mutable std::mutex mutex_;
  Names first_names_, names_;
  std::vector<File> files_;
  std::map<int, Open> open_;
  std::vector<Change> changes_;
  std::size_t last_ = kNever;
  std::string failing_sync_;
};

}  // namespace benzer
