// Reads and writes the spellings of features: the part that texts, values and images share.
#include "features/feature_grammar.h"

#include <limits>
#include <utility>
#include <vector>

#include "benzer/features.h"

#include "features/config_text.h"
#include "features/extension.h"
#include "features/rules_mark.h"
#include "features/text_rules.h"

namespace benzer {
namespace internal {
namespace {

constexpr std::size_t kShareDigits = 9;  // after the decimal point

// Lists the allowed spellings, for messages about others.
std::string allowed_features() {
  return fmt::format(
      "text:wordN and text:wordsN (N from 1 to {}), text:charN{} (N from 1 to {}){}, values, {}, "
      "truth:w1, "
      "truth:w3 and truth:c5{}",
      kMostWords, has_extension() ? " and text:shingleN" : "", kMostChars,
      has_extension() ? ", text:terms004" : "", image_names(), registered_text_rules());
}

FeatureSpec read_kind(std::string_view part) {
  if (auto text = read_text_kind(part)) return {.kind = *std::move(text)};
  if (const auto values = read_value_kind(part)) return {.kind = *values};
  if (auto image = read_image_kind(part)) return {.kind = *std::move(image)};
  fail("features {} are unknown; allowed are {}", in_quotes(part), allowed_features());
}

// Reads a decimal above 0 and below 1, in billionths.
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

std::uint64_t read_feature_seed(std::string_view digits, std::string_view features) {
  const auto seed =
      read_number<std::uint64_t>(digits, 0, std::numeric_limits<std::uint64_t>::max());
  if (!seed)
    fail("the seed {} of features {} is not a whole number from 0 to 18446744073709551615",
         in_quotes(digits), in_quotes(features));
  return *seed;
}

// Reads the modifiers of one spelling.
class ModifierReader {
 public:
  ModifierReader(std::string_view whole, FeatureSpec& spec) : whole_(whole), spec_(spec) {}

  Modifier read(std::string_view modifier) {
    const Modifier own = std::visit(
        [&](auto& features) { return read_modifier(modifier, whole_, features); }, spec_.kind);
    return own == Modifier::kUnknown ? read_shared(modifier) : own;
  }

  // Sets the frequencies that +tf-idf names by their mark, when all modifiers have been read.
  void find_frequencies() {
    if (!mark_) return;
    spec_.frequencies = DocumentFrequencies::find(*mark_);
    if (!spec_.frequencies)
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the features {} have weights by the document frequencies {}, which "
                              "are not known here",
                              in_quotes(whole_), in_quotes(*mark_)),
                  "give their file (" + Parameter{"frequencies"} + ")");
    if (!spec_.frequencies->fits(spec_))
      fail("the features {} have weights by document frequencies of other features, {}",
           in_quotes(whole_), spec_.frequencies->features());
  }

 private:
  Modifier read_shared(std::string_view modifier) {
    const bool can_drop =
        std::visit([](const auto& features) { return can_drop_common(features); }, spec_.kind);
    if (can_drop && take_prefix(modifier, "drop-common:")) {
      const bool is_repeated = spec_.drop_common != 0;
      spec_.drop_common = read_share(modifier, whole_);
      return is_repeated ? Modifier::kRepeated : Modifier::kRead;
    }
    const bool can_have_weights =
        std::visit([](const auto& features) { return can_weigh(features); }, spec_.kind);
    if (can_have_weights && (modifier == "tf-idf" || modifier.starts_with("tf-idf@"))) {
      mark_ = take_mark(modifier);
      return read_flag(spec_.tf_idf);
    }
    if (spec_.is_sketched() && take_prefix(modifier, "seed:")) {
      spec_.seed = read_feature_seed(modifier, whole_);
      return std::exchange(has_seed_, true) ? Modifier::kRepeated : Modifier::kRead;
    }
    return Modifier::kUnknown;
  }

  std::string_view whole_;
  FeatureSpec& spec_;
  bool has_seed_ = false;  // true for +seed:0, too
  std::optional<std::string_view> mark_;
};

std::string_view allowed_modifiers_of(const FeatureSpec& spec) {
  return std::visit([](const auto& features) { return allowed_modifiers(features); }, spec.kind);
}

}  // namespace

bool is_features(std::string_view part) noexcept {
  return part.starts_with("text:") || part.starts_with("truth:") || part.starts_with("values") ||
         part.starts_with("image:") || part.starts_with("own:");
}

std::string feature_names() {
  return fmt::format(
      "text:wordN, text:wordsN, text:charN, values{}, {}, truth:w1, truth:w3, truth:c5{}",
      has_extension() ? ", text:shingleN, text:terms004" : "", image_names(),
      registered_text_rules());
}

}  // namespace internal

FeatureSpec FeatureSpec::parse(std::string_view text) {
  using namespace internal;
  const std::string_view whole = trim(text);
  const std::vector<std::string_view> parts = split(whole, '+');
  FeatureSpec spec = read_kind(parts[0]);
  if (const TextFeatures* features = spec.text(); features && is_of_research(*features))
    extension_for(fmt::format("features {}", in_quotes(whole)));
  ModifierReader reader(whole, spec);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    switch (reader.read(parts[i])) {
      case Modifier::kRead:
        break;
      case Modifier::kRepeated:
        fail("the modifier {} of features {} is given twice; once is allowed", in_quotes(parts[i]),
             in_quotes(whole));
      case Modifier::kUnknown:
        fail("the modifier {} is not one of {}, which {} can have", in_quotes(parts[i]),
             allowed_modifiers_of(spec), in_quotes(parts[0]));
    }
  }
  if (spec.is_weighted() && spec.drop_common != 0)
    fail(
        "the features {} have weights and +drop-common; a weight says already how much a feature "
        "counts, so leave out +drop-common",
        in_quotes(whole));
  const bool is_bag = (spec.text() && spec.text()->bag) || (spec.values() && spec.values()->bag);
  if (spec.tf_idf && (is_bag || spec.takes_weights()))
    fail(
        "the features {} have +tf-idf and {}, which both say how much a feature counts; leave out "
        "one of them",
        in_quotes(whole), is_bag ? "+bag" : "+weights");
  reader.find_frequencies();
  return spec;
}

std::string FeatureSpec::str() const {
  std::string out =
      std::visit([](const auto& features) { return internal::spelling_of(features); }, kind);
  if (drop_common != 0) {
    std::string digits = fmt::format("{:0{}}", drop_common, internal::kShareDigits);
    digits.erase(digits.find_last_not_of('0') + 1);
    out += "+drop-common:0." + digits;
  }
  if (tf_idf) out += frequencies ? "+tf-idf@" + frequencies->mark() : "+tf-idf";
  if (seed != 0) out += fmt::format("+seed:{}", seed);
  return out;
}

}  // namespace benzer
