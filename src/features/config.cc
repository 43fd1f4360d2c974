#include "benzer/config.h"

#include <utility>

#include "features/config_text.h"
#include "features/feature_grammar.h"

namespace benzer {
namespace {

using namespace internal;

// Stores the value of a part that may be given once. Throws Error(kInvalidArgument) the second
// time.
template <class T>
void set_once(std::optional<T>& value, T found, std::string_view part, const char* what) {
  if (value) fail("the part {} is a second {}; a configuration has one", in_quotes(part), what);
  value = std::move(found);
}

}  // namespace

Config Config::parse(std::string_view text) {
  std::optional<FeatureSpec> features;
  std::optional<SketchSpec> sketch;
  std::optional<Banding> banding;
  for (const std::string_view untrimmed : split(text, '|')) {
    const std::string_view part = trim(untrimmed);
    if (is_features(part)) {
      set_once(features, FeatureSpec::parse(part), part, "choice of features");
    } else if (is_sketch(part)) {
      set_once(sketch, SketchSpec::parse(part), part, "sketch");
    } else if (part.starts_with("bands:")) {
      set_once(banding, parse_banding(part), part, "choice of bands");
    } else {
      fail(
          "the part {} of the configuration is neither features ({}) nor a sketch ({}) nor bands "
          "(bands:BANDSxROWS)",
          in_quotes(part), feature_names(), sketch_names());
    }
  }
  if (features && !features->is_sketched() && (sketch || banding))
    fail("features {} are no set, and compared as they are: leave out the sketch and the bands",
         in_quotes(features->str()));
  Config config{features.value_or(FeatureSpec{}), sketch.value_or(SketchSpec{}), banding};
  if (banding && banding->slots() > config.sketch.slots) {
    fail("the bands {} use {} slots, but the sketch {} has {}; allowed are at most that many",
         banding->str(), banding->slots(), config.sketch.str(), config.sketch.slots);
  }
  if (banding) internal::check_bands(config.sketch, *banding);
  internal::check_sketch(config.sketch, config.features);
  return config;
}

std::string Config::str() const {
  if (!features.is_sketched()) return features.str();
  std::string out = features.str() + " | " + sketch.str();
  if (banding) out += " | bands:" + banding->str();
  return out;
}

}  // namespace benzer
