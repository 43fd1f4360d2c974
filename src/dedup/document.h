// What all passes make of a document, texts and value sets alike.
#pragma once

#include <cstdint>
#include <string_view>

#include <xxhash.h>

#include "benzer/corpus.h"
#include "benzer/features.h"

namespace benzer {

inline void extract_features(const FeatureExtractor& extractor, const DocumentView& document,
                             FeatureBuffer& out) {
  if (!extractor.spec().is_values()) {
    extractor.extract(document.text, out);
  } else {
    extractor.extract_values(document.values, out);
  }
}

// 0 for documents of no group.
inline std::uint64_t group_hash(std::string_view group) {
  return group.empty() ? 0 : XXH3_64bits(group.data(), group.size());
}

}  // namespace benzer
