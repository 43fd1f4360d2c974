// Formats what --help and --version print, and has the parts of it that man pages and completions
// share.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "../shared/options.h"

namespace benzer::cli {

// What is told about a name: an option of the program, or an exit code.
struct HelpRow {
  std::string_view left, right;
};

struct HelpSection {
  Section section;
  std::string_view title;
};

inline constexpr std::string_view kProgramSummary =
    "benzer finds documents that are nearly the same.";
inline constexpr std::string_view kProgramExamples =
    "  benzer dedup docs.jsonl -o clean.jsonl\n"
    "  benzer compare old.txt new.txt\n";

std::span<const HelpRow> program_options();  // those without a command: "-h,--help"
std::span<const HelpRow> exit_codes();
// The sections of options in the order of the help. Hidden options are in none of them.
std::span<const HelpSection> help_sections();
// "-o, --output" for "-o,--output".
std::string spelling_in_help(std::string_view names);

std::string program_help();  // benzer --help
// benzer COMMAND --help-all; with Level::kCommon it is --help, which ends with the number of
// options that it leaves out.
std::string command_help(const CommandRow& command, Level up_to);
std::string program_version();  // benzer --version

}  // namespace benzer::cli
