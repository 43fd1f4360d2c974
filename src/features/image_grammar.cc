// Reads and writes the spellings of the features of values and of images.
#include "features/config_text.h"
#include "features/feature_grammar.h"

namespace benzer::internal {
namespace {

using ImageKind = ImageFeatures::Kind;

struct ImageRow {
  ImageKind kind;
  std::string_view name;
  std::string_view modifiers;
};

constexpr ImageRow kImageRows[] = {{ImageKind::kNear, "image:near", "none"},
                                   {ImageKind::kSift, "image:sift", "+words:FILE"},
                                   {ImageKind::kPdq, "image:pdq", "+turned"},
                                   {ImageKind::kDhash, "image:dhash", "+turned"},
                                   {ImageKind::kPhash, "image:phash", "+turned"},
                                   {ImageKind::kGrid16, "image:grid16", "+seed:NUMBER"}};

const ImageRow& image_row(ImageKind kind) noexcept {
  const ImageRow* row = kImageRows;
  while (row->kind != kind) ++row;  // every kind has one
  return *row;
}

Modifier read_vocabulary(std::string_view file, std::string_view whole, ImageFeatures& features) {
  const bool is_repeated = !features.words.empty();
  features.words = file;
  if (file.empty() || file.find('|') != file.npos)
    fail(
        "the file {} of features {} is not allowed: give the name of a file, without '+' and "
        "'|' in it",
        in_quotes(file), in_quotes(whole));
  return is_repeated ? Modifier::kRepeated : Modifier::kRead;
}

}  // namespace

std::optional<ValueFeatures> read_value_kind(std::string_view part) {
  if (part != "values") return std::nullopt;
  return ValueFeatures();
}

Modifier read_modifier(std::string_view modifier, std::string_view, ValueFeatures& features) {
  if (modifier == "bag" && !features.weights) return read_flag(features.bag);
  if (modifier == "weights" && !features.bag) return read_flag(features.weights);
  return Modifier::kUnknown;
}

std::string spelling_of(const ValueFeatures& features) {
  return features.bag ? "values+bag" : features.weights ? "values+weights" : "values";
}

std::string_view allowed_modifiers(const ValueFeatures&) noexcept {
  return "+bag, +weights or +tf-idf (one of the three), +drop-common:SHARE (not with weights) "
         "and +seed:NUMBER";
}

bool can_drop_common(const ValueFeatures& features) noexcept { return !features.weights; }
bool can_weigh(const ValueFeatures& features) noexcept { return !features.weights; }

std::optional<ImageFeatures> read_image_kind(std::string_view part) {
  for (const ImageRow& row : kImageRows)
    if (row.name == part) return ImageFeatures{row.kind, false, {}};
  return std::nullopt;
}

Modifier read_modifier(std::string_view modifier, std::string_view whole, ImageFeatures& features) {
  if (features.kind == ImageKind::kSift && take_prefix(modifier, "words:"))
    return read_vocabulary(modifier, whole, features);
  if (features.hash_bits() > 0 && modifier == "turned") return read_flag(features.turned);
  return Modifier::kUnknown;
}

std::string spelling_of(const ImageFeatures& features) {
  std::string out(image_row(features.kind).name);
  if (features.turned) out += "+turned";
  if (!features.words.empty()) out += "+words:" + features.words;
  return out;
}

std::string_view allowed_modifiers(const ImageFeatures& features) noexcept {
  return image_row(features.kind).modifiers;
}

bool can_drop_common(const ImageFeatures&) noexcept { return false; }
bool can_weigh(const ImageFeatures&) noexcept { return false; }

std::string image_names() {
  std::string out;
  for (const ImageRow& row : kImageRows) {
    if (!out.empty()) out += ", ";
    out += row.name;
  }
  return out;
}

}  // namespace benzer::internal
