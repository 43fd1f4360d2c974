#include <array>
#include <atomic>
#include <cstdlib>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/internal/text.h"
#include "benzer/runtime.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace benzer {
namespace {

constexpr std::array kLevels = {CpuLevel::kBaseline, CpuLevel::kAvx2, CpuLevel::kAvx512};
constexpr EnumName<CpuLevel> kNames[] = {
    {CpuLevel::kBaseline, "baseline"}, {CpuLevel::kAvx2, "avx2"}, {CpuLevel::kAvx512, "avx512"}};

#if defined(__x86_64__)

bool has(unsigned features, unsigned wanted) noexcept { return (features & wanted) == wanted; }

// Asks the processor, and the operating system which registers it saves. Not by
// __builtin_cpu_supports(), which does not link with Zig.
bool runs_here(CpuLevel level) noexcept {
  if (level == CpuLevel::kBaseline) return true;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || !has(c, bit_OSXSAVE | bit_AVX | bit_POPCNT))
    return false;
  if (__get_cpuid(0x80000001, &a, &b, &c, &d) == 0 || !has(c, bit_LZCNT)) return false;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || !has(b, bit_AVX2 | bit_BMI | bit_BMI2))
    return false;
  unsigned saved = 0;
  __asm__("xgetbv" : "=a"(saved), "=d"(d) : "c"(0));
  if (level == CpuLevel::kAvx2) return has(saved, 0x06);
  // Also the masks and both halves of the registers of 512 bits.
  return has(saved, 0xE6) && has(b, bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL);
}

#else

bool runs_here(CpuLevel level) noexcept { return level == CpuLevel::kBaseline; }

#endif

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
