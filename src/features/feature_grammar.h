// The grammar of features, split by what they are of: each kind reads and writes its own part of a
// spelling, and feature_grammar.cc what they share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "benzer/config.h"

namespace benzer::internal {

// What a kind made of a modifier. What is wrong with the value of a modifier is an Error.
enum class Modifier {
  kUnknown,  // the kind does not have it
  kRead,
  kRepeated  // it was read before
};

// Switches a modifier without a value on.
inline Modifier read_flag(bool& flag) noexcept {
  if (flag) return Modifier::kRepeated;
  flag = true;
  return Modifier::kRead;
}

// The features that a spelling begins with, or nothing if they are of another kind. `part` ends in
// front of the first modifier.
std::optional<TextFeatures> read_text_kind(std::string_view part);    // "text:word5"
std::optional<ValueFeatures> read_value_kind(std::string_view part);  // "values"
std::optional<ImageFeatures> read_image_kind(std::string_view part);  // "image:pdq"

// Reads a modifier that only this kind has, without its "+". whole: the spelling, for messages.
Modifier read_modifier(std::string_view modifier, std::string_view whole, TextFeatures& features);
Modifier read_modifier(std::string_view modifier, std::string_view whole, ValueFeatures& features);
Modifier read_modifier(std::string_view modifier, std::string_view whole, ImageFeatures& features);

// The spelling but for the modifiers that kinds share.
std::string spelling_of(const TextFeatures& features);
std::string spelling_of(const ValueFeatures& features);
std::string spelling_of(const ImageFeatures& features);

// All modifiers that may follow, for messages.
std::string_view allowed_modifiers(const TextFeatures& features) noexcept;
std::string_view allowed_modifiers(const ValueFeatures& features) noexcept;
std::string_view allowed_modifiers(const ImageFeatures& features) noexcept;

// Whether +drop-common:SHARE may follow. Rules that others have fixed are not to be changed.
bool can_drop_common(const TextFeatures& features) noexcept;
bool can_drop_common(const ValueFeatures& features) noexcept;
bool can_drop_common(const ImageFeatures& features) noexcept;

// Whether benzer::research computes these features.
bool is_of_research(const TextFeatures& features) noexcept;

// "image:near, image:sift, ...", for messages.
std::string image_names();

// The largest N of text:wordN, and of text:charN and text:shingleN.
inline constexpr int kMostWords = 32;
inline constexpr int kMostChars = 64;

// Whether a part of a configuration begins as features do.
bool is_features(std::string_view part) noexcept;
// The spellings of features without their modifiers, for messages: "text:wordN, ...".
std::string feature_names();

}  // namespace benzer::internal
