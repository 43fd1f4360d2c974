// Parses the command line with CLI11. Only this file includes its header, which compiles slowly.
#include "parse_options.h"

#include <algorithm>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
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
    if (row.long_name() == name || row.names.substr(0, row.names.find(',')) == name)
      owning |= row.commands;
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

// The arguments, split by the usual rules: an option's value may be the next argument, and all
// arguments after "--" are inputs.
struct Parted {
  std::vector<std::string> options;  // with their values
  std::vector<std::string> inputs;
  std::string_view greedy;  // an option that took all values up to the next one
};

// The option of the command that is spelled like this argument, which has no "=VALUE".
const OptionRow* option_named(const CommandRow& command, std::string_view argument) {
  const auto rows = option_table();
  const auto found = std::ranges::find_if(rows, [&](const OptionRow& row) {
    return (row.commands & command.command) != 0 &&
           (argument == row.long_name() || argument == row.names.substr(0, row.names.find(',')));
  });
  return found == rows.end() ? nullptr : &*found;
}

bool is_option(const std::string& argument) { return argument.size() >= 2 && argument[0] == '-'; }

Parted part(const CommandRow& command, const std::vector<std::string>& arguments) {
  Parted out;
  for (auto at = arguments.begin(); at != arguments.end(); ++at) {
    if (*at == "--") {
      out.inputs.insert(out.inputs.end(), at + 1, arguments.end());
      break;
    }
    if (!is_option(*at)) {
      out.inputs.push_back(*at);
      continue;
    }
    out.options.push_back(*at);
    const OptionRow* row = option_named(command, *at);
    if (row == nullptr || row->flag != nullptr || at + 1 == arguments.end()) continue;
    // A forgotten value is far more likely than one that begins with "--".
    if (at[1].starts_with("--")) {
      throw Error(ErrorCode::kInvalidArgument,
                  "'" + *at + "' needs a value, but '" + at[1] + "' follows", see_help(command));
    }
    out.options.push_back(*++at);
    if (!row->greedy) continue;
    for (; at + 1 != arguments.end() && !is_option(at[1]); ++at) out.options.push_back(at[1]);
    out.greedy = row->long_name();
  }
  return out;
}

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
  Options options;
  options.command = command.command;

  CLI::App app;
  app.set_help_flag();  // --help is a row of the table
  app.allow_extras();   // collected, to be refused below with messages of our own
  for (const OptionRow& row : option_table()) {
    if ((row.commands & command.command) == 0) continue;
    if (row.flag != nullptr) {
      app.add_flag(std::string(row.names), options.*row.flag);
    } else if (row.list != nullptr) {
      app.add_option(std::string(row.names), options.*row.list);
    } else {
      app.add_option(std::string(row.names), options.*row.text);
    }
  }

  Parted parted = part(command, arguments);
  // CLI11 takes the arguments from the back of the vector.
  std::vector<std::string> reversed(parted.options.rbegin(), parted.options.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError&) {
    // All values are text, so only two things can be wrong: a value is missing, or an option was
    // given twice. CLI11's own messages say neither which command it was nor what to do.
    for (const OptionRow& row : option_table()) {
      if ((row.commands & command.command) == 0) continue;
      const std::size_t count = app.get_option(std::string(row.long_name()))->count();
      if (count > 1 && row.list == nullptr)
        refuse("'" + std::string(row.long_name()) + "' is given twice");
    }
    const std::string last = parted.options.empty() ? "" : parted.options.back();
    throw Error(ErrorCode::kInvalidArgument, "'" + last + "' needs a value", see_help(command));
  }
  for (const std::string& extra : app.remaining()) unknown_option(command, extra);
  options.inputs = std::move(parted.inputs);
  if (!options.help && !options.help_all) check_inputs(command, options.inputs, parted.greedy);
  return options;
}

}  // namespace benzer::cli
