#include "image/visual_words.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <xxhash.h>

#include "benzer/error.h"

#include "base/parallel.h"
#include "base/splitmix.h"

namespace benzer {
namespace {

constexpr int kLloydRounds = 20;
constexpr int kFirstBits = 13;  // words of up to this many bits have weight 1, +1 for each more bit
constexpr int kEighths = 8;
constexpr std::size_t kGrain = 1024;
constexpr std::string_view kMagic = "benzer words 1\n\n";

// The sign of a place of a descriptor along a direction: pseudo-random, and the same everywhere.
bool is_minus(std::size_t direction, std::size_t place) {
  return (splitmix64(direction << 8 | place) & 1) != 0;
}

template <std::size_t kSize>
std::int32_t squared_distance(const std::uint8_t* a, const std::array<std::uint8_t, kSize>& b) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < kSize; ++i) {
    const std::int32_t difference = a[i] - b[i];
    sum += difference * difference;
  }
  return sum;
}

// The index of the nearest centre; the first one, if several are equally near.
template <class Centres>
std::size_t nearest(const std::uint8_t* half, const Centres& centres) {
  std::size_t best = 0;
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  for (std::size_t i = 0; i < centres.size(); ++i)
    if (const std::int32_t distance = squared_distance(half, centres[i]); distance < least) {
      least = distance;
      best = i;
    }
  return best;
}

void append(std::string& out, const std::uint8_t* bytes, std::size_t size) {
  out.append(reinterpret_cast<const char*>(bytes), size);
}

// Little-endian.
template <class Number>
void append_number(std::string& out, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i)
    out.push_back(static_cast<char>(number >> (8 * i) & 0xFF));
}

template <class Number>
Number read_number(const char* from) {
  Number out = 0;
  for (std::size_t i = 0; i < sizeof out; ++i)
    out |= Number{static_cast<unsigned char>(from[i])} << (8 * i);
  return out;
}

template <std::size_t kDirections>
std::array<std::int32_t, kDirections> along_directions(const Descriptor& descriptor) {
  static const auto signs = [] {
    std::array<std::array<std::int8_t, std::tuple_size_v<Descriptor>>, kDirections> out;
    for (std::size_t direction = 0; direction < kDirections; ++direction)
      for (std::size_t place = 0; place < out[direction].size(); ++place)
        out[direction][place] = is_minus(direction, place) ? -1 : 1;
    return out;
  }();
  std::array<std::int32_t, kDirections> out{};
  for (std::size_t direction = 0; direction < kDirections; ++direction)
    for (std::size_t place = 0; place < descriptor.size(); ++place)
      out[direction] += signs[direction][place] * descriptor[place];
  return out;
}

}  // namespace

VisualWords::Word VisualWords::word(const Descriptor& descriptor) const noexcept {
  Word out;
  int rarity = 0;
  for (std::size_t half = 0; half < kHalves; ++half) {
    const std::size_t centre = nearest(descriptor.data() + half * kHalfSize, centres_[half]);
    out.number = static_cast<std::uint16_t>(out.number << 8 | centre);
    rarity += rarities_[half][centre];
  }
  out.weight = std::clamp(1 + (rarity - kFirstBits * kEighths) / kEighths, 1, kMostWeight);
  const auto along = along_directions<kDirections>(descriptor);
  for (std::size_t i = 0; i < kDirections; ++i)
    if (along[i] > medians_[i]) out.side = static_cast<std::uint16_t>(out.side | 1u << i);
  return out;
}

