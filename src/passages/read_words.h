// The two readings of a corpus: the first finds the shingles that several texts have, the second
// keeps the words around them.
#pragma once

#include <cstdint>

#include "benzer/corpus.h"
#include "benzer/features.h"
#include "benzer/passages.h"

#include "base/big_list.h"
#include "base/key_filter.h"
#include "base/workspace.h"
#include "passages/earlier_runs.h"
#include "passages/kept_words.h"
#include "passages/shingle_sampler.h"

namespace benzer {

// What both readings need to know.
struct WordReading {
  Corpus& corpus;
  const PassageOptions& options;
  const FeatureExtractor& extractor;  // whose features are single words, with a secret seed
  const ShingleSampler& sampler;
  int threads;
  Workspace& workspace;
};

// Returns a filter with every sampled shingle that at least two texts have. Counts the documents.
KeyFilter find_repeated_shingles(const WordReading& reading, PassageCounts& counts);

// Where a part of a text is in the row of kept words.
struct KeptPart {
  WordPlace begin;
  std::uint32_t document;
  std::uint64_t first_word;  // its number in the text
  friend bool operator<(const KeptPart& x, const KeptPart& y) noexcept { return x.begin < y.begin; }
};

struct KeptTexts {
  BigList<KeptPart> parts;         // in order
  BigList<ShinglePlace> shingles;  // sorted
};

// Appends the words around repeated shingles to `words`: all that a run with an earlier text can
// have, and one more on each side; if near passages are looked for, the whole text.
KeptTexts keep_words(const WordReading& reading, const KeyFilter& repeated, KeptWords& words);

}  // namespace benzer
