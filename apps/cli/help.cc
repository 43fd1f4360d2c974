#include "help.h"

#include <algorithm>

#include <fmt/format.h>

#include "benzer/runtime.h"

namespace benzer::cli {
namespace {

constexpr std::size_t kWidth = 96;   // of a line of help
constexpr std::size_t kColumn = 24;  // where descriptions start

// Appends words to `out`, whose last line ends at `column`, and breaks lines before kWidth.
void append_wrapped(std::string& out, std::size_t column, std::size_t indent,
                    std::string_view text) {
  std::size_t at = column;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (at > indent && at + 1 + word.size() > kWidth) {
      out += '\n' + std::string(indent, ' ');
      at = indent;
    } else if (at > indent) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += '\n';
}

void append_entry(std::string& out, std::string_view left, std::string_view right) {
  const std::string start = fmt::format("  {:<{}}", left, kColumn - 4);
  out += start;
  if (start.size() > kColumn - 2) {
    out += '\n' + std::string(kColumn, ' ');
  } else {
    out += std::string(kColumn - start.size(), ' ');
  }
  append_wrapped(out, kColumn, kColumn, right);
}

constexpr HelpRow kProgramOptions[] = {
    {"-V,--version", "Print version, CPU level and parts."},
    {"-h,--help",
     "Print this help; 'benzer COMMAND --help' and 'benzer help COMMAND' describe one."}};

constexpr HelpRow kExitCodes[] = {{"0", "done, also when a reader closes the pipe early"},
                                  {"1",
                                   "'compare --exit-code': not similar; 'get', 'remove', 'update': "
                                   "a document is not there"},
                                  {"2", "usage or configuration, bad input with --strict"},
                                  {"3", "done, but inputs were skipped"},
                                  {"4", "a file of Benzer's own is damaged"},
                                  {"5", "storage failed or is full"},
                                  {"7", "a guard rail stopped the run"},
                                  {"10", "there is no index"},
                                  {"11", "another process writes to the index"},
                                  {"12", "a server cannot be reached"},
                                  {"13", "a server refuses the user or a command"},
                                  {"130", "interrupted"}};

constexpr HelpSection kSections[] = {{Section::kInput, "Input"},
                                     {Section::kSimilarity, "Similarity"},
                                     {Section::kOutput, "Output"},
                                     {Section::kRunning, "Running"}};

}  // namespace

std::span<const HelpRow> program_options() { return kProgramOptions; }
std::span<const HelpRow> exit_codes() { return kExitCodes; }
std::span<const HelpSection> help_sections() { return kSections; }

std::string spelling_in_help(std::string_view names) {
  const std::size_t comma = names.find(',');
  if (comma == std::string_view::npos) return std::string(names);
  return fmt::format("{}, {}", names.substr(0, comma), names.substr(comma + 1));
}

std::string program_help() {
  std::string out = fmt::format("{}\n\nUsage: benzer COMMAND ...\n\n", kProgramSummary);
  for (const CommandRow& row : command_table()) append_entry(out, row.name, row.summary);
  out += '\n';
  for (const HelpRow& row : program_options())
    append_entry(out, spelling_in_help(row.left), row.right);
  out += fmt::format("\nExamples:\n{}\nExit codes:\n", kProgramExamples);
  for (const HelpRow& row : exit_codes()) out += fmt::format("  {:<3} {}\n", row.left, row.right);
  return out;
}

std::string command_help(const CommandRow& command, Level up_to) {
  std::size_t left_out = 0;
  std::string out =
      fmt::format("{}\n\nUsage: benzer {} {}\n\n", command.summary, command.name, command.usage);
  append_wrapped(out, 0, 0, command.details);
  for (const auto& [section, title] : help_sections()) {
    bool titled = false;
    for (const OptionRow& row : option_table()) {
      if (row.section != section || (row.commands & command.command) == 0) continue;
      if (row.level > up_to) {
        ++left_out;
        continue;
      }
      if (!titled) out += fmt::format("\n{}:\n", title);
      titled = true;
      append_entry(out,
                   fmt::format("{}{}", spelling_in_help(row.names),
                               row.value.empty() ? "" : fmt::format(" {}", row.value)),
                   row.help);
    }
  }
  out += fmt::format("\nExamples:\n{}", command.examples);
  if (left_out > 0)
    out += fmt::format("\n{} more option{}: benzer {} --help-all\n", left_out,
                       left_out == 1 ? "" : "s", command.name);
  return out;
}

std::string program_version() {
  std::string out = fmt::format("benzer {}\n", version());
  out += fmt::format("cpu level: {} (this machine has", cpu_level_name(active_cpu_level()));
  for (const CpuLevel level : available_cpu_levels())
    out += fmt::format(" {}", cpu_level_name(level));
  out += ")\nparts:";
  const char* separator = " ";
  for (const Part& part : parts()) {
    out += fmt::format("{}{} {}", separator, part.name, part.version);
    separator = ", ";
  }
  return out + "\n";
}

}  // namespace benzer::cli
