// The one spelling of a configuration: "text:word5 | fss:128 | bands:16x6".
//
// It is read from the command line, and printed in every summary, file header and benchmark row, so
// that any result can be repeated. `+` adds a modifier to a part. docs/config.md has the grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "benzer/banding.h"

namespace benzer {

// How a field becomes features. Spellings:
//   text:wordN   shingles of N words (1 <= N <= 32)         modifiers +html, +bag, +stop:LANG,
//                                                           +drop-common:X, +seed:S
//   text:charN   shingles of N code points (1 <= N <= 64)   the same but +stop:LANG
//   values       the values of a set as they are            modifiers +bag, +drop-common:X, +seed:S
//   truth:w1, truth:w3, truth:c5   the byte-wise rules of the ground-truth files   modifier +seed:S
struct FeatureSpec {
  enum class Kind { kWords, kChars, kValues, kTruthW1, kTruthW3, kTruthC5 };

  Kind kind = Kind::kWords;
  int shingle = 5;   // N of wordN and charN; 1, 3 and 5 for the truth kinds; 1 for values
  bool bag = false;  // count repeats: the n-th occurrence of a shingle is a feature of its own
  std::string stop;  // language whose stop words are dropped before shingling; empty: none
  std::uint64_t seed = 0;  // of the feature hash; another seed gives an independent run
  // Features of more than this share of the documents, in billionths, are left out; 0: none.
  std::uint32_t drop_common = 0;
  bool html = false;  // texts are HTML: their markup is stripped before all else

  bool is_text() const noexcept { return kind != Kind::kValues; }

  static FeatureSpec parse(std::string_view text);
  std::string str() const;
  friend bool operator==(const FeatureSpec&, const FeatureSpec&) = default;
};

// How features become a signature: "fss:128" (Fast Similarity Sketching) or "kperm:128" (k
// permutations); 1 to 4096 slots.
struct SketchSpec {
  enum class Scheme { kFss, kKperm };

  Scheme scheme = Scheme::kFss;
  int slots = 128;

  static SketchSpec parse(std::string_view text);
  std::string str() const;
  friend bool operator==(const SketchSpec&, const SketchSpec&) = default;
};

// "16x6" or "bands:16x6".
Banding parse_banding(std::string_view text);

struct Config {
  FeatureSpec features;
  SketchSpec sketch;
  std::optional<Banding> banding;  // absent: planned from threshold and recall

  // Reads the parts separated by "|", each at most once, in any order; what is missing keeps its
  // default. Throws Error(kInvalidArgument) that names the part and what is allowed there.
  static Config parse(std::string_view text);
  std::string str() const;
  friend bool operator==(const Config&, const Config&) = default;
};

}  // namespace benzer
