// From examples to a vocabulary file: what train_words() does behind reading.
#pragma once

#include "benzer/dedup.h"

#include "image/word_examples.h"

namespace benzer {

// Throws what VisualWords::train() throws.
void learn_words(const WordExamples& examples, const TrainWordsOptions& options, TrainedWords& out);

}  // namespace benzer
