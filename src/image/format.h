// Numbers the image formats, as parent and child send them.
#pragma once

#include <cstdint>

namespace benzer {

enum class ImageFormat : std::uint32_t { kNone, kJpeg, kPng, kWebp, kGif, kPnm };

inline constexpr const char* kFormatNames[] = {"", "JPEG", "PNG", "WebP", "GIF", "PNM"};

inline const char* format_name(ImageFormat format) noexcept {
  return kFormatNames[static_cast<std::uint32_t>(format)];
}

}  // namespace benzer
