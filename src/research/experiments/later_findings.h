// Says what the numbers of the experiments images and text show, which the report of 2012 left for
// later, and judges how far its ideas carry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "research/experiments/judge.h"

namespace benzer::experiments {

// What one strategy finds up to one distance.
struct PicturesFound {
  double photometric = 0, mild = 0, hard = 0;  // recall of these kinds of changes
  double all = 0;
  std::uint64_t found = 0, wrong = 0;  // pairs; wrong: of different pictures
  double precision = 0;
  std::string limit;   // the distance, in words
  std::string losses;  // the changes of which it finds less than nine in ten
};
struct Pictures {
  PicturesFound grid, grid_loose, pdq, turned, near, sift;
  PicturesFound dhash, phash, dhash_loose, phash_loose;
  double wanted_precision = 0;  // of those that are loose
  std::uint64_t pairs = 0;      // that should be found
  std::uint64_t strangers = 0, left_out = 0;
  std::uint64_t little_detail = 0;  // pictures
  std::uint64_t fewest = 0;         // pairs of a row of the tables
};
Judged judge_pictures(const Pictures& numbers);

// What is left of the similarity of a text by an edit, means, by the kinds of features that are
// compared.
struct EditedBy {
  double word1 = 0, word3 = 0, word5 = 0, char5 = 0, word3_html = 0;
};
struct FeaturesOfTexts {
  std::string features;
  std::string lost_at_8, lost_at_5;  // the edits of which more than half do not reach 0.8, or 0.5
  double best_stranger = 0;
};
struct EditedTexts {
  std::vector<FeaturesOfTexts> features;
  EditedBy words_1, words_5, words_10, misread_3, case_, marks, markup;
  std::uint64_t reach = 0;  // pairs that reach 0.8
  std::uint64_t found_by_fss = 0, found_by_kperm = 0;
};
Judged judge_edited_texts(const EditedTexts& numbers);

}  // namespace benzer::experiments
