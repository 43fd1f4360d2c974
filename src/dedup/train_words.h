// Makes a vocabulary file from examples, which train_words() does after it has read the images.
#pragma once

#include "benzer/dedup.h"

#include "image/word_examples.h"

namespace benzer {

// Trains the vocabulary and puts the bytes of its file into `out`. Throws what VisualWords::train()
// throws.
void learn_words(const WordExamples& examples, const TrainWordsOptions& options, TrainedWords& out);

}  // namespace benzer
