// Finds where the passages of a query stand in a document of an index, which itself holds the
// shingles of its documents and no places.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/features.h"
#include "benzer/passages.h"
#include "benzer/query.h"
#include "benzer/schema.h"

namespace benzer::apps {

// Returns options for passages of the words that features are made of, or of any text if these are
// something else, such as characters; with one thread.
PassageOptions options_for_words_of(const TextFeatures& text);

// A piece of a passage as it stands in a document.
struct PassagePlace {
  std::uint64_t first_word = 0;  // words of the passage before it
  std::uint64_t words = 0;
  TextRun run;  // in the text of the document
};

// Returns the places of each passage of the match, in its order: the longest pieces that stand in
// the document at one place, and of each piece the first place. A passage that stands there as a
// whole has one piece. Pieces overlap; one has none if the document has changed since the match was
// found. schema: that of the index. Throws what find_passages() throws.
std::vector<std::vector<PassagePlace>> find_places(const Schema& schema, const Document& query,
                                                   const Document& document,
                                                   const PassageMatch& match,
                                                   const std::atomic<bool>* stop);

}  // namespace benzer::apps
