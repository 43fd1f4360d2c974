#include "features/image_features.h"

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <xxhash.h>

#include "benzer/error.h"

#include "base/file.h"
#include "image/file_hash.h"
#include "image/grid16.h"
#include "image/hash_features.h"
#include "image/hashes.h"
#include "image/near_features.h"
#include "image/sift_features.h"

namespace benzer::internal {
namespace {

// Images are reduced to this longest side first; the published PDQ reads no larger ones.
constexpr std::uint32_t kLongest = kLongestWithPoints;
// The grey of a cell of the grid is divided by this, which leaves 16 levels.
constexpr int kGridStep = 16;
// Below this quality the authors of PDQ consider a hash noise (ThreatExchange, pdq/README).
constexpr int kLeastQuality = 50;

ImageHash hash_of(ImageFeatures::Kind kind, const Picture& grey) {
  switch (kind) {
    case ImageFeatures::Kind::kDhash:
      return dhash(grey);
    case ImageFeatures::Kind::kPhash:
      return phash(grey);
    case ImageFeatures::Kind::kPdq:
    case ImageFeatures::Kind::kNear:
    case ImageFeatures::Kind::kSift:
    case ImageFeatures::Kind::kGrid16:  // these three are not hashes
      break;
  }
  return pdq(grey);
}

// Adds a feature for each cell: the cell and its level are one unit, hashed like any other. Returns
// false, and adds nothing, if all cells have one level.
bool add_grid(const Picture& grey, const HashKeys& keys, std::vector<std::uint64_t>& out) {
  auto levels = grid16(grey);
  for (std::uint8_t& level : levels) level /= kGridStep;
  if (std::equal(levels.begin() + 1, levels.end(), levels.begin())) return false;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const char unit[2] = {static_cast<char>(i), static_cast<char>(levels[i])};
    out.push_back(finish(hash_unit({unit, sizeof unit}, keys) + keys.of_count(1)));
  }
  return true;
}

NearFeatures near_features_of(const Picture& grey, std::string_view file) {
  NearFeatures out = near_features(grey);
  if (has_little_contrast(out)) out.file = hash_of_file(file);
  return out;
}

// The features of a file whose pictures are not compared: hashes that are those of no picture, so
// that hardly any pair is laid over each other, and a thumbnail that is similar to none.
NearFeatures near_features_of(std::string_view file) {
  NearFeatures out;
  out.file = hash_of_file(file);
  for (ImageHash* hash : {&out.whole, &out.inner})
    for (std::size_t i = 0; i < hash->words.size(); ++i)
      hash->words[i] = XXH3_64bits_withSeed(out.file.words.data(), sizeof out.file.words, i + 1);
  return out;
}

}  // namespace

std::shared_ptr<const VisualWords> vocabulary_of(const ImageFeatures& features) {
  if (features.kind != ImageFeatures::Kind::kSift) return nullptr;
  if (features.words.empty()) return {std::shared_ptr<void>(), &VisualWords::built_in()};
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  std::string bytes;
  if (const int error = read_whole(features.words, kMostBytes, bytes))
    throw Error(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kBadInput,
                Subject::file(features.words),
                fmt::format("the vocabulary cannot be read: {}", system_message(error)));
  return std::make_shared<const VisualWords>(VisualWords::read(bytes, features.words));
}

PictureFeatures::PictureFeatures(const FeatureSpec& spec)
    : features_(*spec.image()), keys_(spec.seed), words_(vocabulary_of(features_)) {}

PictureFeatures::Result PictureFeatures::extract(std::string_view bytes) const {
  Result out;
  DecodedImage image = decoder_.decode(bytes, {.colour = false, .longest = kLongest});
  out.problem = std::move(image.problem);
  const Picture& grey = image.picture;
  if (!out.problem.empty() || grey.empty()) return out;
  out.pixels = std::uint64_t{image.width} * image.height;
  if (image.is_animation) {  // its frames may differ from the second one on
    if (features_.kind == ImageFeatures::Kind::kNear)
      add_near_features(near_features_of(bytes), out.features);
    else
      add_file_features(hash_of_file(bytes), out.features);
    return out;
  }
  switch (features_.kind) {
    case ImageFeatures::Kind::kNear:
      add_near_features(near_features_of(grey, bytes), out.features);
      break;
    case ImageFeatures::Kind::kSift:
      out.has_little_detail = !add_details(grey, out.features);
      break;
    case ImageFeatures::Kind::kPdq:
    case ImageFeatures::Kind::kDhash:
    case ImageFeatures::Kind::kPhash:
      out.has_little_detail = !add_hashes(grey, out.features);
      break;
    case ImageFeatures::Kind::kGrid16:
      out.has_little_detail = !add_grid(grey, keys_, out.features);
      break;
  }
  if (out.has_little_detail) {
    out.features.clear();
    add_file_features(hash_of_file(bytes), out.features);
  }
  return out;
}

bool PictureFeatures::add_details(const Picture& grey, std::vector<std::uint64_t>& out) const {
  add_sift_features(grey, *words_, out);
  return out.size() >= kFewestPoints;
}

bool PictureFeatures::add_hashes(const Picture& grey, std::vector<std::uint64_t>& out) const {
  const ImageHash hash = hash_of(features_.kind, grey);
  const int quality =
      features_.kind == ImageFeatures::Kind::kPdq ? hash.quality : pdq(grey).quality;
  if (quality < kLeastQuality) return false;
  const int bits = features_.hash_bits();
  add_hash_features(hash, bits, 0, out);
  for (int orientation = 1; features_.turned && orientation < kOrientations; ++orientation)
    add_hash_features(hash_of(features_.kind, turned(grey, orientation)), bits, orientation, out);
  return true;
}

}  // namespace benzer::internal
