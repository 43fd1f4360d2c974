// Holds the parts that all evidence pages have: their frame, tables of numbers and of settings, and
// the names of documents.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/report.h"

namespace benzer::report {

// A section of a page, as the table of contents names it.
struct PageSection {
  std::string_view id, title;
};

struct PageStart {
  std::string_view title;  // as HTML
  // The style sheet in addition to kPageStyle.
  std::string_view style;
  bool has_pictures = false;
};

// Begins a page up to its title. What follows is the summary, then append_contents().
std::string begin_page(const PageStart& start);
// Appends the links to the sections, which follow.
void append_contents(std::span<const PageSection> sections, std::string& out);
// what: "inputs", which with the same options give the page again.
void end_page(std::string_view version, std::string_view what, std::string& out);

// Writes numbers as tiles.
class Numbers {
 public:
  explicit Numbers(std::string& out);
  ~Numbers();
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  void add(std::string_view name, const std::string& value, const std::string& note = "");

 private:
  std::string& out_;
};

// Writes a table of settings.
class Settings {
 public:
  explicit Settings(std::string& out);
  ~Settings();
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  // value: as HTML.
  void add(std::string_view name, const std::string& value, const std::string& explained = "");

 private:
  std::string& out_;
};

std::string code(std::string_view text);
// Returns the first names of a list as code, and how many more there are.
std::string names(const std::vector<std::string>& list);
std::string command_line(const std::vector<std::string>& words);
// Appends the command that gives the result again, if it is known.
void append_command(const std::vector<std::string>& words, std::string& out);
// Appends the first messages about bad input. all: how many there were.
void append_problems(const std::vector<std::string>& problems, std::uint64_t all, std::string& out);

// The name of a document: its id, shortened; as text and as an element.
std::string name_text(const ReportedDocument& document);
std::string shown_name(const ReportedDocument& document);
// Returns where in the input the document is. For a file that is only "file", as its id is its
// path.
std::string shown_place(const ReportedDocument& document);
// Returns the same in brackets, to be written after a name; empty if there is no place.
std::string bracketed_place(const ReportedDocument& document);

}  // namespace benzer::report
