#include "image/codecs/shrink.h"

#include <algorithm>

namespace benzer {

Shrinker::Shrinker(ImageSize from, ImageSize to, std::uint32_t channels)
    : from_(from), to_(to), missing_(from.height) {
  picture_ = {to.width, to.height, channels, {}};
  picture_.pixels.resize(std::size_t{to.width} * to.height * channels);
  if (from == to) return;
  spans_.reserve(to.width);
  for (std::uint64_t x = 0; x < to.width; ++x) {
    const std::uint64_t begin = x * from.width;
    const std::uint64_t end = begin + from.width;
    // The span is at least as long as a pixel, so it ends at the end of the first pixel or later.
    const std::uint64_t first = begin / to.width;
    const std::uint64_t first_weight = (first + 1) * to.width - begin;
    const std::uint64_t last = end / to.width;
    spans_.push_back({first_weight, end - last * to.width, static_cast<std::uint32_t>(first),
                      static_cast<std::uint32_t>(last - first - 1)});
  }
  columns_.resize(std::size_t{from.width} * channels);
}

void Shrinker::add_row(const std::uint8_t* row) {
  if (from_ == to_) {
    const std::size_t size = std::size_t{to_.width} * picture_.channels;
    std::copy_n(row, size, picture_.pixels.data() + done_);
    done_ += size;
    return;
  }
  for (std::uint32_t left = to_.height; left > 0;) {
    const std::uint32_t part = std::min(left, missing_);
    for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i] += part * row[i];
    left -= part;
    missing_ -= part;
    if (missing_ == 0) picture_.channels == 1 ? emit<1>() : emit<3>();
  }
}

template <std::uint32_t kChannels>
void Shrinker::emit() {
  const std::uint64_t area = std::uint64_t{from_.width} * from_.height;
  // A product is several times faster than a division, and off by one at most.
  const double inverse = 1 / static_cast<double>(area);
  for (const Span& span : spans_) {
    const std::uint32_t* in = columns_.data() + std::size_t{span.first} * kChannels;
    const std::uint32_t* last = in + (std::size_t{span.whole} + 1) * kChannels;
    std::uint64_t whole[kChannels] = {};
    for (const std::uint32_t* at = in + kChannels; at != last; at += kChannels)
      for (std::uint32_t c = 0; c < kChannels; ++c) whole[c] += at[c];
    for (std::uint32_t c = 0; c < kChannels; ++c) {
      std::uint64_t sum = area / 2 + in[c] * span.first_weight + whole[c] * to_.width;
      if (span.last_weight > 0) sum += last[c] * span.last_weight;  // else it may be past the row
      auto mean = static_cast<std::uint64_t>(static_cast<double>(sum) * inverse);
      if (mean * area > sum) {
        --mean;
      } else if ((mean + 1) * area <= sum) {
        ++mean;
      }
      picture_.pixels[done_++] = static_cast<std::uint8_t>(mean);
    }
  }
  std::fill(columns_.begin(), columns_.end(), 0u);
  missing_ = from_.height;
}

}  // namespace benzer
