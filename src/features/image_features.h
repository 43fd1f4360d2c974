// From the bytes of an image file to features.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/config.h"

#include "features/hash.h"
#include "image/decoder.h"

namespace benzer::internal {

// Threads: immutable; any number may call extract().
class PictureFeatures {
 public:
  explicit PictureFeatures(const FeatureSpec& spec) : spec_(spec), keys_(spec.seed) {}

  struct Result {
    std::vector<std::uint64_t> features;
    bool has_little_detail = false;  // the one feature is of its pixels
    std::string problem;             // why there are none
  };
  Result extract(std::string_view bytes) const;

 private:
  FeatureSpec spec_;
  HashKeys keys_;
  ImageDecoder decoder_;
};

}  // namespace benzer::internal
