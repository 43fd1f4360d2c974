#include "help.h"

#include <utility>

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

// The sections in the order of the help. Hidden options are in none of them.
constexpr std::pair<Section, std::string_view> kSections[] = {{Section::kInput, "Input"},
                                                              {Section::kSimilarity, "Similarity"},
                                                              {Section::kOutput, "Output"},
                                                              {Section::kRunning, "Running"}};

}  // namespace

std::string program_help() {
  std::string out =
      "benzer finds documents that are nearly the same.\n\nUsage: benzer COMMAND ...\n\n";
  for (const CommandRow& row : command_table()) append_entry(out, row.name, row.summary);
  append_entry(out, "--version", "Print version, CPU level and parts.");
  append_entry(out, "--help",
               "Print this help; 'benzer COMMAND --help' and 'benzer help COMMAND' describe one.");
  out +=
      "\nExamples:\n"
      "  benzer dedup docs.jsonl -o clean.jsonl\n"
      "  benzer compare old.txt new.txt\n"
      "\nExit codes:\n"
      "  0 done, also when a reader closes the pipe early    3 done, but inputs were skipped\n"
      "  1 'compare --exit-code': not similar                5 storage failed or is full\n"
      "  2 usage or configuration, bad input with --strict   7 a guard rail stopped the run\n"
      "  4 a file of Benzer's own is damaged                 10 there is no index\n"
      "  11 another process writes to the index              12 a server cannot be reached\n"
      "  13 a server refuses the user or a command           130 interrupted\n";
  return out;
}

std::string command_help(const CommandRow& command, Level up_to) {
  std::size_t left_out = 0;
  std::string out =
      fmt::format("{}\n\nUsage: benzer {} {}\n\n", command.summary, command.name, command.usage);
  append_wrapped(out, 0, 0, command.details);
  for (const auto& [section, title] : kSections) {
    bool titled = false;
    for (const OptionRow& row : option_table()) {
      if (row.section != section || (row.commands & command.command) == 0) continue;
      if (row.level > up_to) {
        ++left_out;
        continue;
      }
      if (!titled) out += fmt::format("\n{}:\n", title);
      titled = true;
      const bool has_short = row.names.find(',') != std::string_view::npos;
      append_entry(
          out,
          fmt::format("{}{}{}{}", has_short ? row.names.substr(0, 2) : "", has_short ? ", " : "",
                      row.long_name(), row.value.empty() ? "" : fmt::format(" {}", row.value)),
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
