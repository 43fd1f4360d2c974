// The one spelling of a configuration: "text:word5 | fss:128 | bands:16x6".
//
// It is read from the command line, and printed in every summary, file header and benchmark row, so
// that any result can be repeated. `+` adds a modifier to a part. docs/config.md has the grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "benzer/banding.h"

namespace benzer {

// How two documents are compared by their features.
enum class Comparison {
  kSets,      // Jaccard similarity of two sets
  kHashes,    // the bits in which two hashes differ
  kPictures,  // two small pictures laid over each other
  kDetails    // the details of two pictures that lie in the same places
};

// The features of a text: which units are shingled, and how a shingle is hashed.
struct TextFeatures {
  enum class Kind {
    kWords,     // text:wordN
    kChars,     // text:charN
    kShingles,  // text:shingleN
    kTerms004,  // text:terms004
    kTruthW1,   // truth:w1
    kTruthW3,   // truth:w3
    kTruthC5    // truth:c5
  };
  // How much of a shingle's hash is kept: all 64 bits; 32 of them, so that different shingles may
  // meet (slides); or the 32 bits of djb2a (Scala blog). Those of 32 bits are the lower half of the
  // feature, whose upper half is a function of them.
  enum class Hash { kFull, kFourBytes, kDjb2a };

  Kind kind = Kind::kWords;
  int shingle = 5;    // N of wordN, charN and shingleN; of the others as their rules say: 1, 3 or 5
  bool bag = false;   // count repeats: the n-th occurrence of a shingle is a feature of its own
  std::string stop;   // language whose stop words are dropped before shingling; empty: none
  bool html = false;  // texts are HTML: their markup is stripped before all else
  bool squeeze = false;  // every sequence of white space becomes one blank, as in the slides
  Hash hash = Hash::kFull;

  friend bool operator==(const TextFeatures&, const TextFeatures&) = default;
};

// The features of a set of values: each value as it is.
struct ValueFeatures {
  bool bag = false;  // count repeats: the n-th occurrence of a value is a feature of its own

  friend bool operator==(const ValueFeatures&, const ValueFeatures&) = default;
};

// The features of an image file.
struct ImageFeatures {
  enum class Kind {
    kNear,   // image:near
    kSift,   // image:sift
    kPdq,    // image:pdq
    kDhash,  // image:dhash
    kPhash,  // image:phash
    kGrid16  // image:grid16
  };

  Kind kind = Kind::kPdq;
  bool turned = false;  // of hashes: pictures that are turned or mirrored are similar, too
  // Of image:sift: the file of the vocabulary of visual words (benzer/dedup.h); empty: the one that
  // is built in.
  std::string words;

  Comparison comparison() const noexcept;
  int hash_bits() const noexcept;  // 0: not a hash

  friend bool operator==(const ImageFeatures&, const ImageFeatures&) = default;
};

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
  std::variant<TextFeatures, ValueFeatures, ImageFeatures> kind;
  // Features of more than this share of the documents, in billionths, are left out; 0: none. For
  // texts and values.
  std::uint32_t drop_common = 0;
  // Of the feature hash; another seed gives an independent run. For features that are sketched.
  std::uint64_t seed = 0;

  // Null if the features are of another kind.
  const TextFeatures* text() const noexcept { return std::get_if<TextFeatures>(&kind); }
  const ValueFeatures* values() const noexcept { return std::get_if<ValueFeatures>(&kind); }
  const ImageFeatures* image() const noexcept { return std::get_if<ImageFeatures>(&kind); }

  // Texts and values are sets; images say how they are compared.
  Comparison comparison() const noexcept {
    return image() ? image()->comparison() : Comparison::kSets;
  }
  // Compared as sets, so that there are signatures and bands.
  bool is_sketched() const noexcept { return comparison() == Comparison::kSets; }
  int hash_bits() const noexcept { return image() ? image()->hash_bits() : 0; }  // 0: not a hash
  bool reads_html() const noexcept { return text() && text()->html; }
  // A document can be too short for these features, or an image have too little detail
  // (ShortPolicy in dedup.h).
  bool has_short() const noexcept;

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
