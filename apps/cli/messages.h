// Prints all text for people on standard error, and results on standard output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "benzer/error.h"

#include "../shared/printable.h"
#include "progress.h"

namespace benzer::cli {

// Prints sentences about one run. Not thread-safe.
class Messages {
 public:
  // `line` is erased before anything is printed.
  Messages(bool quiet, ProgressLine& line) : quiet_(quiet), line_(line) {}

  // One bad input. The first kShownProblems are printed, the others counted.
  void problem(const std::string& sentence);

  // Prints how many problems were not shown. Called once, before the summary.
  void end_of_problems();

  void note(const std::string& sentence);

  // Lines that are printed as they are, after the run.
  void text(const std::string& lines);

 private:
  static constexpr std::uint64_t kShownProblems = 20;

  const bool quiet_;
  ProgressLine& line_;
  std::uint64_t problems_ = 0;
};

// Prints "benzer: SENTENCE", also with --quiet.
void print_error(const std::string& sentence);

// How the command line writes parameters: --allow-low-recall.
const Spelling& option_spelling();
// The error, or a part of one, in that spelling.
std::string sentence_of(const Error& error);
std::string in_words(const ErrorText& text);

// Writes to standard output at once. Throws Error(kStorageFailed), or StdoutClosed if the reader
// has closed it.
void print_result(std::string_view text);

// The same for commands that also change or write something, or whose exit code says something:
// returns false if the reader has closed standard output, so that they can go on without printing.
bool print_if_read(std::string_view text);

// Writes to standard error at once, and ignores failures: there is nowhere to report them.
void print_on_stderr(std::string_view text);

}  // namespace benzer::cli
