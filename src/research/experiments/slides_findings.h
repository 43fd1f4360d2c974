// Says what the numbers of the experiments on the lecture slides show, and judges their claims.
#pragma once

#include <cstddef>
#include <cstdint>

#include "research/experiments/judge.h"

namespace benzer::experiments {

struct SlidesScale {
  bool as_printed = false;        // whether all worked examples come out
  std::size_t shingles = 0;       // of a text
  double per_pair = 0;            // seconds of a comparison by brute force
  std::size_t lsh_documents = 0;  // of the longest run by LSH
  double lsh_seconds = 0;
  // Of the largest collection that was compared by brute force.
  std::size_t documents = 0;
  std::uint64_t pairs = 0, pairs_by_lsh = 0;
};
Judged judge_slides(const SlidesScale& numbers);

struct SlidesShingles {
  // Shingles of 9 characters that the two sentences of example 3.4 share.
  std::size_t with_blanks = 0, without_blanks = 0;
  // Mean similarity of unrelated texts.
  double at_two = 0, at_five = 0;
  // Shingles as numbers.
  std::size_t shingles_of_example = 0, numbers_of_example = 0;
  std::size_t texts = 0;
  std::size_t shingles = 0, hashes = 0;  // different ones in all texts
};
Judged judge_slides_shingles(const SlidesShingles& numbers);

// A duration in the unit that suits it: "0.31 s", "44 min", "3.1 days".
std::string readable(double seconds);

}  // namespace benzer::experiments
