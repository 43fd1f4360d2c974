// Provides the texts of the experiments on the course report: read from a folder, or generated from
// a seed.
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

// Returns NAME.txt for NAME.txt and for NAME.txt.copy3.
std::string_view original_of(std::string_view name);
// The name of an original without its ending, digits and '-': "space" of space-480.txt.
std::string kind_of(std::string_view name);

struct Texts {
  std::vector<NamedText> originals;  // sorted by name
  bool made_up = false;              // not read from a folder
  std::vector<NamedText> copies;     // near-copies of the folder, sorted by name; may be empty

  // The originals of the kind that is last by name, as the report used "space"; all originals if
  // that kind has fewer than two.
  std::vector<NamedText> last_kind() const;
};

// Reads the folder options.data if it is set, else returns made_up_texts(options.seed). Throws
// Error(kInvalidArgument) for a folder with fewer than two originals, and what reading throws.
Texts texts_for(const ExperimentOptions& options);

// Originals and their near-copies, sorted by name: the copies of the folder, or if it has none,
// kCopies of each original generated from the seed.
std::vector<NamedText> with_copies(Texts texts, std::uint64_t seed);

// Makes a near-copy: the text after a line of "> " and nonsense words, one word for each 24
// distinct terms of the text. The original and a copy have a similarity of about 0.96, and two
// copies of a text about 0.92.
std::string near_copy(const std::string& text, std::uint64_t seed);

// Generates three kinds ("first", "second", "third") of 1,000 texts of 1 to 2 KB. Words are drawn
// from two generated vocabularies, in which the share of a word falls with its rank (Zipf's law):
// two thirds of a text from one for all kinds, the rest from that of its kind. Texts have about 160
// distinct terms, and a pair of a kind has a similarity of about 0.1.
std::vector<NamedText> made_up_texts(std::uint64_t seed, std::size_t texts_per_kind = 1000);

}  // namespace benzer::experiments