void VisualWords::train_half(std::size_t half, std::span<const Descriptor> examples, int threads,
                             const Progress& progress) {
  auto& centres = centres_[half];
  const auto half_of = [&](std::size_t i) { return examples[i].data() + half * kHalfSize; };
  // Examples are ordered by image, so the initial centres come from different images.
  for (std::size_t i = 0; i < kCentres; ++i)
    std::memcpy(centres[i].data(), half_of(i * examples.size() / kCentres), kHalfSize);
  std::vector<std::uint8_t> centre_of(examples.size());
  std::vector<std::uint64_t> counts;
  for (int round = 0; round <= kLloydRounds; ++round) {
    parallel_for(threads, examples.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        centre_of[i] = static_cast<std::uint8_t>(nearest(half_of(i), centres));
    });
    counts.assign(kCentres, 0);
    std::vector<std::array<std::uint64_t, kHalfSize>> sums(kCentres);
    for (std::size_t i = 0; i < examples.size(); ++i) {
      ++counts[centre_of[i]];
      for (std::size_t place = 0; place < kHalfSize; ++place)
        sums[centre_of[i]][place] += half_of(i)[place];
    }
    if (progress)
      progress(static_cast<int>(half) * (kLloydRounds + 1) + round + 1, 2 * (kLloydRounds + 1));
    if (round == kLloydRounds) break;  // the last round only counts
    for (std::size_t i = 0; i < kCentres; ++i) {
      if (counts[i] > 0) {
        for (std::size_t place = 0; place < kHalfSize; ++place)
          centres[i][place] =
              static_cast<std::uint8_t>((sums[i][place] + counts[i] / 2) / counts[i]);
      } else {
        // No example is nearest to this centre, so it starts again from an arbitrary one.
        const std::uint64_t draw = half << 32 | static_cast<std::uint64_t>(round) << 16 | i;
        std::memcpy(centres[i].data(), half_of(splitmix64(draw) % examples.size()), kHalfSize);
      }
    }
  }
  for (std::size_t i = 0; i < kCentres; ++i) {
    const double share =
        static_cast<double>(counts[i] + 1) / static_cast<double>(examples.size() + kCentres);
    rarities_[half][i] =
        static_cast<std::uint8_t>(std::min(255L, std::lround(-std::log2(share) * kEighths)));
  }
}

VisualWords VisualWords::train(std::span<const Descriptor> examples, int threads,
                               const Progress& progress) {
  if (examples.size() < kFewest)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the pictures have {} key points, and it takes {} to learn words from",
                            examples.size(), kFewest),
                "give more pictures, or larger ones with more detail");
  VisualWords out;
  for (std::size_t half = 0; half < kHalves; ++half)
    out.train_half(half, examples, threads, progress);
  std::array<std::vector<std::int32_t>, kDirections> along;
  for (const Descriptor& descriptor : examples) {
    const auto values = along_directions<kDirections>(descriptor);
    for (std::size_t i = 0; i < kDirections; ++i) along[i].push_back(values[i]);
  }
  for (std::size_t i = 0; i < kDirections; ++i) {
    const auto middle = along[i].begin() + static_cast<std::ptrdiff_t>(along[i].size() / 2);
    std::nth_element(along[i].begin(), middle, along[i].end());
    out.medians_[i] = *middle;
  }
  return out;
}

std::string VisualWords::write() const {
  std::string out(kMagic);
  for (const auto& half : centres_)
    for (const Centre& centre : half) append(out, centre.data(), centre.size());
  for (const auto& half : rarities_) append(out, half.data(), half.size());
  for (const std::int32_t median : medians_) append_number(out, static_cast<std::uint32_t>(median));
  append_number(out, XXH3_64bits(out.data(), out.size()));
  return out;
}

VisualWords VisualWords::read(std::string_view bytes, std::string_view name) {
  VisualWords out;
  constexpr std::size_t kSize = kMagic.size() + sizeof out.centres_ + sizeof out.rarities_ +
                                sizeof out.medians_ + sizeof(std::uint64_t);
  const auto fail = [&](std::string_view what, ErrorCode code = ErrorCode::kCorrupt) {
    throw Error(code, Subject::file(std::string(name)), what,
                "give a file that 'benzer train-words' wrote");
  };
  if (!bytes.starts_with(kMagic))
    fail("it is not a vocabulary of this version", ErrorCode::kBadInput);
  if (bytes.size() != kSize)
    fail(fmt::format("the vocabulary has {} bytes in place of {}", bytes.size(), kSize));
  const std::size_t content = kSize - sizeof(std::uint64_t);
  if (read_number<std::uint64_t>(bytes.data() + content) != XXH3_64bits(bytes.data(), content))
    fail("the vocabulary is damaged: its checksum does not fit");
  const char* at = bytes.data() + kMagic.size();
  const auto take = [&](void* to, std::size_t size) {
    std::memcpy(to, at, size);
    at += size;
  };
  take(out.centres_.data(), sizeof out.centres_);
  take(out.rarities_.data(), sizeof out.rarities_);
  for (std::int32_t& median : out.medians_) {
    median = static_cast<std::int32_t>(read_number<std::uint32_t>(at));
    at += sizeof median;
  }
  return out;
}

}  // namespace benzer
