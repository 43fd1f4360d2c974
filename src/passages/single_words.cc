#include "passages/single_words.h"

#include <variant>

#include <fmt/format.h>

#include "benzer/error.h"

namespace benzer {

FeatureSpec single_words(const FeatureSpec& features, std::uint64_t seed) {
  const TextFeatures* text = features.text();
  const bool reads_words = text && (text->kind == TextFeatures::Kind::kWords ||
                                    text->kind == TextFeatures::Kind::kDictionaryWords);
  if (!reads_words || text->bag || features.tf_idf || features.drop_common != 0)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("passages are runs of words, and the features {} are not words",
                            features.str()),
                "use text:word1 or text:words1, with or without +html, +stop:LANG and +stem:LANG");
  FeatureSpec out = features;
  std::get<TextFeatures>(out.kind).shingle = 1;
  out.seed = seed;
  return out;
}

}  // namespace benzer
