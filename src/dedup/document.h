// Extracts the features of a document for all passes, from texts and value sets alike.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include <fmt/format.h>

#include "benzer/corpus.h"
#include "benzer/error.h"
#include "benzer/features.h"

#include "features/unique_features.h"

namespace benzer {

// Throws Error(kInvalidArgument) if the document is a text and the features are of values, or the
// other way round: it would be similar to nothing.
inline void check_holds(const FeatureSpec& features, const DocumentView& document) {
  const bool are_values = features.values() != nullptr;
  if (are_values ? document.text.empty() : document.values.empty()) return;
  throw Error(
      ErrorCode::kInvalidArgument,
      fmt::format("a document is {}, of which {} are no features",
                  are_values ? "a text" : "a set of values", features.str()),
      are_values ? "give features of texts, such as text:word5" : "give features of values");
}

inline void extract_features(const FeatureExtractor& extractor, const DocumentView& document,
                             FeatureBuffer& out) {
  check_holds(extractor.spec(), document);
  if (!extractor.spec().values()) {
    extractor.extract(document.text, out);
  } else {
    extractor.extract_values(document.values, out, document.weights);
  }
}

// Hands the features to visit() some at a time, so that those of a long text need little memory.
inline void extract_features(const FeatureExtractor& extractor, const DocumentView& document,
                             FeatureBuffer& out, const FeatureExtractor::FeatureVisitor& visit) {
  check_holds(extractor.spec(), document);
  if (!extractor.spec().values()) {
    extractor.extract(document.text, out, visit);
  } else {
    extractor.extract_values(document.values, out, document.weights);
    visit(out.features());
  }
}

// Returns the different features of a document.
inline FeatureSet unique_features(const FeatureExtractor& extractor, const DocumentView& document,
                                  FeatureBuffer& buffer) {
  internal::UniqueFeatures unique;
  const auto add = [&](std::span<const std::uint64_t> features) { unique.add(features); };
  extract_features(extractor, document, buffer, std::ref(add));
  return unique.take();
}

// Returns the most memory, in bytes, that a document takes while its features are extracted and
// made unique: 18 bytes for each byte of a text in which every character begins a shingle, and the
// text. With weights 16 more.
inline std::uint64_t extraction_bytes(const DocumentView& document,
                                      const FeatureSpec& features) noexcept {
  return (features.is_weighted() ? 36 : 20) * document.bytes;
}

}  // namespace benzer
