// Reads and writes the one spelling of a configuration: "text:word5 | fss:128 | bands:16x6".
//
//     benzer::Config config = benzer::Config::parse("text:char9+html | fss:256");
//     config.features.seed = 7;
//     std::cout << config.str();  // text:char9+html+seed:7 | fss:256
//
// The spelling is read from the command line, and printed in every summary, file header and
// benchmark row, so that any result can be repeated. `+` adds a modifier to a part. docs/config.md
// has the grammar and says what each part is for.
// All types here are plain values: any number of threads may read one. parse() and str() take
// microseconds, and the first of them with +stem some milliseconds for each language.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "benzer/banding.h"

namespace benzer {

class DocumentFrequencies;  // benzer/features.h

// How two documents are compared by their features. The score is always in [0, 1].
enum class Comparison {
  kSets,      // Jaccard similarity of two sets, weighted if the features have weights
  kHashes,    // the number of bits in which two hashes differ
  kPictures,  // how well two small images agree when one is laid over the other
  kDetails    // how many details of two images are in the same places
};

// The features of a text: which units are shingled, and how a shingle is hashed.
struct TextFeatures {
  // The rule that cuts a text into shingles; each comment names its spelling.
  enum class Kind {
    kWords,            // text:wordN
    kDictionaryWords,  // text:wordsN
    kChars,            // text:charN
    kShingles,         // text:shingleN
    kTerms004,         // text:terms004
    kTruthW1,          // truth:w1
    kTruthW3,          // truth:w3
    kTruthC5,          // truth:c5
    kOwn               // own:NAMEN
  };
  // How much of a shingle's hash is kept. With 32 bits, different shingles may get the same
  // feature: the 32 bits are the feature's lower half, and decide its upper half.
  enum class Hash {
    kFull,       // all 64 bits
    kFourBytes,  // 32 of them, as in the lecture slides
    kDjb2a       // the 32 bits of the hash djb2a, as in the blog on Scala
  };

  Kind kind = Kind::kWords;
  // The number of units in a shingle: N of wordN, wordsN and own:NAMEN (1 to 32), charN and
  // shingleN (1 to 64). Kinds without an N have the number that their rule says: 1, 3 or 5.
  int shingle = 5;
  // Repeats count: the n-th occurrence of a shingle is a feature of its own.
  bool bag = false;
  // The language whose stop words are dropped before shingling, such as "en"; empty means none.
  // Only for kWords and kDictionaryWords.
  std::string stop;
  // The language by whose rules words become their stems, such as "en"; empty means that words stay
  // as they are. Stop words are dropped first. Only for kWords and kDictionaryWords.
  std::string stem;
  // Texts are HTML: their markup is removed first. Only for kWords, kDictionaryWords, kChars and
  // kOwn.
  bool html = false;
  // Every sequence of white space becomes one blank, as in the lecture slides. Only for kShingles.
  bool squeeze = false;
  // Only kShingles has others than kFull.
  Hash hash = Hash::kFull;
  // The name of the rule that cuts texts, which the program has registered (benzer/text_rule.h).
  // Only for kOwn.
  std::string rule;

  friend bool operator==(const TextFeatures&, const TextFeatures&) = default;
};

// The features of a set of values: one for each value, whose bytes are taken as they are.
struct ValueFeatures {
  // Repeats count: the n-th occurrence of a value is a feature of its own.
  bool bag = false;
  // Every value has a weight, and sets are compared by weighted Jaccard similarity: the sum of the
  // smaller weights over the sum of the larger ones. Not together with bag.
  bool weights = false;

  friend bool operator==(const ValueFeatures&, const ValueFeatures&) = default;
};

// The features of an image file. docs/images.md says which kind finds which changes.
struct ImageFeatures {
  // What is computed from the decoded image; each comment names its spelling.
  enum class Kind {
    kNear,   // image:near
    kSift,   // image:sift
    kPdq,    // image:pdq
    kDhash,  // image:dhash
    kPhash,  // image:phash
    kGrid16  // image:grid16
  };

  Kind kind = Kind::kPdq;
  // Images that are turned by 90, 180 or 270 degrees, or mirrored, are similar, too. Only for
  // kPdq, kDhash and kPhash, whose hashing then takes eight times the work.
  bool turned = false;
  // The file with the vocabulary of visual words that train_words() has learned (benzer/dedup.h);
  // empty means the built-in one. Only for kSift.
  std::string words;

