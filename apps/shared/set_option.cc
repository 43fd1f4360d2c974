#include "set_option.h"

#include <algorithm>
#include <utility>

#include "benzer/error.h"

#include "settings.h"

namespace benzer::apps {
namespace {

bool prints_help(const OptionRow& row) {
  return row.flag == &Options::help || row.flag == &Options::help_all;
}

[[noreturn]] void refuse_unknown(Command command, std::string_view parameter) {
  ErrorText known;
  for (const OptionRow* row : options_of(command)) {
    if (row->section == Section::kHidden) continue;
    known += (known.empty() ? "there are " : ", ") + ErrorText(Parameter{row->parameter()});
  }
  const std::string name(parameter);
  throw Error(ErrorCode::kInvalidArgument, Subject::parameter(name),
              words("'{}' is not a parameter of '{}'", {name, command_row(command).name}),
              known.empty() ? "there are none" : known);
}

[[noreturn]] void refuse_kind(std::string_view parameter, std::string_view takes) {
  const std::string name(parameter);
  throw Error(ErrorCode::kInvalidArgument, Subject::parameter(name),
              words("{} takes {}", {Parameter{name}, takes}));
}

}  // namespace

std::vector<const OptionRow*> options_of(Command command) {
  std::vector<const OptionRow*> out;
  for (const OptionRow& row : option_table())
    if ((row.commands & command) != 0 && !prints_help(row)) out.push_back(&row);
  return out;
}

const OptionRow* find_option(Command command, std::string_view parameter) {
  const std::vector<const OptionRow*> rows = options_of(command);
  const auto found = std::ranges::find(rows, parameter, &OptionRow::parameter);
  return found == rows.end() ? nullptr : *found;
}

void set_option(Options& options, std::string_view parameter, OptionValue value) {
  const OptionRow* row = find_option(options.command, parameter);
  if (row == nullptr) refuse_unknown(options.command, parameter);
  auto* text = std::get_if<std::string>(&value);
  if (row->flag != nullptr) {
    const bool* flag = std::get_if<bool>(&value);
    if (flag == nullptr) refuse_kind(parameter, "true or false");
    options.*row->flag = *flag;
  } else if (row->text != nullptr) {
    if (text == nullptr) refuse_kind(parameter, "one value");
    options.*row->text = std::move(*text);
  } else {
    auto* list = std::get_if<std::vector<std::string>>(&value);
    if (list == nullptr && text == nullptr) refuse_kind(parameter, "a list of values");
    options.*row->list = list != nullptr ? std::move(*list) : std::vector{std::move(*text)};
  }
}

}  // namespace benzer::apps
