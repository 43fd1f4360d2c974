#include "benzer/schema.h"

#include <algorithm>
#include <limits>
#include <set>

#include <xxhash.h>

#include "benzer/banding.h"
#include "benzer/similarity.h"

#include "engine/hash_keys.h"
#include "features/config_text.h"
#include "verify/feature_comparison.h"
#include "verify/hash_index.h"

namespace benzer {
namespace {

using namespace internal;

constexpr std::size_t kWeightDecimals = 6;
constexpr std::uint32_t kMillion = 1'000'000;
constexpr std::uint32_t kLargestWeight = 1000 * kMillion;
constexpr std::size_t kLongestName = 255;
constexpr std::size_t kRecallDecimals = 15;  // any such decimal is the shortest one of its double

bool is_name(std::string_view name) {
  const auto allowed = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F && c != '=' && c != ';' && c != '|';
  };
  return !name.empty() && name.size() <= kLongestName && trim(name) == name &&
         std::all_of(name.begin(), name.end(), allowed);
}

void check_hashes(const Schema& schema) {
  if (!schema.sketch.has_positions())
    fail(
        "the values of the sketch {} have no positions, which does not go with hashes of pictures: "
        "take a sketch with positions, such as fss",
        schema.sketch.str());
  for (const FieldSpec& field : schema.fields) {
    const int bits = field.features.hash_bits();
    if (bits == 0) continue;
    const int chunks = bits / kChunkBits;
    const int most = chunks * (kLargestRadius + 1) - 1;
    if (largest_distance(bits, schema.min_threshold) > most)
      fail(
          "the threshold {} means a distance of {} of the field {}, and an index can find {} at "
          "most: allow {} or more",
          schema.min_threshold.str(), largest_distance(bits, schema.min_threshold),
          in_quotes(field.name), most, threshold_of_distance(field.features, most).str());
  }
}

[[noreturn]] void refuse_recall(std::string_view recall) {
  fail(
      "the recall {} of a schema is not allowed: give a decimal above 0 and below 1, with at most "
      "{} digits after the point",
      recall, kRecallDecimals);
}

// The shortest decimal that reads as this double. Throws for one that a schema cannot have.
std::string recall_text(double recall) {
  if (!(recall > 0 && recall < 1)) refuse_recall(fmt::format("{}", recall));
  std::string decimal = Threshold(recall).str();
  if (decimal.size() > std::string_view("0.").size() + kRecallDecimals) refuse_recall(decimal);
  return decimal;
}

double parse_recall(std::string_view text) {
  const Threshold exact = Threshold::parse(text);
  if (recall_text(exact.value()) != exact.str()) refuse_recall(exact.str());
  return exact.value();
}

// Reads "0.251/20".
KeySampling parse_keys(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '/');
  KeySampling out;
  const auto least =
      parts.size() == 2 ? read_number<std::uint32_t>(parts[1], 1, 1000) : std::nullopt;
  std::string_view decimals = parts[0];
  std::optional<std::uint32_t> rate;
  if (decimals == "1") {
    rate = 1000;
  } else if (take_prefix(decimals, "0.") && decimals.size() <= 3) {
    std::string digits(decimals);
    digits.resize(3, '0');
    rate = read_number<std::uint32_t>(digits, 1, 1000);
  }
  if (!rate || !least)
    fail(
        "the keys {} are not valid: give the share of features, from 0.001 to 1 with at most 3 "
        "digits after the point, and the size of the smallest sets it is for, 1 to 1000, as in {}",
        in_quotes(text), out.str());
  out.thousandths = *rate;
  out.least = *least;
  return out;
}

Measure parse_measure(std::string_view text) {
  for (const Measure measure : {Measure::kJaccard, Measure::kContainment})
    if (text == name_of(measure)) return measure;
  fail("the measure {} is unknown; allowed are jaccard and containment", in_quotes(text));
}

// Completes a schema of containment.
void complete_keys(Schema& schema) {
  for (const FieldSpec& field : schema.fields) {
    if (!field.features.is_sketched() || field.features.comparison() != Comparison::kSets)
      fail("pictures have no containment, and the features of the field {} are {}",
           in_quotes(field.name), field.features.str());
    if (field.features.is_weighted())
      fail("containment counts features, and those of the field {}, {}, have weights",
           in_quotes(field.name), field.features.str());
  }
  if (schema.banding || schema.sketch != SketchSpec())
    fail("containment is found by keys, and not by a sketch and its bands: leave them out");
  const std::uint32_t least = schema.keys.value_or(KeySampling()).least;
  const std::uint64_t shared =
      schema.min_threshold.needed_intersection(least, least, Measure::kContainment);
  if (!schema.keys) schema.keys = plan_keys(shared, schema.recall);
  const double found = schema.keys->found_probability(shared, least);
  if (found < schema.recall)
    fail(
        "with the keys {} a set of {} features is found in one that contains {} of it with a "
        "probability of {:.3g}, and {} was asked for: give a larger share, larger sets, or a lower "
        "recall",
        schema.keys->str(), least, schema.min_threshold.str(), found, recall_text(schema.recall));
}

