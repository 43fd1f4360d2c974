// Makes sketches for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benzer/features.h"
#include "benzer/sketch.h"

#include "base/weight.h"

namespace benzer {

inline Signature sketch(const std::string& spec, const std::vector<std::uint64_t>& features) {
  return MinHasher(SketchSpec::parse(spec), FeatureSpec{}).sketch(features);
}

inline Signature weighted_sketch(const std::string& spec,
                                 const std::vector<std::uint64_t>& features) {
  return MinHasher(SketchSpec::parse(spec), FeatureSpec::parse("values+weights")).sketch(features);
}

// Gives features weights by their own lowest bits: from 1 to 10 if near, else of any size.
inline std::vector<std::uint64_t> with_weights(std::vector<std::uint64_t> features, bool near) {
  for (std::uint64_t& feature : features) {
    const std::uint64_t bits = feature & kWeightBits;
    const std::uint64_t code =
        near ? 210'000 + bits % 90'000 : bits % 10 * 100'000 + 10'000 + bits / 10 % 90'000;
    feature = (feature & ~kWeightBits) | code;
  }
  return features;
}

}  // namespace benzer
