// Compares a text or a value set of two documents side by side: what they share, and where they
// begin to differ.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/features.h"
#include "benzer/number.h"
#include "benzer/report.h"
#include "benzer/similarity.h"

#include "image/file_hash.h"
#include "image/picture.h"
#include "image/sift_features.h"

namespace benzer::report {

// A document that was read again, and what the comparison saw in it.
struct Evidence {
  ReportedDocument document;
  std::string text;                     // as people read it; values: one a line, with its weight
  std::vector<Number> numbers;          // for keep rules
  std::vector<std::uint64_t> features;  // in the order of the text, with repeats, without weights
  FeatureSet set;
  OverlapCounter lookup;  // of the same set
  Weighting weighting = Weighting::kNone;

  // An image has these in place of text and features (picture_evidence.h).
  Picture grey;                   // scaled down
  std::vector<VisualWord> words;  // of image:sift
  FileHash file;                  // equal for equal files

  // The first features, each with the bytes of the text that it comes from.
  struct Place {
    std::uint64_t feature;
    std::size_t begin, end;
  };
  std::vector<Place> places;
  std::size_t followed = 0;  // bytes of the text that were traced for them
};

// A text is traced by the slow extractor, so only as far as an excerpt needs it, and no further
// than this.
inline constexpr std::size_t kFollowedBytes = 256 << 10;
inline constexpr std::size_t kExcerptBytes = 1600;
// The context that is shown before the first difference.
inline constexpr std::size_t kLeadBytes = 200;

// Returns what the comparison sees in a text, or in a value set. stop: see FeatureBuffer.
Evidence evidence_of(const DocumentView& view, const FeatureExtractor& extractor,
                     const std::atomic<bool>* stop);

// Does the same for a document of a corpus, and fills in `document`.
Evidence read_evidence(const Corpus& corpus, Corpus::Reader& reader,
                       const FeatureExtractor& extractor, std::uint32_t document,
                       const std::atomic<bool>* stop = nullptr);

// Describes a document without reading it.
ReportedDocument reported_document(const Corpus& corpus, std::uint32_t document);
// Shortens an id that is longer than an index allows, since one may be as long as a line. What is
// left is a JSON string.
std::string shown_id_json(std::string id_json);

// Compares a field of two documents. Traces both texts as far as it needs.
ReportedField compare(Evidence& a, Evidence& b, const FeatureExtractor& extractor);

}  // namespace benzer::report