template <class Named>
std::optional<std::size_t> find_name(const std::vector<Named>& all,
                                     std::string_view name) noexcept {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].name == name) return i;
  return std::nullopt;
}

template <class Value>
void set_once(bool& is_set, Value& value, const Value& found, std::string_view part) {
  if (is_set)
    fail("the part {} of the schema is the second of its kind; only one is allowed",
         in_quotes(part));
  is_set = true;
  value = found;
}

}  // namespace

Weight Weight::parse(std::string_view decimal) {
  const std::size_t point = decimal.find('.');
  const std::string_view whole = decimal.substr(0, point);
  std::string fraction(point == std::string_view::npos ? std::string_view()
                                                       : decimal.substr(point + 1));
  const bool too_fine = fraction.size() > kWeightDecimals;
  fraction.resize(kWeightDecimals, '0');
  const auto units = whole.empty() && point != std::string_view::npos
                         ? std::optional<std::uint32_t>(0)
                         : read_number<std::uint32_t>(whole, 0, 1000);
  const auto millionths = read_number<std::uint32_t>(fraction, 0, kMillion - 1);
  Weight weight;
  weight.millionths_ = units && millionths ? *units * kMillion + *millionths : 0;
  if (too_fine || weight.millionths_ == 0 || weight.millionths_ > kLargestWeight || decimal == ".")
    fail("the weight {} is not allowed: give a decimal from 0.000001 to 1000, such as 2 or 0.5",
         in_quotes(decimal));
  return weight;
}

std::string Weight::str() const {
  std::string out = fmt::format("{}.{:06}", millionths_ / kMillion, millionths_ % kMillion);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out;
}

FieldSpec FieldSpec::parse(std::string_view text) {
  const std::string_view part = trim(text);
  const std::size_t equals = part.find('=');
  FieldSpec field;
  field.name = std::string(trim(part.substr(0, equals)));
  if (equals == std::string_view::npos || !is_name(field.name))
    fail(
        "the field {} is not valid: give a name of at most {} bytes without =, ; and |, then = and "
        "its features, as in title=text:word3;w=2",
        in_quotes(part), kLongestName);
  const std::vector<std::string_view> parts = split(part.substr(equals + 1), ';');
  field.features = FeatureSpec::parse(parts[0]);
  if (const Comparison comparison = field.features.comparison();
      comparison != Comparison::kSets && comparison != Comparison::kHashes)
    fail("the field {} has the features {}, which an index cannot look up: take image:pdq",
         in_quotes(field.name), field.features.str());
  if (field.features.drop_common != 0)
    fail(
        "the field {} asks for +drop-common, which an index cannot have: what is common changes "
        "with every document",
        in_quotes(field.name));
  bool has_weight = false;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::string_view weight = trim(parts[i]);
    if (!take_prefix(weight, "w="))
      fail("the part {} of the field {} is unknown; allowed is w=WEIGHT", in_quotes(parts[i]),
           in_quotes(field.name));
    set_once(has_weight, field.weight, Weight::parse(weight), parts[i]);
  }
  return field;
}

std::string FieldSpec::str() const {
  std::string out = name + "=" + features.str();
  if (weight != Weight()) out += ";w=" + weight.str();
  return out;
}

Schema Schema::parse(std::string_view text) {
  Schema schema;
  schema.fields.clear();
  bool has_sketch = false, has_bands = false, has_threshold = false, has_recall = false;
  bool has_measure = false, has_keys = false;
  for (const std::string_view untrimmed : split(text, '|')) {
    const std::string_view part = trim(untrimmed);
    std::string_view rest = part;
    if (AttributeSpec::is_one(part)) {
      schema.attributes.push_back(AttributeSpec::parse(part));
    } else if (part.find('=') != std::string_view::npos) {
      schema.fields.push_back(FieldSpec::parse(part));
    } else if (is_sketch(part)) {
      set_once(has_sketch, schema.sketch, SketchSpec::parse(part), part);
    } else if (take_prefix(rest, "bands:")) {
      set_once(has_bands, schema.banding, std::optional(parse_banding(part)), part);
    } else if (take_prefix(rest, "measure:")) {
      set_once(has_measure, schema.measure, parse_measure(rest), part);
    } else if (take_prefix(rest, "keys:")) {
      set_once(has_keys, schema.keys, std::optional(parse_keys(rest)), part);
    } else if (take_prefix(rest, "min:")) {
      set_once(has_threshold, schema.min_threshold, Threshold::parse(rest), part);
    } else if (take_prefix(rest, "recall:")) {
      set_once(has_recall, schema.recall, parse_recall(rest), part);
    } else {
      fail(
          "the part {} of the schema is unknown; allowed are fields (title=text:word3;w=2), "
          "attributes (lang=string), measure:containment, sketches ({}), bands:BANDSxROWS, "
          "keys:SHARE/SIZE, min:THRESHOLD and recall:SHARE",
          in_quotes(part), sketch_names());
    }
  }
  return schema;
}

