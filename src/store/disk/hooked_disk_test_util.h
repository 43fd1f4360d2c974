// Provides stores that flush and merge all the time, and disks that call a test's function
// meanwhile.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>

#include "base/recording_disk.h"
#include "store/disk/disk_store.h"
#include "store/store_test_util.h"

namespace benzer {

// So small that logs end and segments are written and merged all the time.
inline const DiskOptions kSmall{.memtable_bytes = 1200};

inline std::unique_ptr<DiskStore> open_small(const std::string& path,
                                             const DiskOptions& options = kSmall) {
  return std::make_unique<DiskStore>(path, kNarrowLayout, kFingerprint, options);
}

// A function of a test that runs at some point of the store's work. It may be set and removed while
// the threads of the store are at work.
class Hook {
 public:
  void operator=(std::function<void()> what) {
    const std::lock_guard lock(mutex_);
    what_ = std::move(what);
  }
  void run() {
    std::unique_lock lock(mutex_);
    const std::function<void()> what = what_;
    lock.unlock();  // since the hook may run again inside of the call
    if (what) what();
  }

 private:
  std::mutex mutex_;
  std::function<void()> what_;
};

// A disk that runs a hook whenever a segment is about to be written.
class HookedDisk : public RecordingDisk {
 public:
  using RecordingDisk::RecordingDisk;
  int open(const char* path, int flags, mode_t mode) override {
    if ((flags & O_CREAT) != 0 && std::string_view(path).find("segment-") != std::string::npos)
      hook.run();
    return RecordingDisk::open(path, flags, mode);
  }
  int unlink(const char* path) override {
    if (std::string_view(path).find("log-") != std::string::npos) unlink_hook.run();
    return RecordingDisk::unlink(path);
  }
  Hook hook;
  Hook unlink_hook;  // whenever a log is about to be deleted
};

// A disk so slow that others write while a log is frozen and a segment is written.
class SlowDisk : public HookedDisk {
 public:
  explicit SlowDisk(const std::string& root) : HookedDisk(root) {
    hook = [] { std::this_thread::sleep_for(std::chrono::microseconds(500)); };
  }
  int fsync(int fd) override {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    return RecordingDisk::fsync(fd);
  }
};

// How many random states a test checks.
inline std::uint64_t crash_states(std::uint64_t otherwise = 2000) {
  return test_amount("BENZER_CRASH_STATES", otherwise);
}

}  // namespace benzer