  // Returns how two images are compared by these features.
  Comparison comparison() const noexcept;
  // Returns the length of the hash in bits (64 or 256), or 0 if the features are not a hash.
  int hash_bits() const noexcept;

  friend bool operator==(const ImageFeatures&, const ImageFeatures&) = default;
};

// How a field becomes features: the kind of features, and what kinds have in common. Spellings:
//   text:wordN   shingles of N words (1 <= N <= 32)         modifiers +html, +bag, +stop:LANG,
//                                                           +stem:LANG, +drop-common:X or +tf-idf,
//                                                           +seed:S
//   text:wordsN  the same, but Thai, Chinese, Japanese and other texts without spaces are cut into
//                words by ICU's dictionaries, and not into characters           the same modifiers
//   text:charN   shingles of N code points (1 <= N <= 64)   modifiers +html, +bag, +drop-common:X
//                                                           or +tf-idf, +seed:S
//   own:NAME     the pieces that a rule of the program cuts (benzer/text_rule.h); own:NAMEN:
//                shingles of N pieces (1 <= N <= 32)        modifiers as of text:charN
//   values       the values of a set as they are            modifiers +bag, +drop-common:X or
//                                                           +tf-idf, +seed:S
//   values+weights   values with weights                                         modifier +seed:S
//   truth:w1, truth:w3, truth:c5   the byte-wise rules of the ground-truth files   modifier +seed:S
//   image:near   small images that are laid over each other: also finds crops, frames, small turns
//                and stamps
//   image:sift   details in the same places: also finds parts, and images that were turned, covered
//                or pasted into others                                       modifier +words:FILE
//   image:pdq    a hash of 256 bits; image:dhash, image:phash of 64: compared by the number of bits
//                that differ                                                    modifier +turned
//   image:grid16   16 x 16 cells of grey as a set, as in the 2012 report        modifier +seed:S
// With benzer::research (benzer/research/register.h) also:
//   text:shingleN  N consecutive characters of the text as it is, blanks and all (1 <= N <= 64), as
//                in the slides and the Scala blog       modifiers +squeeze, +4bytes or +djb2a,
//                                                       +bag, +drop-common:X, +seed:S
//   text:terms004  the terms of the course report                                 modifier +seed:S
struct FeatureSpec {
  // What the field holds, and how it becomes features. By default texts by shingles of five words.
  std::variant<TextFeatures, ValueFeatures, ImageFeatures> kind;
  // Features of more than this share of the documents, in billionths, are left out; 0 means none
  // are. For texts and values, in runs over a corpus only: an index cannot know what is common.
  std::uint32_t drop_common = 0;
  // The seed of the feature hash. Another seed gives an independent run over the same documents.
  // For features that are sketched.
  std::uint64_t seed = 0;
  // Every feature weighs the number of its occurrences in the document times log2(1 + N / n), if n
  // of N documents have it, and sets are compared by weighted Jaccard similarity. For words,
  // characters and values, without bag, weights and drop_common.
  bool tf_idf = false;
  // With tf_idf: the frequencies that were counted before, of the same features without tf_idf.
  // Null: a run over a corpus counts in how many of its documents each feature occurs. An index and
  // single texts need them.
  std::shared_ptr<const DocumentFrequencies> frequencies = nullptr;

  // Return what is special to texts, values or images, or null if the field holds something else.
  const TextFeatures* text() const noexcept { return std::get_if<TextFeatures>(&kind); }
  const ValueFeatures* values() const noexcept { return std::get_if<ValueFeatures>(&kind); }
  const ImageFeatures* image() const noexcept { return std::get_if<ImageFeatures>(&kind); }

  // Returns how two documents are compared: texts and values as sets, images by their kind.
  Comparison comparison() const noexcept {
    return image() ? image()->comparison() : Comparison::kSets;
  }
  // Returns true if documents say themselves what their values weigh.
  bool takes_weights() const noexcept { return values() && values()->weights; }
  // Returns true if every feature has a weight, and sets are compared by these.
  bool is_weighted() const noexcept { return tf_idf || takes_weights(); }
  // Returns true if features depend on how many documents of a corpus have them, so that a run must
  // count that first.
  bool needs_frequencies() const noexcept { return (tf_idf && !frequencies) || drop_common != 0; }
  // Returns true if the features are compared as sets, so that they have signatures and bands. For
  // others no similar pair is missed.
  bool is_sketched() const noexcept { return comparison() == Comparison::kSets; }
  // Returns the length of a hash in bits, or 0 if the features are not a hash.
  int hash_bits() const noexcept { return image() ? image()->hash_bits() : 0; }
  // Returns true for texts whose markup is removed.
  bool reads_html() const noexcept { return text() && text()->html; }
  // Returns true if a document can be too short for these features, or an image have too little
  // detail. ShortPolicy (benzer/dedup.h) says what happens to it.
  bool has_short() const noexcept;

