// What an index knows of its documents' fields, in one spelling: it is stored with the index, and
// whatever was made by another one is refused.
//
//   title=text:word3;w=2 | body=text:word5 | tags=values | fss:128 | bands:32x4 | min:0.6 |
//   recall:0.99
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/banding.h"
#include "benzer/config.h"
#include "benzer/similarity.h"

namespace benzer {

// An exact decimal from 0.000001 to 1000.
class Weight {
 public:
  Weight() = default;
  // Throws Error(kInvalidArgument).
  static Weight parse(std::string_view decimal);
  std::string str() const;  // "2", "0.5"
  std::uint32_t millionths() const noexcept { return millionths_; }
  double value() const noexcept { return millionths_ / 1e6; }
  friend bool operator==(const Weight&, const Weight&) = default;

 private:
  std::uint32_t millionths_ = 1'000'000;
};

// "title=text:word3;w=2": a name, how its features are made, and its share in the score.
struct FieldSpec {
  std::string name = "text";  // 1 to 255 bytes without control characters, blanks at either end,
                              // '=', ';' and '|'
  FeatureSpec features;       // +drop-common is not for an index: what is common changes with it
  Weight weight;

  static FieldSpec parse(std::string_view text);
  std::string str() const;
  friend bool operator==(const FieldSpec&, const FieldSpec&) = default;
};

struct Schema {
  static constexpr std::size_t kMostFields = 64;
  std::vector<FieldSpec> fields = {FieldSpec()};  // 1 to 64, with different names
  SketchSpec sketch;
  // Bands are planned so that a pair exactly at min_threshold is found with the probability
  // `recall`; queries at higher thresholds find more.
  Threshold min_threshold = Threshold::parse("0.8");
  double recall =
      0.99;  // in (0, 1), with at most 15 digits after the point, so that str() keeps it
  std::optional<Banding> banding;  // absent: planned

  // Reads str(). Parts may be missing and in any order. Throws Error(kInvalidArgument) that names
  // the part and what is allowed there.
  static Schema parse(std::string_view text);
  std::string str() const;
  // With the bands planned, and all of it checked. Throws Error(kInvalidArgument).
  Schema completed() const;
  // Equal for equal spellings of completed schemas.
  std::uint64_t fingerprint() const;
  // The number of the field; nothing if there is none.
  std::optional<std::size_t> find(std::string_view field) const noexcept;

  friend bool operator==(const Schema&, const Schema&) = default;
};

}  // namespace benzer
