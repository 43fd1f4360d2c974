// Makes the scripts that let shells complete the command line, from the tables of commands and
// options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../shared/options.h"

namespace benzer::cli {

// What a shell offers for the value of an option, or for an input.
struct Offer {
  enum class Kind { kNothing, kFiles, kFolders, kWords };
  Kind kind = Kind::kNothing;
  std::vector<std::string_view> words = {};  // of Kind::kWords
};

Offer offer_for_value(const OptionRow& option);
Offer offer_for_input(InputKind kind);

// What an input is called in a hint: "INDEX".
std::string_view name_of_input(InputKind kind);

// The options that a shell offers for the command: all that --help-all prints.
std::vector<const OptionRow*> offered_options(const CommandRow& command);

// The spellings of an option: "-o", "--output".
std::vector<std::string_view> spellings(std::string_view names);

// The help of an option, as short as a list of options needs it: without the default, and without
// what follows a semicolon.
std::string_view hint(std::string_view help);

std::string bash_completions();
std::string zsh_completions();
std::string fish_completions();

}  // namespace benzer::cli
