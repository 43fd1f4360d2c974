// The texts of the experiments on the course report: read, or made up from a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/research/classics/course.h"
#include "benzer/research/experiments.h"

namespace benzer::experiments {

using classics::course::NamedText;

inline constexpr int kCopies = 7;  // of each original

// NAME.txt, or NAME.txt.copy3 of it.
std::string_view original_of(std::string_view name);
// The name of an original without its ending, digits and '-': "space" of space-480.txt.
std::string kind_of(std::string_view name);

struct Texts {
  std::vector<NamedText> originals;  // by name
  bool made_up = false;              // not read from a folder
  std::vector<NamedText> copies;     // near-copies that the folder has, by name; may be none

  // The originals of the kind that is last by name, as the report took "space"; all of them if that
  // is not two.
  std::vector<NamedText> last_kind() const;
};

// Those of the folder options.data, else made_up_texts(options.seed). Throws
// Error(kInvalidArgument) for a folder with fewer than two originals, and what reading throws.
Texts texts_for(const ExperimentOptions& options);

// Originals and their near-copies, by name: those that the folder has, else kCopies of each made
// from the seed.
std::vector<NamedText> with_copies(Texts texts, std::uint64_t seed);

// A near-copy: the text with a line "> " and nonsense words before it, one word for each 24
// distinct terms of the text, so that original and copy are about 0.96 alike and two copies of a
// text about 0.92.
std::string near_copy(const std::string& text, std::uint64_t seed);

// Three kinds ("first", "second", "third") of 1,000 texts of 1 to 2 KB. Words are drawn from two
// vocabularies of made-up words, each of which has a share that falls with its rank (Zipf's law):
// two thirds of a text from one that all kinds have, the rest from that of its kind. Texts have
// about 160 distinct terms, and a pair of a kind is about 0.1 alike.
std::vector<NamedText> made_up_texts(std::uint64_t seed, std::size_t texts_per_kind = 1000);

}  // namespace benzer::experiments
