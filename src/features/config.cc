#include "benzer/config.h"

#include <limits>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "benzer/error.h"

#include "features/config_text.h"
#include "features/extension.h"
#include "features/stop_words.h"

namespace benzer {
namespace {

using namespace internal;

using Kind = FeatureSpec::Kind;

constexpr int kMaxWords = 32;
constexpr int kMaxChars = 64;
constexpr std::size_t kShareDigits = 9;  // behind the point

const std::map<std::string_view, Kind> kImages = {
    {"image:near", Kind::kNear},   {"image:sift", Kind::kSift},   {"image:pdq", Kind::kPdq},
    {"image:dhash", Kind::kDhash}, {"image:phash", Kind::kPhash}, {"image:grid16", Kind::kGrid16}};

// One unit behind "text:word" or "text:char".
int read_shingle(std::string_view part, std::string_view digits, const char* unit, int most) {
  const auto n = read_number(digits, 1, most);
  if (!n) {
    fail("features {} need a number from 1 to {} behind text:{}, as in text:{}5", in_quotes(part),
         most, unit, unit);
  }
  return *n;
}

FeatureSpec read_kind(std::string_view part) {
  FeatureSpec spec;
  std::string_view rest = part;
  if (take_prefix(rest, "text:word")) {
    spec.kind = Kind::kWords;
    spec.shingle = read_shingle(part, rest, "word", kMaxWords);
  } else if (take_prefix(rest, "text:char")) {
    spec.kind = Kind::kChars;
    spec.shingle = read_shingle(part, rest, "char", kMaxChars);
  } else if (take_prefix(rest, "text:shingle")) {
    spec.kind = Kind::kShingles;
    spec.shingle = read_shingle(part, rest, "shingle", kMaxChars);
  } else if (part == "text:terms004") {
    spec.kind = Kind::kTerms004;
    spec.shingle = 1;
  } else if (part == "values") {
    spec.kind = Kind::kValues;
    spec.shingle = 1;
  } else if (part == "truth:w1") {
    spec.kind = Kind::kTruthW1;
    spec.shingle = 1;
  } else if (part == "truth:w3") {
    spec.kind = Kind::kTruthW3;
    spec.shingle = 3;
  } else if (part == "truth:c5") {
    spec.kind = Kind::kTruthC5;
    spec.shingle = 5;
  } else if (const auto image = kImages.find(part); image != kImages.end()) {
    spec.kind = image->second;
    spec.shingle = 1;
  } else {
    fail(
        "features {} are unknown; allowed are text:wordN (N from 1 to {}), text:charN{} (N from 1 "
        "to {}){}, values, image:near, image:sift, image:pdq, image:dhash, image:phash, "
        "image:grid16, truth:w1, truth:w3 and truth:c5",
        in_quotes(part), kMaxWords, has_extension() ? " and text:shingleN" : "", kMaxChars,
        has_extension() ? ", text:terms004" : "");
  }
  return spec;
}

const char* allowed_modifiers(Kind kind) {
  switch (kind) {
    case Kind::kWords:
      return "+html, +bag, +stop:LANGUAGE, +drop-common:SHARE and +seed:NUMBER";
    case Kind::kChars:
      return "+html, +bag, +drop-common:SHARE and +seed:NUMBER";
    case Kind::kShingles:
      return "+squeeze, +4bytes or +djb2a, +bag, +drop-common:SHARE and +seed:NUMBER";
    case Kind::kValues:
      return "+bag, +drop-common:SHARE and +seed:NUMBER";
    case Kind::kPdq:
    case Kind::kDhash:
    case Kind::kPhash:
      return "+turned";
    case Kind::kNear:
      return "none";
    case Kind::kSift:
      return "+words:FILE";
    default:
      return "+seed:NUMBER";
  }
}

bool is_of_research(Kind kind) { return kind == Kind::kShingles || kind == Kind::kTerms004; }

// Their rules are those of others, and not to be changed.
bool is_fixed(Kind kind) { return kind >= Kind::kTerms004; }

// A decimal above 0 and below 1, in billionths.
std::uint32_t read_share(std::string_view share, std::string_view features) {
  std::string_view digits = share;
  if (!take_prefix(digits, "0.")) take_prefix(digits, ".");
  std::string padded(digits.substr(0, kShareDigits));
  padded.resize(kShareDigits, '0');
  const auto value = read_number<std::uint32_t>(padded, 1, 999'999'999);
  if (digits.empty() || digits.size() == share.size() || digits.size() > kShareDigits || !value) {
    fail(
        "the share {} of features {} is not a decimal above 0 and below 1 with at most {} digits, "
        "as in +drop-common:0.001",
        in_quotes(share), in_quotes(features), kShareDigits);
  }
  return *value;
}

bool is_features(std::string_view part) {
  return part.starts_with("text:") || part.starts_with("truth:") || part.starts_with("values") ||
         part.starts_with("image:");
}

// Keeps the value of a part that may be given once.
template <class T>
void set_once(std::optional<T>& value, T found, std::string_view part, const char* what) {
  if (value) fail("the part {} is a second {}; a configuration has one", in_quotes(part), what);
  value = std::move(found);
}

}  // namespace

FeatureSpec FeatureSpec::parse(std::string_view text) {
  const std::string_view whole = trim(text);
  const std::vector<std::string_view> parts = split(whole, '+');
  FeatureSpec spec = read_kind(parts[0]);
  if (is_of_research(spec.kind)) extension_for(fmt::format("features {}", in_quotes(whole)));
  bool seed_seen = false;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::string_view modifier = parts[i];
    bool repeated = false;
    if (modifier == "html" && (spec.kind == Kind::kWords || spec.kind == Kind::kChars)) {
      repeated = spec.html;
      spec.html = true;
    } else if (modifier == "bag" && !is_fixed(spec.kind)) {
      repeated = spec.bag;
      spec.bag = true;
    } else if (modifier == "squeeze" && spec.kind == Kind::kShingles) {
      repeated = spec.squeeze;
      spec.squeeze = true;
    } else if ((modifier == "4bytes" || modifier == "djb2a") && spec.kind == Kind::kShingles) {
      if (spec.hash != FeatureSpec::Hash::kFull)
        fail("features {} have two hashes; +4bytes or +djb2a is allowed once", in_quotes(whole));
      spec.hash = modifier == "djb2a" ? FeatureSpec::Hash::kDjb2a : FeatureSpec::Hash::kFourBytes;
    } else if (spec.kind == Kind::kWords && take_prefix(modifier, "stop:")) {
      repeated = !spec.stop.empty();
      spec.stop = modifier;
      if (!internal::has_stop_words(spec.stop)) {
        fail("there is no list of stop words for the language {}; there is one for {}",
             in_quotes(modifier), internal::stop_word_languages());
      }
    } else if (!is_fixed(spec.kind) && take_prefix(modifier, "drop-common:")) {
      repeated = spec.drop_common != 0;
      spec.drop_common = read_share(modifier, whole);
    } else if (spec.kind == Kind::kSift && take_prefix(modifier, "words:")) {
      repeated = !spec.words.empty();
      spec.words = modifier;
      if (modifier.empty() || modifier.find('|') != modifier.npos)
        fail(
            "the file {} of features {} is not allowed: give the name of a file, without '+' and "
            "'|' in it",
            in_quotes(modifier), in_quotes(whole));
    } else if (modifier == "turned" && spec.is_hash()) {
      repeated = spec.turned;
      spec.turned = true;
    } else if (spec.is_set() && take_prefix(modifier, "seed:")) {
      const auto seed =
          read_number<std::uint64_t>(modifier, 0, std::numeric_limits<std::uint64_t>::max());
      if (!seed) {
        fail("the seed {} of features {} is not a whole number from 0 to 18446744073709551615",
             in_quotes(modifier), in_quotes(whole));
      }
      repeated = seed_seen;
      seed_seen = true;
      spec.seed = *seed;
    } else {
      fail("the modifier {} is not one of {}, which {} can have", in_quotes(parts[i]),
           allowed_modifiers(spec.kind), in_quotes(parts[0]));
    }
    if (repeated) {
      fail("the modifier {} of features {} is given twice; once is allowed", in_quotes(parts[i]),
           in_quotes(whole));
    }
  }
  return spec;
}

