#include "report/picture_evidence.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/similarity.h"

#include "features/image_features.h"
#include "image/area.h"
#include "image/file_hash.h"
#include "image/hash_features.h"
#include "image/hashes.h"
#include "image/sift_features.h"
#include "image/size.h"
#include "report/laid_over.h"

namespace benzer::report {
namespace {

Picture grey_of(const Picture& colour) {
  Picture out{colour.width, colour.height, 1, {}};
  out.pixels.reserve(colour.pixels.size() / 3);
  for (std::size_t i = 0; i + 3 <= colour.pixels.size(); i += 3)
    out.pixels.push_back(static_cast<std::uint8_t>(
        (299 * colour.pixels[i] + 587 * colour.pixels[i + 1] + 114 * colour.pixels[i + 2] + 500) /
        1000));
  return out;
}

// Finds the orientation of b that is most similar to a, by PDQ hashes.
int best_orientation(const Picture& a, const Picture& b) {
  const ImageHash wanted = pdq(a);
  int best = 0, least = 257;
  for (int orientation = 0; orientation < kOrientations; ++orientation) {
    const int bits = distance(wanted, pdq(turned(b, orientation)));
    if (bits >= least) continue;
    least = bits;
    best = orientation;
  }
  return best;
}

}  // namespace

Picture difference_of(const Picture& a, const Picture& b) {
  const auto [width, height] = fitted({a.width, a.height}, kDifference);
  const Picture small_a = area_resized(a, width, height), small_b = area_resized(b, width, height);
  Picture out = small_a;
  for (std::size_t i = 0; i < out.pixels.size(); ++i)
    out.pixels[i] = static_cast<std::uint8_t>(
        std::min(255, kContrast * std::abs(small_a.pixels[i] - small_b.pixels[i])));
  return out;
}

PictureReader::PictureReader(const FeatureSpec& spec)
    : spec_(spec), words_(spec.image() ? internal::vocabulary_of(*spec.image()) : nullptr) {}

Evidence PictureReader::read(const Corpus& corpus, Corpus::Reader& reader,
                             std::uint32_t document) const {
  Evidence out;
  out.document = reported_document(corpus, document);
  const DocumentView view = reader.read(document);
  out.document.bytes = view.bytes;
  out.numbers.assign(view.numbers.begin(), view.numbers.end());
  out.file = hash_of_file(view.text);
  ReportedPicture picture = shown(view.text, out.grey);
  // Details need more pixels than a thumbnail has.
  if (spec_.comparison() == Comparison::kDetails && !out.grey.empty()) {
    out.grey = decoded(view.text, {.colour = false, .longest = kLongestWithPoints}).picture;
    std::vector<std::uint64_t> features;
    if (!out.grey.empty()) add_sift_features(out.grey, *words_, features);
    out.words = read_sift_features(features);
  }
  out.document.picture = std::make_shared<const ReportedPicture>(std::move(picture));
  return out;
}

// Makes a thumbnail, and sets `grey` to its greys; they are empty if there is none.
ReportedPicture PictureReader::shown(std::string_view bytes, Picture& grey) const {
  ReportedPicture out;
  DecodedImage image = decoded(bytes, {.colour = true, .longest = kThumbnail});
  // The features saw greys, which libjpeg decodes of some files whose colours it refuses.
  if (image.picture.empty()) {
    out.problem = std::move(image.problem);
    image = decoded(bytes, {.colour = false, .longest = kThumbnail});
    grey = image.picture;
  } else {
    grey = grey_of(image.picture);
  }
  out.width = image.width;
  out.height = image.height;
  out.format = image.format;
  if (!image.picture.empty()) out.jpeg = encoded(image.picture, out.problem);
  return out;
}

DecodedImage PictureReader::decoded(std::string_view bytes, const DecodeRequest& request) const {
  try {
    return decoder_.decode(bytes, request);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnavailable) throw;
    DecodedImage out;
    out.problem = error.what();
    return out;
  }
}

std::string PictureReader::encoded(const Picture& picture, std::string& problem) const {
  try {
    return decoder_.encode_jpeg(picture);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnavailable) throw;
    problem = error.what();
    return {};
  }
}

ReportedPair PictureReader::compare(const Evidence& a, const Evidence& b, double score) const {
  ReportedPair out;
  out.a = a.document;
  out.b = b.document;
  out.score = score;
  out.same_file = a.file == b.file;
  out.distance = distance_of_score(spec_, score);
  const bool turns = spec_.image() && spec_.image()->turned;
  if (out.same_file || a.grey.empty() || b.grey.empty()) return out;
  const int orientation = turns ? best_orientation(a.grey, b.grey) : 0;
  out.turned = orientation != 0;
  std::string problem;  // of the difference alone, which the page does without
  if (spec_.comparison() == Comparison::kDetails)
    if (const auto laid = laid_over(a.grey, a.words, b.grey, b.words)) {
      out.shown = {laid->share_of_a, laid->share_of_b};
      const auto [width, height] = fitted({laid->picture.width, laid->picture.height}, kDifference);
      out.difference = encoded(area_resized(laid->picture, width, height), problem);
      return out;
    }
  out.difference =
      encoded(difference_of(a.grey, out.turned ? turned(b.grey, orientation) : b.grey), problem);
  return out;
}

}  // namespace benzer::report
