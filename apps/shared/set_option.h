// Fills Options by the names of parameters, for front ends whose callers give keyword arguments.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "options.h"

namespace benzer::apps {

// A value as a caller gives it: on or off, one value as text, or a list of them.
using OptionValue = std::variant<bool, std::string, std::vector<std::string>>;

// Returns the options of a command in the order of the table, also the hidden ones, but not those
// that print help, which are for command lines only.
std::vector<const OptionRow*> options_of(Command command);

// Returns the option of the command with this name (OptionRow::parameter()), or null. Commands may
// have different options of one name, such as id.
const OptionRow* find_option(Command command, std::string_view parameter);

// Sets the option of options.command with this name, in place of what it had. One text is a list of
// one where the option takes a list. Throws Error(kInvalidArgument) if the command has no such
// option, and names those that it has; and if the option takes another kind of value.
void set_option(Options& options, std::string_view parameter, OptionValue value);

}  // namespace benzer::apps