std::string FeatureSpec::str() const {
  std::string out;
  switch (kind) {
    case Kind::kWords:
      out = fmt::format("text:word{}", shingle);
      break;
    case Kind::kChars:
      out = fmt::format("text:char{}", shingle);
      break;
    case Kind::kValues:
      out = "values";
      break;
    case Kind::kShingles:
      out = fmt::format("text:shingle{}", shingle);
      break;
    case Kind::kTerms004:
      out = "text:terms004";
      break;
    case Kind::kTruthW1:
      out = "truth:w1";
      break;
    case Kind::kTruthW3:
      out = "truth:w3";
      break;
    case Kind::kTruthC5:
      out = "truth:c5";
      break;
    default:
      for (const auto& [name, image] : kImages)
        if (image == kind) out = name;
  }
  if (html) out += "+html";
  if (squeeze) out += "+squeeze";
  if (hash == Hash::kFourBytes) out += "+4bytes";
  if (hash == Hash::kDjb2a) out += "+djb2a";
  if (turned) out += "+turned";
  if (!words.empty()) out += "+words:" + words;
  if (bag) out += "+bag";
  if (!stop.empty()) out += "+stop:" + stop;
  if (drop_common != 0) {
    std::string digits = fmt::format("{:0{}}", drop_common, kShareDigits);
    digits.erase(digits.find_last_not_of('0') + 1);
    out += "+drop-common:0." + digits;
  }
  if (seed != 0) out += fmt::format("+seed:{}", seed);
  return out;
}

