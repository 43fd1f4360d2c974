// Keeps figures of a sample of an index for a while, because taking one may take long.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>

#include "benzer/index.h"

namespace benzer::server {

// Seconds of a clock that is never set.
inline std::int64_t uptime_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Thread-safe.
class SampledFigures {
 public:
  explicit SampledFigures(const Index& index) : index_(index) {}

  // Figures of 200 documents, at most 60 s old. Waits if another thread takes a sample. stop: ends
  // the sample and the waiting with Error(kInterrupted). Throws what Index::sample() throws.
  std::shared_ptr<const SampleFigures> get(const std::atomic<bool>* stop);

  struct Known {
    std::shared_ptr<const SampleFigures> figures;  // null: there was no sample yet
    bool has_failed = false;                       // the last one
  };
  // Returns the last figures at once, however old they are. Old ones are then wanted.
  Known known();
  // Takes a sample if one is wanted.
  void refresh(const std::atomic<bool>* stop);

 private:
  std::shared_ptr<const SampleFigures> recent(std::uint64_t size) const;

  const Index& index_;
  std::timed_mutex sampling_;
  mutable std::mutex mutex_;  // guards the following members
  Known known_;
  std::int64_t at_ = 0;   // uptime_seconds()
  std::uint64_t of_ = 0;  // size of the index when the sample was taken
  bool is_wanted_ = false;
};

}  // namespace benzer::server
