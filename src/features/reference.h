// The rules of docs/format.md, one step after the other on ordinary strings: what people
// are shown, and what the fast path is tested against.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/features.h"

#include "features/hash.h"
#include "features/origins.h"

namespace benzer::internal {

struct ReferenceText {
  std::string normalised;
  std::vector<std::string> words;
  std::vector<std::vector<Origin>> origins;  // of each word, one for each of its bytes
  std::uint64_t replaced = 0;
};

// text:*, before stop words are dropped: ICU over the whole text.
ReferenceText reference_words(std::string_view text);

// truth:w3 and truth:c5; truth:w1
ReferenceText reference_truth_runs(std::string_view text);
ReferenceText reference_truth_terms(std::string_view text);

// Where the code points of a text start, and its end. Bytes 10xxxxxx belong to the one before.
std::vector<std::size_t> starts_of_code_points(std::string_view text);

// All steps for a spec of text:* or truth:*.
TextTrace reference_trace(std::string_view text, const FeatureSpec& spec, const HashKeys& keys);

}  // namespace benzer::internal
