#include "benzer/internal/embedded.h"

#include "image/visual_words.h"

// Embeds the vocabulary that `benzer train-words --made-up` wrote.
BENZER_EMBED(built_in_words, BENZER_BUILT_IN_WORDS)

namespace benzer {

const VisualWords& VisualWords::built_in() {
  static const VisualWords words = read(embedded_built_in_words(), "the built-in vocabulary");
  return words;
}

}  // namespace benzer
