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

}  // namespace benzer
