// What all passes make of a document, texts and value sets alike.
#pragma once

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

// What the features of a document take while they are extracted and made unique, at most: 18 bytes
// for each byte of a text whose every character begins a shingle, and the text.
inline std::uint64_t extraction_bytes(const DocumentView& document) noexcept {
  return 20 * document.bytes;
}

}  // namespace benzer
