// From the bytes of an image file to features.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/config.h"

#include "features/hash.h"
#include "image/decoder.h"
#include "image/visual_words.h"

namespace benzer::internal {

// The vocabulary of image:sift: that of the file, or the one that is built in. Null for other
// features. Throws Error(kNotFound, kBadInput) for a file that cannot be read or is not one.
std::shared_ptr<const VisualWords> vocabulary_of(const ImageFeatures& features);

// Threads: immutable; any number may call extract().
class PictureFeatures {
 public:
  // spec: of images. Throws Error for a vocabulary that cannot be read.
  explicit PictureFeatures(const FeatureSpec& spec);

  struct Result {
    std::vector<std::uint64_t> features;
    // For a hash, or for image:sift: the one feature is of its pixels.
    bool has_little_detail = false;
    std::string problem;  // why there are none
  };
  Result extract(std::string_view bytes) const;

 private:
  void add_details(const Picture& grey, Result& out) const;
  void add_hashes(const Picture& grey, Result& out) const;

  ImageFeatures features_;
  HashKeys keys_;
  std::shared_ptr<const VisualWords> words_;  // null: image:sift is not asked for
  ImageDecoder decoder_;
};

}  // namespace benzer::internal