  // Reads one of the spellings above. Throws Error(kInvalidArgument) that names the part that is
  // not allowed and says what is. A file of `words` is not opened here.
  // A name may be followed by "@" and the version of the rules behind it, as in
  // "text:words5@icu72", "own:line@1" and "+stem:en@1a2b3c4d". Throws if this program has another
  // version. "+tf-idf@0123456789abcdef" names DocumentFrequencies by their mark. Throws if none of
  // this mark is alive, or those are of other features.
  static FeatureSpec parse(std::string_view text);
  // Returns the spelling that parse() reads, with modifiers in a fixed order, and with all versions
  // of rules that come from a library or a list.
  std::string str() const;
  friend bool operator==(const FeatureSpec&, const FeatureSpec&) = default;
};

// How features become a signature, and how many slots it has (1 to 4096). Spellings:
//   fss:128             Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup 2017), the default;
//                       of features with weights, for which it is the only one, the darts of
//                       DartMinHash (Christiani 2020)
//   kperm:128           k permutations: slot i is the minimum of the i-th hash of all features
// With benzer::research (benzer/research/register.h) also:
//   linear:128          the same with a x + b modulo 2^61 - 1, as in the report
//   mod-prime:128       with that modulo 2^32, as in the slides
//   multiply-shift:128  with (a x + b) >> 2 in 32 bits, a odd, as in the blog on C#
//   java-random:128     with a x + b in 32 bits with sign, as in the blog on Scala
//   bottomk:128         the k smallest values of one linear function
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
  // The number k of slots, 1 to 4096. More slots estimate better and allow more bands; sketching
  // takes longer, and a signature has 8 bytes for each slot.
  int slots = 128;
  // Slots hold the largest value in place of the smallest. Only for kLinear, kModPrime,
  // kMultiplyShift and kJavaRandom.
  bool maximum = false;
  // The seed of the generator that draws the functions. If it is absent, the one of the document
  // that the scheme comes from is used: 1337 for java-random, 10 for multiply-shift, else 0. Only
  // if is_drawn().
  std::optional<std::uint64_t> seed = {};

  // Returns true if slot i of one signature is compared with slot i of another. Without positions
  // there are no bands: in an index every value is a key of its own.
  bool has_positions() const noexcept {
    return scheme != Scheme::kBottomK && scheme != Scheme::kSingle;
  }
  // Returns true if the functions come from a seeded generator. Those of fss and kperm follow from
  // their numbers alone.
  bool is_drawn() const noexcept { return scheme != Scheme::kFss && scheme != Scheme::kKperm; }
  // Returns the seed, or the default of the scheme if it is absent.
  std::uint64_t seed_or_default() const noexcept;

  // Reads one of the spellings above. Throws Error(kInvalidArgument) that says what is allowed.
  static SketchSpec parse(std::string_view text);
  // Returns the spelling that parse() reads.
  std::string str() const;
  friend bool operator==(const SketchSpec&, const SketchSpec&) = default;
};

// Reads the number of bands and of rows in each: "16x6" or "bands:16x6". Throws
// Error(kInvalidArgument) for anything else; both numbers are from 1 to 4096.
Banding parse_banding(std::string_view text);

// How documents become features, features signatures, and signatures band keys.
struct Config {
  // How a document becomes features.
  FeatureSpec features;
  // How features become a signature. Not used if features are not sketched.
  SketchSpec sketch;
  // How a signature is cut into bands. If it is absent, bands are planned from threshold and
  // recall. It needs bands times rows slots.
  std::optional<Banding> banding;

  // Reads the parts, separated by "|", each at most once and in any order; a missing part keeps its
  // default. Throws Error(kInvalidArgument) that names the part and says what is allowed there,
  // also for bands that need more slots than the sketch has, and for a sketch or bands together
  // with features that are not sketched.
  static Config parse(std::string_view text);
  // Returns the spelling that parse() reads. It has no bands if they are absent, and neither sketch
  // nor bands if the features are not sketched.
  std::string str() const;
  friend bool operator==(const Config&, const Config&) = default;
};

}  // namespace benzer
