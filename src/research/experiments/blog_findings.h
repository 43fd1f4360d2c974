// Says what the numbers of the experiments on the blog on C# show, and judges its claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "research/experiments/errors.h"
#include "research/experiments/judge.h"

namespace benzer::experiments {

struct BlogJaccard {
  bool as_printed = false;  // whether the blog's three similarities come out
  // Of two texts: by words, words without stop words, words with frequencies, five words.
  double words = 0, no_stop_words = 0, frequencies = 0, five_words = 0;
};
Judged judge_blog_jaccard(const BlogJaccard& numbers);

struct BlogLsh {
  double building = 0, querying = 0;  // milliseconds
  double comparison = 0;              // seconds for a pair of signatures
  double pairs = 0;                   // of all documents
  std::uint64_t documents = 0;
  std::uint64_t candidates = 0;
  // Near-copies with J >= 0.8: how many there are, how many of them the bands find, and how many
  // are expected by the formula.
  std::uint64_t near_copies = 0, near_copies_found = 0;
  double near_copies_expected = 0;
};
Judged judge_blog_lsh(const BlogLsh& numbers);

struct BlogMinHashFunc1 {
  double exact = 0;
  double as_written = 0;    // the estimate with the functions of the blog
  std::size_t numbers = 0;  // in the union of its two lists
  MeasuredError as_sets, by_position;
};
struct BlogSizes {
  std::vector<std::int32_t> words;    // of a document, rising
  std::vector<MeasuredError> errors;  // for each of them
  double independent = 0;             // the RMS error of independent functions
};
struct BlogDictionary {
  std::size_t words = 0;
  double similarity = 0;  // of the two sentences
};
Judged judge_blog_examples(const BlogMinHashFunc1& test, const BlogSizes& sizes,
                           const BlogDictionary& dictionary);

}  // namespace benzer::experiments
