#include "man_page.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "benzer/runtime.h"

#include "help.h"

namespace benzer::cli {
namespace {

// The text as roff prints it unchanged. A bare '-' would become a hyphen, and some other characters
// would become typographic ones, which nobody can paste into a shell.
std::string in_roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '"':
        out += "\\(dq";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// A line of text. One that begins with '.' would be a request.
std::string roff_line(std::string_view text) {
  return (text.starts_with('.') ? "\\&" : "") + in_roff(text) + "\n";
}

std::string in_capitals(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::toupper(c); });
  return out;
}

std::string in_bold(std::string_view text) { return fmt::format("\\fB{}\\fR", in_roff(text)); }

std::string page_reference(std::string_view page) {
  return fmt::format("\\fB{}\\fR(1)", in_roff(page));
}

std::string without_stop(std::string_view sentence) {
  return std::string(sentence.substr(0, sentence.size() - sentence.ends_with('.')));
}

std::string page_head(std::string_view name, std::string_view summary, std::string_view usage) {
  // No date: a page is of a version, and the same for whoever builds it.
  return fmt::format(
      ".TH {} 1 \"\" \"benzer {}\" \"Benzer\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n",
      in_roff(in_capitals(name)), in_roff(version()), in_roff(name), in_roff(without_stop(summary)),
      usage);
}

std::string page_examples(std::string_view lines) {
  std::string out = ".SH EXAMPLES\n.EX\n";
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view one = lines.substr(0, end);
    out += roff_line(one.substr(std::min(one.find_first_not_of(' '), one.size())));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out + ".EE\n";
}

// An option as the tag of a paragraph: "-o, --output FILE".
std::string option_tag(std::string_view names, std::string_view value) {
  std::string out = ".TP\n";
  const std::string all = spelling_in_help(names);
  const std::size_t comma = all.find(", ");
  if (comma == std::string::npos) {
    out += in_bold(all);
  } else {
    out += in_bold(all.substr(0, comma)) + ", " + in_bold(all.substr(comma + 2));
  }
  if (!value.empty()) out += fmt::format(" \\fI{}\\fR", in_roff(value));
  return out + "\n";
}

}  // namespace

std::string page_name(const CommandRow& command) { return fmt::format("benzer-{}", command.name); }

std::string program_page() {
  // "benzer finds documents" without the name, which the line begins with.
  constexpr std::string_view kSummary = kProgramSummary.substr(std::string_view("benzer ").size());
  std::string out =
      page_head("benzer", kSummary,
                in_bold("benzer") + " \\fICOMMAND\\fR ...\n.br\n" + in_bold("benzer") + " " +
                    in_bold("--version") + " | " + in_bold("--help"));
  out += ".SH COMMANDS\nEach command has a page of its own, such as " +
         page_reference("benzer-dedup") + ".\n";
  for (const CommandRow& row : command_table())
    out += ".TP\n" + in_bold(row.name) + "\n" + roff_line(row.summary);
  out += ".SH OPTIONS\n";
  for (const HelpRow& row : program_options())
    out += option_tag(row.left, "") + roff_line(row.right);
  out += ".SH EXIT STATUS\n";
  for (const HelpRow& row : exit_codes())
    out += ".TP\n" + in_bold(row.left) + "\n" + roff_line(row.right);
  out += page_examples(kProgramExamples) + ".SH SEE ALSO\n";
  std::string separator;
  for (const CommandRow& row : command_table()) {
    out += separator + page_reference(page_name(row));
    separator = ",\n";
  }
  return out + "\n";
}

std::string command_page(const CommandRow& command) {
  std::string out =
      page_head(page_name(command), command.summary,
                in_bold(fmt::format("benzer {}", command.name)) + " " + in_roff(command.usage));
  out += ".SH DESCRIPTION\n" + roff_line(command.details) + ".SH OPTIONS\n";
  for (const auto& [section, title] : help_sections()) {
    bool titled = false;
    for (const OptionRow& row : option_table()) {
      if (row.section != section || (row.commands & command.command) == 0) continue;
      if (!titled) out += fmt::format(".SS {}\n", title);
      titled = true;
      out += option_tag(row.names, row.value) + roff_line(row.help);
    }
  }
  out += ".SH EXIT STATUS\nSee " + page_reference("benzer") + ".\n";
  return out + page_examples(command.examples) + ".SH SEE ALSO\n" + page_reference("benzer") + "\n";
}

}  // namespace benzer::cli
