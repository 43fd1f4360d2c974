// Describes what an index knows about the fields of its documents, in one spelling. The spelling is
// stored with the index, and opening the index with another schema is refused.
//
//   title=text:word3;w=2 | body=text:word5 | tags=values | lang=string | fss:128 | bands:32x4 |
//   min:0.6 | recall:0.99
//
//     const benzer::Schema schema = benzer::Schema::parse("body=text:word5 | min:0.7").completed();
//     std::cout << schema.str();  // with the sketch, the bands that were planned, and the recall
//
// A schema of containment has keys in place of sketch and bands:
//
//   text=text:word5 | measure:containment | keys:0.251/20 | min:0.8 | recall:0.99
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/attributes.h"
#include "benzer/banding.h"
#include "benzer/config.h"
#include "benzer/similarity.h"

namespace benzer {

// The weight of a field in the mean score: an exact decimal from 0.000001 to 1000; 1 by default.
class Weight {
 public:
  Weight() = default;
  // Reads a decimal with at most 6 digits after the point, such as "2" or "0.5". Throws
  // Error(kInvalidArgument) for anything else.
  static Weight parse(std::string_view decimal);
  // Returns the decimal without superfluous zeros: "2", "0.5".
  std::string str() const;
  // Returns the weight in millionths, which is exact.
  std::uint32_t millionths() const noexcept { return millionths_; }
  // Returns the nearest double, for printing. Scores are computed from millionths().
  double value() const noexcept { return millionths_ / 1e6; }
  friend bool operator==(const Weight&, const Weight&) = default;

 private:
  std::uint32_t millionths_ = 1'000'000;
};

// One field of a schema, spelled "title=text:word3;w=2": its name, how its features are made, and
// its weight in the score.
struct FieldSpec {
  // 1 to 255 bytes without control characters, '=', ';' and '|', and without spaces at either end.
  std::string name = "text";
  // How the field becomes features. An index takes sets and image hashes. It refuses image:near and
  // image:sift, which have no band keys, and +drop-common and +tf-idf without a mark, since what is
  // common would change with every document. The document frequencies of +tf-idf@MARK are kept with
  // the index.
  //
  // All spellings are in benzer/config.h.
  FeatureSpec features;
  // How much the field counts under ScoreRule::kMean; the other rules ignore it.
  Weight weight;

  // Reads the spelling. Throws Error(kInvalidArgument) that says what is allowed.
  static FieldSpec parse(std::string_view text);
  // Returns the spelling; the weight is left out if it is 1.
  std::string str() const;
  friend bool operator==(const FieldSpec&, const FieldSpec&) = default;
};

// The fields of an index and how its documents are hashed and found. Threads: a plain value.
struct Schema {
  // The largest number of fields.
  static constexpr std::size_t kMostFields = 64;
  // 1 to kMostFields fields with different names.
  std::vector<FieldSpec> fields = {FieldSpec()};
  // What is kept of each document beside its hashes: up to kMostFields attributes, whose names
  // differ from one another and from those of the fields.
  std::vector<AttributeSpec> attributes = {};
  // What a score is. With containment all fields are sets without weights, and there is no sketch.
  Measure measure = Measure::kJaccard;
  // The sketch that makes the signature of every field that is a set.
  SketchSpec sketch;
  // The lowest threshold that queries should use. Bands are planned so that a pair exactly at this
  // threshold is found with the probability `recall`; queries at higher thresholds find more.
  // A lower value makes every document take more memory and every query meet more candidates.
  Threshold min_threshold = Threshold::parse("0.8");
  // The wanted probability, in (0, 1), with at most 15 digits after the point, so that str() gives
  // all of them.
  double recall = 0.99;
  // The bands of each field; absent until they are planned by completed(), and with containment.
  std::optional<Banding> banding;
  // With containment: under which of its features a set is stored; absent until completed() plans
  // it. The recall is that of queries with at least KeySampling::least features. Sets with fewer
  // are found for certain, but a query with fewer finds the sets that contain it less often, as
  // KeySampling::found_probability() says.
  std::optional<KeySampling> keys = {};

  // Reads the spelling of str(). Parts may be missing and in any order; a missing part keeps its
  // default, but fields have none. Throws Error(kInvalidArgument) that names the part and says what
  // is allowed there. Call completed() to check the parts against one another.
  static Schema parse(std::string_view text);
  // Returns the spelling. A schema whose fields are all image hashes has no sketch, bands and
  // recall in it, because hashes are found by their own bits and none is missed. One of containment
  // has keys in place of sketch and bands.
  std::string str() const;
  // Returns the schema with its bands planned, after checking all of it. Throws
  // Error(kInvalidArgument) for no field, more than kMostFields fields or attributes, two of one
  // name, a recall that is not allowed, bands that do not fit into the signature, a sketch or keys
  // that cannot reach the recall, a threshold that allows a larger distance than an index finds for
  // image hashes, and what containment cannot have: pictures, weights, another sketch than the
  // default, which is not used, and bands.
  Schema completed() const;
  // Returns a hash that is equal for equal spellings of completed schemas. Throws what completed()
  // throws.
  std::uint64_t fingerprint() const;
  // Returns the number of the field with this name, from 0, or nothing if there is none.
  std::optional<std::size_t> find(std::string_view field) const noexcept;
  // Does the same for the attributes.
  std::optional<std::size_t> find_attribute(std::string_view attribute) const noexcept;

  friend bool operator==(const Schema&, const Schema&) = default;
};

}  // namespace benzer
