// The CPU level for which the hot loops run. All levels give identical bytes; only speed differs.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace benzer {

enum class CpuLevel { kBaseline, kAvx2, kAvx512 };

// "baseline", "avx2", "avx512"
std::string_view cpu_level_name(CpuLevel level) noexcept;
std::optional<CpuLevel> cpu_level_by_name(std::string_view name) noexcept;

// The levels that this machine can run, slowest first; never empty.
std::vector<CpuLevel> available_cpu_levels();

// The level in use: the best available one unless it was forced. Extractors and minhashers read it
// when they are constructed.
CpuLevel active_cpu_level() noexcept;

// Forces a level, for tests and measurements. Throws Error(kInvalidArgument) if this machine cannot
// run it. Not to be called while extractors or minhashers are being constructed.
void force_cpu_level(CpuLevel level);

}  // namespace benzer
