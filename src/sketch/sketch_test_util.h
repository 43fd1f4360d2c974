// Makes sketches for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benzer/features.h"
#include "benzer/sketch.h"

namespace benzer {

inline Signature sketch(const std::string& spec, const std::vector<std::uint64_t>& features) {
  return MinHasher(SketchSpec::parse(spec), FeatureSpec{}).sketch(features);
}

}  // namespace benzer
