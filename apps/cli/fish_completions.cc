// The script for fish. Fish finds out itself which option a word belongs to; only the number of
// the inputs that are already there is counted here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completions.h"
#include "help.h"

namespace benzer::cli {
namespace {

constexpr std::string_view kFishFunctions = R"(
# Succeeds if the command line has one of these commands.
function __benzer_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; and contains -- $words[2] $argv
end

# Succeeds if the command line has no command yet.
function __benzer_no_command
    test (count (commandline -opc)) -eq 1
end

# Succeeds if the next input is number $argv[1] of a command among the others, or, if the number is 0, any
# that is not the first.
function __benzer_input
    __benzer_command $argv[2..]; or return 1
    set -l words (commandline -opc)
    set -l number 1
    set -l taking ''
    set -l only_inputs ''
    for word in $words[3..]
        if test -n "$only_inputs"
            set number (math $number + 1)
            continue
        end
        # By expressions, because patterns have another '?' since fish 4.
        if test $word = --
            set only_inputs 1
        else if string match -q -- '--*=*' $word
            set taking ''
        else if string match -qr -- '^-.' $word
            set taking (__benzer_takes $words[2] $word)
        else if test -z "$taking"
            set number (math $number + 1)
        else if test "$taking" = one
            set taking ''
        end
    end
    # An option that takes several values takes files, and so does its command.
    if test $argv[1] -eq 0
        test $number -ge 2
    else
        test $number -eq $argv[1]
    end
end

# Prints the folders that begin with the current word, or with the value in it: --work=VALUE.
function __benzer_folders
    __fish_complete_directories (commandline -ct | string replace -r -- '^--[^=]+=' '')
end

complete -c benzer -f
)";

std::string in_fish_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// What 'complete' is told about the words that may follow: only those, or files.
std::string fish_offer(const Offer& offer, bool of_option) {
  switch (offer.kind) {
    case Offer::Kind::kNothing:
      return of_option ? " -x" : "";
    case Offer::Kind::kFiles:
      return of_option ? " -r -F" : " -F";
    case Offer::Kind::kFolders:
      return fmt::format("{} -a '(__benzer_folders)'", of_option ? " -x" : "");
    case Offer::Kind::kWords:
      break;
  }
  return fmt::format("{} -a '{}'", of_option ? " -x" : "", fmt::join(offer.words, " "));
}

// The option's name as 'complete' takes it.
std::string fish_option_names(std::string_view names) {
  std::string out;
  for (const std::string_view name : spellings(names))
    out += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                  : fmt::format(" -s {}", name.substr(1));
  return out;
}

// The function that tells how many values an option takes: one, several, or nothing.
std::string fish_takes_function() {
  std::string out =
      "\n# Prints how many values the option $argv[2] of the command $argv[1] takes.\n"
      "function __benzer_takes\n"
      "    switch \"$argv\"\n";
  for (const bool greedy : {false, true}) {
    std::vector<std::string> takers;
    for (const CommandRow& command : command_table())
      for (const OptionRow* row : offered_options(command)) {
        if (row->flag != nullptr || row->greedy != greedy) continue;
        for (const std::string_view name : spellings(row->names))
          takers.push_back(fmt::format("'{} {}'", command.name, name));
      }
    out += fmt::format("        case {}\n            echo {}\n", fmt::join(takers, " "),
                       greedy ? "several" : "one");
  }
  return out + "    end\nend\n";
}

void append_fish_input(std::string& out, std::size_t number, const CommandRow& command,
                       InputKind kind) {
  const std::string what = fish_offer(offer_for_input(kind), false);
  if (!what.empty())
    out +=
        fmt::format("complete -c benzer -n '__benzer_input {} {}'{}\n", number, command.name, what);
}

}  // namespace

std::string fish_completions() {
  std::string out =
      "# Completes the command line of benzer in fish. Made by 'benzer completions fish'.\n";
  out += fish_takes_function();
  out += kFishFunctions;
  for (const HelpRow& row : program_options())
    out += fmt::format("complete -c benzer -n __benzer_no_command{} -d {}\n",
                       fish_option_names(row.left), in_fish_quotes(row.right));
  for (const CommandRow& row : command_table())
    out += fmt::format("complete -c benzer -n __benzer_no_command -a {} -d {}\n", row.name,
                       in_fish_quotes(row.summary));
  out += "complete -c benzer -n __benzer_no_command -a help -d 'Print help.'\n";
  std::vector<std::string_view> commands;
  for (const CommandRow& row : command_table()) commands.push_back(row.name);
  out += fmt::format("complete -c benzer -n '__benzer_input 1 help' -a '{}'\n",
                     fmt::join(commands, " "));
  for (const OptionRow& row : option_table()) {
    if (row.section == Section::kHidden) continue;
    std::vector<std::string_view> owners;
    for (const CommandRow& command : command_table())
      if ((row.commands & command.command) != 0) owners.push_back(command.name);
    out += fmt::format("complete -c benzer -n '__benzer_command {}'{}{} -d {}\n",
                       fmt::join(owners, " "), fish_option_names(row.names),
                       row.flag != nullptr ? "" : fish_offer(offer_for_value(row), true),
                       in_fish_quotes(hint(row.help)));
  }
  for (const CommandRow& row : command_table()) {
    if (row.max_inputs > 0) append_fish_input(out, 1, row, row.first_input);
    if (row.max_inputs > 1)
      append_fish_input(out, row.max_inputs == 2 ? 2 : 0, row, row.other_inputs);
  }
  return out;
}

}  // namespace benzer::cli
