// What happens to texts on their way through the world, made here: each edit by its name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "research/experiments/draws.h"

namespace benzer::experiments {

struct TextEdit {
  std::string_view name;
  std::string_view what;  // in a few words
  // Words and sentences that come in are those of `other`, a text on something else.
  std::string (*apply)(const std::string& text, const std::string& other, Draws& draws);
};

std::span<const TextEdit> text_edits();

}  // namespace benzer::experiments