std::string Schema::str() const {
  std::string out;
  for (const FieldSpec& field : fields) out += field.str() + " | ";
  for (const AttributeSpec& attribute : attributes) out += attribute.str() + " | ";
  // A schema of image hashes has no sketch, bands or recall: their own bits find all pairs.
  if (!fields.empty() && has_only_hashes(*this)) return out + "min:" + min_threshold.str();
  if (measure == Measure::kContainment) {
    out += fmt::format("measure:{}", name_of(measure));
    if (keys) out += " | keys:" + keys->str();
    return out + " | min:" + min_threshold.str() + " | recall:" + recall_text(recall);
  }
  out += sketch.str();
  if (banding) out += " | bands:" + banding->str();
  return out + " | min:" + min_threshold.str() + " | recall:" + recall_text(recall);
}

namespace {

// A schema is kept by its spelling.
Schema written_down(Schema schema) {
  if (Schema::parse(schema.str()) != schema)
    fail("the schema {} has settings that cannot be written down", in_quotes(schema.str()));
  return schema;
}

}  // namespace

Schema Schema::completed() const {
  if (fields.empty() || fields.size() > kMostFields)
    fail("the schema has {} fields; allowed are 1 to {}", fields.size(), kMostFields);
  std::set<std::string_view> names;
  for (const FieldSpec& field : fields) {
    if (field.features.tf_idf && !field.features.frequencies)
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("the field {} asks for +tf-idf, and how rare a feature is changes with "
                      "every document of an index",
                      in_quotes(field.name)),
          "count frequencies in documents like those that it will hold (benzer "
          "count-frequencies), and give that file (" +
              Parameter{"frequencies"} + ")");
    if (FieldSpec::parse(field.str()) != field)
      fail("the field {} has a name or features that cannot be written down",
           in_quotes(field.name));
    check_sketch(sketch, field.features);
    if (!names.insert(field.name).second)
      fail("the schema has two fields {}; names must differ", in_quotes(field.name));
  }
  if (attributes.size() > kMostFields)
    fail("the schema has {} attributes; allowed are {}", attributes.size(), kMostFields);
  for (const AttributeSpec& attribute : attributes) {
    if (AttributeSpec::parse(attribute.str()) != attribute)
      fail("the attribute {} has a name or a time to live that cannot be written down",
           in_quotes(attribute.name));
    if (!names.insert(attribute.name).second)
      fail("the schema has two fields or attributes {}; names must differ",
           in_quotes(attribute.name));
  }
  recall_text(recall);
  Schema out = *this;
  if (measure == Measure::kContainment) {
    complete_keys(out);
    return written_down(std::move(out));
  }
  if (keys)
    fail("the keys {} are for containment: ask for measure:{}, or leave them out", keys->str(),
         name_of(Measure::kContainment));
  if (has_hashes(*this)) check_hashes(*this);
  if (has_only_hashes(*this)) {
    const Banding chunks{static_cast<int>(hash_bands(*this)), 1};
    if (banding && *banding != chunks)
      fail("the fields of the schema are hashes, which have no bands: leave them out");
    out.banding = chunks;
    out.sketch = {};
    out.recall = Schema().recall;
    return out;
  }
  const PlanRequest request{min_threshold.value(), recall, sketch.slots};
  if (!sketch.has_positions()) {
    if (banding) check_bands(sketch, *banding);
    // The probability that two sets of similarity s share none of their k smallest values is at
    // most (1 - s)^k, since then none of the k smallest values of their union is common to both. So
    // the recall that is computed for k bands of one row is a lower bound.
    out.banding = Banding{sketch.slots, 1};
    if (out.banding->candidate_probability(request.threshold) < request.recall)
      fail(
          "the sketch {} finds a pair of similarity {} with a probability of {:.3g}, and {} was "
          "asked for: use a larger sketch",
          sketch.str(), min_threshold.str(), out.banding->candidate_probability(request.threshold),
          recall_text(recall));
  }
  if (!out.banding) out.banding = plan(request).banding;
  if (out.banding->bands < 1 || out.banding->rows < 1 || out.banding->bands > sketch.slots ||
      out.banding->rows > sketch.slots || out.banding->slots() > sketch.slots)
    fail(
        "bands {} use more slots than the sketch {} has: use fewer bands or rows, or a larger "
        "sketch",
        out.banding->str(), sketch.str());
  return written_down(std::move(out));
}

std::uint64_t Schema::fingerprint() const {
  const std::string text = "benzer schema 1\n" + completed().str();
  return XXH3_64bits(text.data(), text.size());
}

std::optional<std::size_t> Schema::find(std::string_view field) const noexcept {
  return find_name(fields, field);
}

std::optional<std::size_t> Schema::find_attribute(std::string_view attribute) const noexcept {
  return find_name(attributes, attribute);
}

}  // namespace benzer
