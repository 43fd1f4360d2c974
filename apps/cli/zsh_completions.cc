// The script for zsh. Zsh finds out itself which option or input a word belongs to: each command
// only describes its own to _arguments.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completions.h"
#include "help.h"
#include "shown_text.h"

namespace benzer::cli {
namespace {

// The text in brackets, as _arguments takes the help of an option.
std::string in_zsh_brackets(std::string_view help) {
  std::string out = "[";
  for (const char c : help) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out + "]";
}

std::string zsh_action(const Offer& offer) {
  switch (offer.kind) {
    case Offer::Kind::kNothing:
      return " ";
    case Offer::Kind::kFiles:
      return "_files";
    case Offer::Kind::kFolders:
      return "_files -/";
    case Offer::Kind::kWords:
      break;
  }
  return fmt::format("({})", fmt::join(offer.words, " "));
}

std::string zsh_option_lines(const OptionRow& row) {
  const std::vector<std::string_view> names = spellings(row.names);
  // An option that may be given again is still offered when it was given.
  const std::string excluded =
      row.list != nullptr ? "'*'" : fmt::format("'({})'", fmt::join(names, " "));
  // An option that takes several values takes files, and so does its command: what follows the
  // first value may count as inputs.
  const std::string value =
      row.flag != nullptr ? "" : fmt::format(":{}:{}", row.value, zsh_action(offer_for_value(row)));
  std::string out;
  for (const std::string_view name : names) {
    // After a short name the value may follow at once, after a long one with '='.
    const std::string_view joined = row.flag != nullptr ? "" : name.starts_with("--") ? "=" : "+";
    out += fmt::format("      {}{} \\\n", excluded,
                       in_shell_quotes(fmt::format("{}{}{}{}", name, joined,
                                                   in_zsh_brackets(hint(row.help)), value)));
  }
  return out;
}

std::string zsh_input_lines(const CommandRow& command) {
  const auto line = [](std::string_view position, InputKind kind) {
    return fmt::format("      '{}:{}:{}' \\\n", position, name_of_input(kind),
                       zsh_action(offer_for_input(kind)));
  };
  std::string out;
  constexpr std::size_t kEach = 2;  // more inputs than that are described together
  for (std::size_t i = 0; i < std::min(command.max_inputs, kEach); ++i)
    out += line(std::to_string(i + 1), command.input_kind(i));
  if (command.max_inputs > kEach) out += line("*", command.other_inputs);
  return out;
}

}  // namespace

std::string zsh_completions() {
  std::string out =
      "#compdef benzer\n"
      "# Completes the command line of benzer in zsh. Made by 'benzer completions zsh'.\n\n"
      "_benzer_commands() {\n  local -a commands=(\n";
  for (const CommandRow& row : command_table())
    out += fmt::format("    {}\n", in_shell_quotes(fmt::format("{}:{}", row.name, row.summary)));
  out +=
      "  )\n"
      "  _describe -t commands 'command' commands\n"
      "}\n\n"
      "_benzer() {\n"
      "  local curcontext=$curcontext command\n"
      "  if (( CURRENT == 2 )); then\n"
      "    if [[ $words[2] == -* ]]; then\n"
      "      _arguments";
  for (const HelpRow& row : program_options())
    for (const std::string_view name : spellings(row.left))
      out += fmt::format(" \\\n        '({})'{}", fmt::join(spellings(row.left), " "),
                         in_shell_quotes(fmt::format("{}{}", name, in_zsh_brackets(row.right))));
  out +=
      "\n"
      "    else\n"
      "      _benzer_commands\n"
      "      compadd -- help\n"
      "    fi\n"
      "    return\n"
      "  fi\n"
      "  command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  curcontext=${curcontext%:*:*}:benzer-$command:\n"
      "  case $command in\n"
      "  help)\n"
      "    if (( CURRENT == 2 )); then _benzer_commands; fi\n"
      "    ;;\n";
  for (const CommandRow& row : command_table()) {
    out += fmt::format("  {})\n    _arguments -S \\\n", row.name);
    for (const OptionRow* option : offered_options(row)) out += zsh_option_lines(*option);
    out += zsh_input_lines(row);
    out.erase(out.rfind(" \\\n"));
    out += "\n    ;;\n";
  }
  out +=
      "  esac\n"
      "}\n\n"
      "# The file is a function of zsh in one of its folders, and a script where it is sourced.\n"
      "if [[ $funcstack[1] == _benzer ]]; then\n"
      "  _benzer \"$@\"\n"
      "else\n"
      "  compdef _benzer benzer\n"
      "fi\n";
  return out;
}

}  // namespace benzer::cli
