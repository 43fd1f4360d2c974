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
//   image:near   small pictures that are laid over each other: finds crops, frames, small turns and
//                stamps, too
//   image:sift   details that lie in the same places: finds parts, turned, covered and pasted
//                pictures, too                                               modifier +words:FILE
//   image:pdq    a hash of a picture of 256 bits; image:dhash, image:phash of 64: compared by the
//                bits that differ                                               modifier +turned
//   image:grid16   16 x 16 cells of grey as a set, as in the 2012 report        modifier +seed:S
// With benzer::research (benzer/research/register.h) also:
//   text:shingleN  N consecutive characters of the text as it is, blanks and all (1 <= N <= 64), as
//                in the slides and the Scala blog       modifiers +squeeze, +4bytes or +djb2a,
//                                                       +bag, +drop-common:X, +seed:S
//   text:terms004  the terms of the course report                                 modifier +seed:S
struct FeatureSpec {
  enum class Kind {
    kWords,
    kChars,
    kValues,
    kShingles,
    kTerms004,
    kTruthW1,
    kTruthW3,
    kTruthC5,
    kNear,
    kSift,
    kPdq,
    kDhash,
    kPhash,
    kGrid16
  };
  // How much of a shingle's hash there is: all 64 bits; 32 of them, so that different shingles may
  // meet (slides); or the 32 bits of djb2a (Scala blog). Those of 32 bits are the lower half of the
  // feature, whose upper half is a function of them.
  enum class Hash { kFull, kFourBytes, kDjb2a };

  Kind kind = Kind::kWords;
  int shingle = 5;   // N of wordN, charN and shingleN; 1, 3 and 5 for the truth kinds; else 1
  bool bag = false;  // count repeats: the n-th occurrence of a shingle is a feature of its own
  std::string stop;  // language whose stop words are dropped before shingling; empty: none
  std::uint64_t seed = 0;  // of the feature hash; another seed gives an independent run
  // Features of more than this share of the documents, in billionths, are left out; 0: none.
  std::uint32_t drop_common = 0;
  bool html = false;     // texts are HTML: their markup is stripped before all else
  bool squeeze = false;  // every sequence of white space becomes one blank, as in the slides
  Hash hash = Hash::kFull;

  bool turned = false;  // pictures that are turned or mirrored are similar, too
  // The file of the vocabulary of visual words (benzer/dedup.h); empty: the one that is built in.
  std::string words;

  bool is_values() const noexcept { return kind == Kind::kValues; }
  bool is_text() const noexcept { return !is_values() && !is_image(); }
  bool is_image() const noexcept { return kind >= Kind::kNear; }
  // Compared by Jaccard similarity; otherwise there is no sketch, and there are no bands.
  bool is_set() const noexcept { return !is_hash() && kind != Kind::kNear && kind != Kind::kSift; }
  // Compared by the bits that differ.
  bool is_hash() const noexcept { return hash_bits() > 0; }
  int hash_bits() const noexcept {
    return kind == Kind::kPdq ? 256 : kind == Kind::kDhash || kind == Kind::kPhash ? 64 : 0;
  }

  static FeatureSpec parse(std::string_view text);
  std::string str() const;
  friend bool operator==(const FeatureSpec&, const FeatureSpec&) = default;
};

// How features become a signature, and of how many slots (1 to 4096):
//   fss:128             Fast Similarity Sketching, the default
//   kperm:128           k permutations: the minimum of each of so many hashes
// With benzer::research (benzer/research/register.h) also:
//   linear:128          the same with a x + b modulo 2^61 - 1, as in the report
//   mod-prime:128       with that modulo 2^32, as in the slides
//   multiply-shift:128  with (a x + b) >> 2 in 32 bits, a odd, as in the blog on C#
//   java-random:128     with a x + b in 32 bits with sign, as in the blog on Scala
//   bottomk:128         the so many smallest values of one linear function
//   single:128          the same, compared as in the report
// The first four of these take +max (the largest value in place of the smallest) and, like the last
// two, +seed:S.
struct SketchSpec {
  enum class Scheme {
    kFss,
    kKperm,
    kLinear,
    kModPrime,
    kMultiplyShift,
    kJavaRandom,
    kBottomK,
    kSingle
  };

  Scheme scheme = Scheme::kFss;
  int slots = 128;
  bool maximum = false;
  // Of the generator that draws the functions. Absent: that of the document, 1337 for java-random
  // and 10 for multiply-shift, else 0.
  std::optional<std::uint64_t> seed = {};

  // Slot i of one signature is compared with slot i of another. Without positions there are no
  // bands: in an index every value is a key of its own.
  bool has_positions() const noexcept {
    return scheme != Scheme::kBottomK && scheme != Scheme::kSingle;
  }
  // Its functions come from a generator, and not from their numbers.
  bool is_drawn() const noexcept { return scheme != Scheme::kFss && scheme != Scheme::kKperm; }
  std::uint64_t seed_or_default() const noexcept;

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
