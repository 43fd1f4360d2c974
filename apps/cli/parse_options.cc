// Assigns the arguments of a command to its options, by the table, and refuses what it does not
// have.
#include "parse_options.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "benzer/error.h"

#include "../shared/settings.h"
#include "suggest.h"

namespace benzer::cli {
namespace {

std::string see_help(const CommandRow& command) {
  return "see 'benzer " + std::string(command.name) + " --help-all'";
}

// Whether the option is written so: "--output" or "-o".
bool has_name(const OptionRow& row, std::string_view name) {
  return name == row.long_name() || name == row.names.substr(0, row.names.find(','));
}

// Refuses an option that this command does not have, and says which other commands have it, or
// which option was probably meant.
[[noreturn]] void unknown_option(const CommandRow& command, std::string_view written) {
  const std::string name(written.substr(0, written.find('=')));
  std::vector<std::string_view> known;
  unsigned owning = 0;
  for (const OptionRow& row : option_table()) {
    if ((row.commands & command.command) != 0 && row.section != Section::kHidden) {
      known.push_back(row.long_name());
    }
    if (has_name(row, name)) owning |= row.commands;
  }
  if (owning != 0) {
    std::string owners;
    for (const CommandRow& other : command_table()) {
      if ((owning & other.command) == 0) continue;
      owners += (owners.empty() ? "'" : ", '") + std::string(other.name) + "'";
    }
    refuse("'" + name + "' has no effect on '" + std::string(command.name) + "'",
           "it is an option of " + owners);
  }
  const std::string_view nearest = suggest(name, known);
  throw Error(
      ErrorCode::kInvalidArgument,
      "'" + name + "' is not an option of '" + std::string(command.name) + "'",
      (nearest.empty() ? "" : "did you mean '" + std::string(nearest) + "'? ") + see_help(command));
}

// The option of the command with this name; null if it has none.
const OptionRow* option_named(const CommandRow& command, std::string_view name) {
  const auto rows = option_table();
  const auto found = std::ranges::find_if(rows, [&](const OptionRow& row) {
    return (row.commands & command.command) != 0 && has_name(row, name);
  });
  return found == rows.end() ? nullptr : &*found;
}

bool is_option(const std::string& argument) { return argument.size() >= 2 && argument[0] == '-'; }

// An argument that is an option: --name, --name=VALUE, -n or -nVALUE.
struct Written {
  std::string_view name;
  std::optional<std::string_view> value;
};

Written split(std::string_view argument) {
  constexpr std::size_t kShort = 2;
  if (!argument.starts_with("--")) {
    if (argument.size() == kShort) return {argument, {}};
    return {argument.substr(0, kShort), argument.substr(kShort)};
  }
  const std::size_t equals = argument.find('=');
  if (equals == argument.npos) return {argument, {}};
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

// Assigns arguments by the usual rules: an option's value may be the next argument, and all
// arguments after "--" are inputs.
class Parser {
 public:
  Parser(const CommandRow& command, const std::vector<std::string>& arguments)
      : command_(command), at_(arguments.begin()), end_(arguments.end()) {
    options_.command = command.command;
  }

  Options parse() {
    for (; at_ != end_; ++at_) {
      if (*at_ == "--") {
        options_.inputs.insert(options_.inputs.end(), at_ + 1, end_);
        break;
      }
      if (is_option(*at_)) {
        read_option();
      } else {
        options_.inputs.push_back(*at_);
      }
    }
    return std::move(options_);
  }

  // An option that took all values up to the next one; empty if none did.
  std::string_view greedy() const { return greedy_; }

 private:
  void read_option() {
    const std::string& argument = *at_;
    const auto [name, value] = split(argument);
    const OptionRow* row = option_named(command_, name);
    if (row == nullptr) unknown_option(command_, argument);
    if (row->flag != nullptr) {
      if (value)
        refuse(fmt::format("'{}' takes no value, and '{}' gives it one", name, argument),
               fmt::format("write {}, or leave it out", name));
      options_.*row->flag = true;
      return;
    }
    if (value) {
      // "-o=FILE" is meant as "-o FILE", and not as a file whose name begins with '='.
      if (!argument.starts_with("--") && value->starts_with('='))
        refuse(
            fmt::format("'{}' has a '=' after '{}'", argument, name),
            fmt::format("write {} {}, or {}{}", name, value->substr(1), row->long_name(), *value));
      assign(*row, std::string(*value));
      return;
    }
    read_value(*row);
    if (!row->greedy) return;
    for (; at_ + 1 != end_ && !is_option(at_[1]); ++at_) assign(*row, at_[1]);
    greedy_ = row->long_name();
  }

  void read_value(const OptionRow& row) {
    if (at_ + 1 == end_)
      throw Error(ErrorCode::kInvalidArgument, "'" + *at_ + "' needs a value", see_help(command_));
    // A forgotten value is far more likely than one that begins with "--".
    if (at_[1].starts_with("--"))
      throw Error(ErrorCode::kInvalidArgument,
                  "'" + *at_ + "' needs a value, but '" + at_[1] + "' follows", see_help(command_));
    assign(row, *++at_);
  }

  void assign(const OptionRow& row, const std::string& value) {
    if (row.list != nullptr) {
      (options_.*row.list).push_back(value);
      return;
    }
    auto& text = options_.*row.text;
    if (text) refuse(fmt::format("'{}' is given twice", row.long_name()));
    text = value;
  }

  const CommandRow& command_;
  std::vector<std::string>::const_iterator at_, end_;
  Options options_;
  std::string_view greedy_;
};

void check_inputs(const CommandRow& command, const std::vector<std::string>& inputs,
                  std::string_view greedy) {
  if (inputs.size() >= command.min_inputs && inputs.size() <= command.max_inputs) return;
  const std::string name(command.name);
  const std::string noun = command.first_input == InputKind::kShell     ? "shell"
                           : command.first_input == InputKind::kCommand ? "command"
                                                                        : "file";
  if (inputs.size() > command.max_inputs) {
    refuse("'" + name + "' takes " +
               (command.max_inputs == 0 ? "no" : std::to_string(command.max_inputs)) + " " + noun +
               (command.max_inputs > 1 ? "s" : "") + ", and '" + inputs[command.max_inputs] +
               "' is one too many",
           command.form);
  }
  if (!greedy.empty()) {
    throw Error(
        ErrorCode::kInvalidArgument,
        "'" + name + "' needs an input: '" + std::string(greedy) + "' took all names after it",
        "write the inputs first");
  }
  refuse("'" + name + "' needs " +
             (command.min_inputs == 2   ? std::string("two files")
              : command.max_inputs == 1 ? "a " + noun
                                        : "an input"),
         command.form);
}

}  // namespace

const CommandRow& named_command(const std::string& name) {
  std::vector<std::string_view> names;
  for (const CommandRow& row : command_table()) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  if (name.starts_with("-")) {
    refuse(fmt::format("'{}' comes before the command", name),
           fmt::format("write benzer COMMAND {} ...", name));
  }
  const std::string_view nearest = suggest(name, names);
  throw Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is not a command", name),
              nearest.empty() ? fmt::format("the commands are {}", fmt::join(names, ", "))
                              : fmt::format("did you mean '{}'?", nearest));
}

Options parse_options(const CommandRow& command, const std::vector<std::string>& arguments) {
  Parser parser(command, arguments);
  Options options = parser.parse();
  if (!options.help && !options.help_all) check_inputs(command, options.inputs, parser.greedy());
  return options;
}

}  // namespace benzer::cli
