// A text or a set of values of two documents side by side: what they share, and where they begin to
// differ.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/features.h"
#include "benzer/report.h"
#include "benzer/similarity.h"

#include "image/picture.h"
#include "image/sift_features.h"

namespace benzer::report {

// A document that was read again, and what the comparison saw in it.
struct Evidence {
  ReportedDocument document;
  std::string text;                     // as people read it; values: one a line
  std::vector<long double> numbers;     // for keep rules
  std::vector<std::uint64_t> features;  // in the order of the text, with repeats
  FeatureSet set;
  OverlapCounter lookup;  // the set again

  // Of a picture there is no text, and there are no features (picture_evidence.h).
  Picture grey;                           // small
  std::vector<VisualWord> words;          // of image:sift
  std::array<std::uint64_t, 2> digest{};  // of the file: equal ones are equal files

  // The first of the features, each with the bytes of the text that it comes from.
  struct Place {
    std::uint64_t feature;
    std::size_t begin, end;
  };
  std::vector<Place> places;
  std::size_t followed = 0;  // up to this byte
};

// A text is followed by the slow extractor, so only as far as an excerpt needs it, and no further
// than this.
inline constexpr std::size_t kFollowedBytes = 256 << 10;
inline constexpr std::size_t kExcerptBytes = 1600;
// The context that is shown before the first difference.
inline constexpr std::size_t kLeadBytes = 200;

// What the comparison sees in a text, or in a set of values. stop: see FeatureBuffer.
Evidence evidence_of(const DocumentView& view, const FeatureExtractor& extractor,
                     const std::atomic<bool>* stop);

// The same of a document of a corpus, and who it is.
Evidence read_evidence(const Corpus& corpus, Corpus::Reader& reader,
                       const FeatureExtractor& extractor, std::uint32_t document,
                       const std::atomic<bool>* stop = nullptr);

// Who it is, without reading it.
ReportedDocument reported_document(const Corpus& corpus, std::uint32_t document);
// An id may be as long as a line may be. What is left of such a one is a string.
std::string shown_id_json(std::string id_json);

// Follows both texts as far as it needs.
ReportedField compare(Evidence& a, Evidence& b, const FeatureExtractor& extractor);

}  // namespace benzer::report
