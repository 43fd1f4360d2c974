#include "sampled_figures.h"

#include <chrono>
#include <utility>

#include "benzer/error.h"
#include "benzer/runtime.h"

namespace benzer::server {
namespace {

constexpr std::uint32_t kSample = 200;
constexpr std::int64_t kLast = 60;  // seconds
constexpr auto kLook = std::chrono::milliseconds(10);

}  // namespace

std::shared_ptr<const SampleFigures> SampledFigures::recent(std::uint64_t size) const {
  const std::lock_guard lock(mutex_);
  const bool is_recent = uptime_seconds() - at_ < kLast && (size > kSample || size == of_);
  return is_recent ? known_.figures : nullptr;
}

std::shared_ptr<const SampleFigures> SampledFigures::get(const std::atomic<bool>* stop) {
  const std::uint64_t size = index_.size();
  if (auto figures = recent(size)) return figures;
  std::unique_lock sampling(sampling_, std::defer_lock);
  while (!sampling.try_lock_for(kLook)) {
    throw_if_stopped(stop);
    // Those of a moment ago are better than waiting for the next ones.
    if (auto figures = known().figures) return figures;
  }
  if (auto figures = recent(size)) return figures;
  std::shared_ptr<const SampleFigures> figures;
  try {
    figures = std::make_shared<const SampleFigures>(index_.sample(kSample, 0, stop));
  } catch (const Error& error) {
    const std::lock_guard lock(mutex_);
    if (error.code() != ErrorCode::kInterrupted) known_.has_failed = true;
    throw;
  }
  const std::lock_guard lock(mutex_);
  known_ = {figures, false};
  at_ = uptime_seconds();
  of_ = size;
  return figures;
}

SampledFigures::Known SampledFigures::known() {
  const std::lock_guard lock(mutex_);
  is_wanted_ = true;
  return known_;
}

void SampledFigures::refresh(const std::atomic<bool>* stop) {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(is_wanted_, false)) return;
  }
  get(stop);
}

}  // namespace benzer::server