Config Config::parse(std::string_view text) {
  std::optional<FeatureSpec> features;
  std::optional<SketchSpec> sketch;
  std::optional<Banding> banding;
  for (const std::string_view untrimmed : split(text, '|')) {
    const std::string_view part = trim(untrimmed);
    if (is_features(part)) {
      set_once(features, FeatureSpec::parse(part), part, "choice of features");
    } else if (is_sketch(part)) {
      set_once(sketch, SketchSpec::parse(part), part, "sketch");
    } else if (part.starts_with("bands:")) {
      set_once(banding, parse_banding(part), part, "choice of bands");
    } else {
      fail(
          "the part {} of the configuration is neither features (text:wordN, text:charN, values{}, "
          "image:near, image:sift, image:pdq, image:dhash, image:phash, image:grid16, truth:w1, "
          "truth:w3, truth:c5) nor a sketch ({}) nor bands (bands:BANDSxROWS)",
          in_quotes(part), has_extension() ? ", text:shingleN, text:terms004" : "", sketch_names());
    }
  }
  if (features && !features->is_set() && (sketch || banding))
    fail("features {} are no set, and compared as they are: leave out the sketch and the bands",
         in_quotes(features->str()));
  Config config{features.value_or(FeatureSpec{}), sketch.value_or(SketchSpec{}), banding};
  if (banding && banding->slots() > config.sketch.slots) {
    fail("the bands {} use {} slots, but the sketch {} has {}; allowed are at most that many",
         banding->str(), banding->slots(), config.sketch.str(), config.sketch.slots);
  }
  if (banding) internal::check_bands(config.sketch, *banding);
  return config;
}

std::string Config::str() const {
  if (!features.is_set()) return features.str();
  std::string out = features.str() + " | " + sketch.str();
  if (banding) out += " | bands:" + banding->str();
  return out;
}

}  // namespace benzer
