// Reads images again to show two of them side by side, and where they differ.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "image/decoder.h"
#include "image/visual_words.h"
#include "report/evidence.h"

namespace benzer::report {

// The longer side of what is shown, in pixels.
inline constexpr std::uint32_t kThumbnail = 320;
inline constexpr std::uint32_t kDifference = 160;
// Differences are small, so they are shown this many times as strong.
inline constexpr int kContrast = 3;

// Threads: any number may call it.
class PictureReader {
 public:
  // Nothing may be read if spec is not about images. Throws what vocabulary_of() throws.
  explicit PictureReader(const FeatureSpec& spec);

  // Throws what the reader throws, which includes that the file has changed. A picture that cannot
  // be decoded in colour is shown in grey, and one that cannot be decoded any more is not shown:
  // the page is not worth the result of a run.
  Evidence read(const Corpus& corpus, Corpus::Reader& reader, std::uint32_t document) const;

  // Compares two images. score: the one of the run.
  ReportedPair compare(const Evidence& a, const Evidence& b, double score) const;

 private:
  ReportedPicture shown(std::string_view bytes, Picture& grey) const;
  // In place of Error(kUnavailable) these two return a problem.
  DecodedImage decoded(std::string_view bytes, const DecodeRequest& request) const;
  std::string encoded(const Picture& picture, std::string& problem) const;

  FeatureSpec spec_;
  std::shared_ptr<const VisualWords> words_;  // null: not image:sift
  ImageDecoder decoder_;
};

// Returns |a - b| times kContrast, in a's shape, with no side longer than kDifference. Both must be
// grey.
Picture difference_of(const Picture& a, const Picture& b);

}  // namespace benzer::report
