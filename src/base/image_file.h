// Limits the files of images, for what reads them and what decodes them.
#pragma once

#include <cstdint>

namespace benzer {

// Larger files are documents, but are not decoded.
inline constexpr std::uint64_t kMostImageFileBytes = std::uint64_t{128} << 20;

}  // namespace benzer
