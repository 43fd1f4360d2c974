// The script for bash. It needs nothing but bash 4.4, so it also works without the package
// bash-completion.
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completions.h"
#include "help.h"

namespace benzer::cli {
namespace {

// Reads the words in front of the cursor by the rules of the program, and then offers what fits.
constexpr std::string_view kBashFunctions = R"(
# Offers what begins with $2: files, folders, or one of the words of $1.
_benzer_offer() {
  case $1 in
    '' | nothing) ;;
    files)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$2")
      ;;
    folders)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$2")
      ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2") ;;
  esac
}

_benzer() {
  local words=() word='' last='' current='' piece=''
  local options='' first='' others='' most='' value='' greedy='' given=0 only_inputs='' i
  COMPREPLY=()
  # Bash takes words apart at = and :, so that --format=csv is three words.
  for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if [[ ${#words[@]} -gt 1 && ($word == [=:]* || -n $piece) ]]; then
      words[${#words[@]}-1]+=$word
      piece=
      if [[ $word == [=:]* ]]; then piece=1; fi
    else
      words+=("$word")
    fi
  done
  current=${words[${#words[@]}-1]}
  if [[ ${#words[@]} -eq 2 ]]; then
    if [[ $current == -* ]]; then
      _benzer_offer "$_benzer_options" "$current"
    else
      _benzer_offer "$_benzer_commands help" "$current"
    fi
    return
  fi
  if [[ ${words[1]} == help ]]; then
    if [[ ${#words[@]} -eq 3 ]]; then _benzer_offer "$_benzer_commands" "$current"; fi
    return
  fi

  _benzer_command "${words[1]}"
  for ((i = 2; i < ${#words[@]} - 1; i++)); do
    word=${words[i]}
    if [[ -n $only_inputs ]]; then
      ((++given))
    elif [[ $word == -- ]]; then
      only_inputs=1 value=
    elif [[ $word == --*=* ]]; then
      value=
    elif [[ $word == -?* ]]; then
      _benzer_command "${words[1]}" "$word"
    elif [[ -z $value ]]; then
      ((++given))
    elif [[ -z $greedy ]]; then
      value=
    fi
  done

  if [[ -n $only_inputs ]]; then
    value=
  elif [[ $current == --*=* ]]; then
    _benzer_command "${words[1]}" "${current%%=*}"
    _benzer_offer "$value" "${current#*=}"
    word=${current%%=*}=
    COMPREPLY=("${COMPREPLY[@]/#/$word}")
    value=nothing
  elif [[ $current == -* ]]; then
    _benzer_offer "$options" "$current"
    return
  fi
  if [[ -n $value ]]; then
    if [[ $value != nothing ]]; then _benzer_offer "$value" "$current"; fi
  elif [[ -z $most || $given -lt $most ]]; then
    if [[ $given -eq 0 ]]; then _benzer_offer "$first" "$current"; else _benzer_offer "$others" "$current"; fi
  fi
  # Bash replaces only the last of the pieces.
  last=${COMP_WORDS[COMP_CWORD]}
  if [[ $last == [=:]* ]]; then last=; fi
  if [[ $current != "$last" ]]; then
    current=${current%"$last"}
    COMPREPLY=("${COMPREPLY[@]#"$current"}")
  fi
}

complete -F _benzer benzer
)";

std::string in_bash(const Offer& offer) {
  switch (offer.kind) {
    case Offer::Kind::kNothing:
      return "nothing";
    case Offer::Kind::kFiles:
      return "files";
    case Offer::Kind::kFolders:
      return "folders";
    case Offer::Kind::kWords:
      break;
  }
  return fmt::format("'{}'", fmt::join(offer.words, " "));
}

// What the command takes, as a branch of the function _benzer_command.
std::string bash_case(const CommandRow& command) {
  std::vector<std::string_view> options;
  // The assignments for an option, and the options that have the same.
  std::map<std::string, std::vector<std::string_view>> takers;
  for (const OptionRow* row : offered_options(command)) {
    const std::vector<std::string_view> names = spellings(row->names);
    options.insert(options.end(), names.begin(), names.end());
    if (row->flag != nullptr) continue;
    auto& taking =
        takers["value=" + in_bash(offer_for_value(*row)) + " greedy=" + (row->greedy ? "1" : "")];
    taking.insert(taking.end(), names.begin(), names.end());
  }
  std::string out =
      fmt::format("    {})\n      options='{}'\n", command.name, fmt::join(options, " "));
  out += fmt::format(
      "      first={} others={} most={}\n", in_bash(offer_for_input(command.first_input)),
      in_bash(offer_for_input(command.other_inputs)),
      command.max_inputs == std::string_view::npos ? "" : std::to_string(command.max_inputs));
  if (!takers.empty()) {
    out += "      case ${2-} in\n";
    for (const auto& [assignments, names] : takers)
      out += fmt::format("        {}) {} ;;\n", fmt::join(names, " | "), assignments);
    out += "      esac\n";
  }
  return out + "      ;;\n";
}

}  // namespace

std::string bash_completions() {
  std::vector<std::string_view> commands, options;
  for (const CommandRow& row : command_table()) commands.push_back(row.name);
  for (const HelpRow& row : program_options())
    for (const std::string_view name : spellings(row.left)) options.push_back(name);
  std::string out =
      "# Completes the command line of benzer in bash. Made by 'benzer completions bash'.\n\n";
  out += fmt::format("_benzer_commands='{}'\n_benzer_options='{}'\n\n", fmt::join(commands, " "),
                     fmt::join(options, " "));
  out +=
      "# Sets the options and the inputs of the command $1, and what its option $2 takes: value "
      "is\n"
      "# empty for an option without a value, and greedy is set if it takes several.\n"
      "_benzer_command() {\n  value='' greedy=''\n  case $1 in\n";
  for (const CommandRow& row : command_table()) out += bash_case(row);
  return out + "  esac\n}\n" + std::string(kBashFunctions);
}

}  // namespace benzer::cli
