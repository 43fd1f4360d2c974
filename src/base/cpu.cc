#include <array>
#include <atomic>
#include <cstdlib>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/internal/text.h"
#include "benzer/runtime.h"

namespace benzer {
namespace {

constexpr std::array kLevels = {CpuLevel::kBaseline, CpuLevel::kAvx2, CpuLevel::kAvx512};
constexpr EnumName<CpuLevel> kNames[] = {
    {CpuLevel::kBaseline, "baseline"}, {CpuLevel::kAvx2, "avx2"}, {CpuLevel::kAvx512, "avx512"}};

// The built-in asks the processor and the operating system: a level whose registers the system does
// not save is not reported.
bool runs_here(CpuLevel level) noexcept {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                    __builtin_cpu_supports("lzcnt");
  switch (level) {
    case CpuLevel::kBaseline:
      return true;
    case CpuLevel::kAvx2:
      return avx2;
    case CpuLevel::kAvx512:
      return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  }
  return false;
#else
  return level == CpuLevel::kBaseline;
#endif
}

CpuLevel first_choice() noexcept {
  if (const char* wish = std::getenv("BENZER_CPU")) {
    const auto level = cpu_level_by_name(wish);
    if (level && runs_here(*level)) return *level;
  }
  for (auto level = kLevels.rbegin(); level != kLevels.rend(); ++level) {
    if (runs_here(*level)) return *level;
  }
  return CpuLevel::kBaseline;
}

std::atomic<CpuLevel>& active() noexcept {
  static std::atomic<CpuLevel> level{first_choice()};
  return level;
}

}  // namespace

std::string_view cpu_level_name(CpuLevel level) noexcept { return name_in(kNames, level); }

std::optional<CpuLevel> cpu_level_by_name(std::string_view name) noexcept {
  return value_in(kNames, name);
}

std::vector<CpuLevel> available_cpu_levels() {
  std::vector<CpuLevel> levels;
  for (const CpuLevel level : kLevels) {
    if (runs_here(level)) levels.push_back(level);
  }
  return levels;
}

CpuLevel active_cpu_level() noexcept { return active().load(std::memory_order_relaxed); }

void force_cpu_level(CpuLevel level) {
  if (!runs_here(level)) {
    std::string allowed;
    for (const CpuLevel other : available_cpu_levels()) {
      allowed += (allowed.empty() ? "" : ", ") + std::string(cpu_level_name(other));
    }
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("CPU level {} cannot run on this machine, which offers {}.",
                            cpu_level_name(level), allowed));
  }
  active().store(level, std::memory_order_relaxed);
}

}  // namespace benzer
