// Computes the features of an image from the bytes of its file.
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

// Returns the vocabulary of image:sift, from its file or the one that is built in; null for other
// features. Throws Error(kNotFound) or Error(kBadInput) if the file cannot be read or is not a
// vocabulary.
std::shared_ptr<const VisualWords> vocabulary_of(const ImageFeatures& features);

// Computes the features of images. Threads: immutable; any number may call extract().
class PictureFeatures {
 public:
  // spec must be of images. Throws as vocabulary_of() does.
  explicit PictureFeatures(const FeatureSpec& spec);

  struct Result {
    // Those of the bytes of the file if the image has too little detail to be told from others, or
    // if it is an animation, of which one frame would tell too little.
    std::vector<std::uint64_t> features;
    bool has_little_detail = false;  // false for an animation
    std::uint64_t pixels = 0;        // width times height of the original
    std::string problem;             // why the image has no features; empty: it has some
  };
  Result extract(std::string_view bytes) const;

 private:
  // Return false if the image has too little detail.
  bool add_details(const Picture& grey, std::vector<std::uint64_t>& out) const;
  bool add_hashes(const Picture& grey, std::vector<std::uint64_t>& out) const;

  ImageFeatures features_;
  HashKeys keys_;
  std::shared_ptr<const VisualWords> words_;  // null unless the features are image:sift
  ImageDecoder decoder_;
};

}  // namespace benzer::internal
