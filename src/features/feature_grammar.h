// Declares the grammar of features, split by kind: texts, values and images each read and write
// their own part of a spelling, and feature_grammar.cc the part that they share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "benzer/config.h"

namespace benzer::internal {

// The result of reading a modifier. A wrong value of a modifier is thrown as an Error instead.
enum class Modifier {
  kUnknown,  // the kind does not have it
  kRead,
  kRepeated  // it was read before
};

// Switches on a modifier that has no value.
inline Modifier read_flag(bool& flag) noexcept {
  if (flag) return Modifier::kRepeated;
  flag = true;
  return Modifier::kRead;
}

// Returns the features that a spelling begins with, or nothing if they are of another kind. `part`
// ends in front of the first modifier.
std::optional<TextFeatures> read_text_kind(std::string_view part);    // "text:word5"
std::optional<ValueFeatures> read_value_kind(std::string_view part);  // "values"
std::optional<ImageFeatures> read_image_kind(std::string_view part);  // "image:pdq"

// Reads a modifier that only this kind has, without its "+". whole: the spelling, for messages.
Modifier read_modifier(std::string_view modifier, std::string_view whole, TextFeatures& features);
Modifier read_modifier(std::string_view modifier, std::string_view whole, ValueFeatures& features);
Modifier read_modifier(std::string_view modifier, std::string_view whole, ImageFeatures& features);

// Returns the spelling without the modifiers that kinds share.
std::string spelling_of(const TextFeatures& features);
std::string spelling_of(const ValueFeatures& features);
std::string spelling_of(const ImageFeatures& features);

// Returns all modifiers that may follow, for messages.
std::string_view allowed_modifiers(const TextFeatures& features) noexcept;
std::string_view allowed_modifiers(const ValueFeatures& features) noexcept;
std::string_view allowed_modifiers(const ImageFeatures& features) noexcept;

// Returns true if +drop-common:SHARE may follow. Text features whose rules others have fixed, and
// images, do not have it.
bool can_drop_common(const TextFeatures& features) noexcept;
bool can_drop_common(const ValueFeatures& features) noexcept;
bool can_drop_common(const ImageFeatures& features) noexcept;

// Returns true if +tf-idf may follow. A short hash has no room for a weight.
bool can_weigh(const TextFeatures& features) noexcept;
bool can_weigh(const ValueFeatures& features) noexcept;
bool can_weigh(const ImageFeatures& features) noexcept;

// Returns true if benzer::research computes these features.
bool is_of_research(const TextFeatures& features) noexcept;

// Returns "image:near, image:sift, ...", for messages.
std::string image_names();

// The largest N of text:wordN, and of text:charN and text:shingleN.
inline constexpr int kMostWords = 32;
inline constexpr int kMostChars = 64;

// Returns true if a part of a configuration begins as features do.
bool is_features(std::string_view part) noexcept;
// Returns the spellings of features without their modifiers, for messages: "text:wordN, ...".
std::string feature_names();

}  // namespace benzer::internal
