// Defines, by name, the edits that texts commonly undergo before they are found again.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "research/experiments/draws.h"

namespace benzer::experiments {

struct TextEdit {
  std::string_view name;
  std::string_view what;  // a short description
  // Edits a text. Inserted words and sentences are taken from `other`, an unrelated text.
  std::string (*apply)(const std::string& text, const std::string& other, Draws& draws);
};

std::span<const TextEdit> text_edits();

}  // namespace benzer::experiments
