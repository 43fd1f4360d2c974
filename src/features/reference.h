// Extracts features by the rules of docs/format.md, one step after the other on ordinary strings.
// People are shown these steps, and the fast path is tested against them.
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
  std::vector<bool> touches;  // the word begins where the one before it ends; of text:* only
  std::uint64_t replaced = 0;
};

// Returns the words of text:wordN and text:charN before stop words are dropped, from ICU over the
// whole text.
ReferenceText reference_words(std::string_view text);

// Returns the words of truth:w3 and truth:c5.
ReferenceText reference_truth_runs(std::string_view text);
// Returns the words of truth:w1 and text:terms004.
ReferenceText reference_truth_terms(std::string_view text);

// Returns where each code point of a text starts, and last the end of the text. A byte 10xxxxxx
// belongs to the code point before it.
std::vector<std::size_t> starts_of_code_points(std::string_view text);

// Returns all steps for a spec of text:* or truth:*.
TextTrace reference_trace(std::string_view text, const FeatureSpec& spec, const HashKeys& keys);

}  // namespace benzer::internal
