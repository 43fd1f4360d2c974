// Vocabularies for image:sift: visual words, learned from pictures.
//
// One is built in, learned from made-up pictures. One that is learned from pictures like those that
// it is for knows better which of their details are rare.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "benzer/corpus.h"
#include "benzer/dedup.h"

namespace benzer {

struct TrainWordsOptions {
  int threads = 0;  // 0: one per core
  // "read", "train"; called from one thread at a time; may be empty.
  std::function<void(const Progress&)> progress = {};
  // As in SimilarityOptions.
  std::function<void(std::uint32_t document, const std::string& problem)> problem = {};
  const std::atomic<bool>* stop = nullptr;
};

struct TrainedWords {
  std::string file;              // the bytes of a vocabulary file, for +words:FILE
  std::uint64_t pictures = 0;    // with key points
  std::uint64_t no_images = 0;   // documents that are no picture, or damaged
  std::uint64_t key_points = 0;  // that it was learned from: at most 200,000, 100 of a picture
};

// From a corpus of picture files. The same pictures in the same order give the same bytes on one
// machine, with any number of threads. Throws Error(kInvalidArgument) if they have fewer than
// 5,000 key points: that is some 60 photographs. Cost: some 40 ms a picture on one core, and 6 s.
TrainedWords train_words(Corpus& corpus, const TrainWordsOptions& options);

// As the built-in one was learned: from 2000 pictures that are made up. progress and stop are as
// above; nothing else is used.
TrainedWords train_words_on_made_up_pictures(const TrainWordsOptions& options);

}  // namespace benzer
