#include "research/raw_shingles.h"

#include <algorithm>
#include <string>
#include <vector>

#include "benzer/research/classics/scala.h"
#include "benzer/runtime.h"

#include "base/splitmix.h"
#include "base/white_space.h"
#include "features/origins.h"
#include "features/reference.h"

namespace benzer {
namespace {

using internal::Origin;
using Hash = TextFeatures::Hash;

// Makes a feature of a hash of 32 bits, which is its lower half. The upper half is a function of
// it, as sketches need all bits of a feature to look random.
std::uint64_t of_four_bytes(std::uint32_t hash) noexcept {
  return (splitmix64(hash) & ~std::uint64_t{0xFFFFFFFF}) | hash;
}

std::uint64_t of_djb2a(std::string_view bytes) noexcept {
  return of_four_bytes(static_cast<std::uint32_t>(classics::scala::djb2a(bytes)));
}

// +4bytes keeps the upper half of a hash, whose bits are the most random.
std::uint64_t shortened(std::uint64_t hash) noexcept {
  return of_four_bytes(static_cast<std::uint32_t>(hash >> 32));
}

}  // namespace

RawShingles::RawShingles(const FeatureSpec& spec)
    : features_(*spec.text()),
      keys_(spec.seed),
      kernels_(internal::text_kernels(active_cpu_level())) {}

std::size_t RawShingles::append(std::string_view piece, bool& after_white_space, char* out) const {
  if (!features_.squeeze) {
    std::copy(piece.begin(), piece.end(), out);
    return piece.size();
  }
  // White space that continues from the previous piece belongs to a blank that was written already.
  while (after_white_space && !piece.empty() && is_white_space(piece[0])) piece.remove_prefix(1);
  if (piece.empty()) return 0;
  after_white_space = is_white_space(piece.back());
  return squeeze_white_space(piece, out);
}

void RawShingles::hash_windows(const std::uint8_t* text, const std::uint32_t* positions,
                               std::size_t windows, std::size_t n, std::uint64_t* features) const {
  if (features_.hash == Hash::kDjb2a) {
    for (std::size_t i = 0; i < windows; ++i)
      features[i] = of_djb2a(
          {reinterpret_cast<const char*>(text) + positions[i], positions[i + n] - positions[i]});
    return;
  }
  kernels_.hash_windows(text, positions, windows, n, keys_, features);
  kernels_.finish_hashes(features, windows, n, keys_, features);
  if (features_.hash == Hash::kFourBytes)
    std::transform(features, features + windows, features, shortened);
}

// There are no words, and every byte of the result comes from its own place in the text.
TextTrace RawShingles::trace(std::string_view text) const {
  TextTrace trace;
  std::vector<Origin> from;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (features_.squeeze && is_white_space(text[i])) {
      if (!trace.normalised.empty() && trace.normalised.back() == ' ') {
        from.back().end = i + 1;
        continue;
      }
      trace.normalised += ' ';
    } else {
      trace.normalised += text[i];
    }
    from.push_back({i, i + 1});
  }
  const std::vector<std::size_t> at = internal::starts_of_code_points(trace.normalised);
  const std::size_t units = at.size() - 1;
  const auto wanted = static_cast<std::size_t>(features_.shingle);
  if (units == 0) return trace;
  trace.is_short = units < wanted;
  const std::size_t n = trace.is_short ? units : wanted;
  for (std::size_t i = 0; i + n <= units; ++i) {
    const std::size_t begin = trace.is_short ? 0 : at[i];
    const std::string shingle = trace.normalised.substr(begin, at[i + n] - begin);
    const std::uint64_t full =
        internal::finish(internal::hash_unit(shingle, keys_) + keys_.of_count(n));
    const std::uint64_t feature = features_.hash == Hash::kDjb2a       ? of_djb2a(shingle)
                                  : features_.hash == Hash::kFourBytes ? shortened(full)
                                                                       : full;
    trace.shingles.push_back({shingle, feature, from[begin].begin, from[at[i + n] - 1].end});
  }
  return trace;
}

}  // namespace benzer
