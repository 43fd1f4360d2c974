#include "completions.h"

#include <algorithm>

#include "benzer/research/experiments.h"

#include "../shared/choices.h"

namespace benzer::cli {

Offer offer_for_value(const OptionRow& option) {
  if (!option.choices.empty())
    return {Offer::Kind::kWords, {option.choices.begin(), option.choices.end()}};
  if (option.path == PathRole::kNone) return {};
  return {option.value == "DIR" ? Offer::Kind::kFolders : Offer::Kind::kFiles};
}

Offer offer_for_input(InputKind kind) {
  Offer out;
  switch (kind) {
    case InputKind::kFiles:
      out.kind = Offer::Kind::kFiles;
      break;
    case InputKind::kIndex:
    case InputKind::kNewFolder:
      out.kind = Offer::Kind::kFolders;
      break;
    case InputKind::kId:
      break;
    case InputKind::kExperiment:
      out.kind = Offer::Kind::kWords;
      for (const ExperimentInfo& info : all_experiments()) out.words.push_back(info.name);
      break;
    case InputKind::kShell:
      out = {Offer::Kind::kWords, {kShellNames.begin(), kShellNames.end()}};
      break;
    case InputKind::kCommand:
      out.kind = Offer::Kind::kWords;
      for (const CommandRow& row : command_table()) out.words.push_back(row.name);
      break;
  }
  return out;
}

std::string_view name_of_input(InputKind kind) {
  switch (kind) {
    case InputKind::kFiles:
      return "INPUT";
    case InputKind::kIndex:
      return "INDEX";
    case InputKind::kNewFolder:
      return "DIR";
    case InputKind::kId:
      return "ID";
    case InputKind::kExperiment:
      return "NAME";
    case InputKind::kShell:
      return "SHELL";
    case InputKind::kCommand:
      break;
  }
  return "COMMAND";
}

std::vector<const OptionRow*> offered_options(const CommandRow& command) {
  std::vector<const OptionRow*> out;
  for (const OptionRow& row : option_table())
    if ((row.commands & command.command) != 0 && row.section != Section::kHidden)
      out.push_back(&row);
  return out;
}

std::vector<std::string_view> spellings(std::string_view names) {
  const std::size_t comma = names.find(',');
  if (comma == std::string_view::npos) return {names};
  return {names.substr(0, comma), names.substr(comma + 1)};
}

std::string_view hint(std::string_view help) {
  const std::size_t end = help.ends_with(']') ? help.rfind(" [") : std::string_view::npos;
  return help.substr(0, std::min(end, help.find("; ")));
}

}  // namespace benzer::cli
