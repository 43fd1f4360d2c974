// What the five documents measured that Benzer grew from, measured again: each experiment by its
// name, with its figure or table beside the original and a plain sentence on why they differ.
//
//   benzer::ExperimentResult result = benzer::run_experiment("report-6a", {});
//   std::cout << benzer::experiment_text(result);
//
// docs/accuracy.md tells what came out. The algorithms themselves are in
// <benzer/research/classics/...>. Both are in the library benzer::research; running or checking an
// experiment calls register_research().
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace benzer {

struct ExperimentOptions {
  // A folder of text files, for the experiments that read texts: NAME.txt, and perhaps near-copies
  // NAME.txt.copy1 and so on. Empty: texts made up from the seed. Without copies seven of each are
  // made, from the seed too. Where the course report takes the files of one kind, that is the
  // last one by name without digits and '-' ("space" of space-480.txt), if it has two.
  // For experiments on pictures: a folder of pictures with a groups.tsv, or with such folders
  // below it. Empty: pictures made up from the seed.
  std::string data = {};
  std::uint64_t seed = 1;  // of all that is drawn: the same seed gives the same figures, but times
  bool full = false;       // all runs of the document, which may take minutes; else under a minute
  int threads = 1;         // 0: as many as there are cores. Times are measured on one
  // When it turns true, Error(kInterrupted) is thrown within a second.
  const std::atomic<bool>* stop = nullptr;
};

// A number with the digits to show, or a text.
struct ExperimentCell {
  std::string text;
  std::optional<double> number = {};

  ExperimentCell(std::string words) : text(std::move(words)) {}
  ExperimentCell(const char* words) : text(words) {}
  // decimals: behind the point.
  ExperimentCell(double value, int decimals);
  static ExperimentCell count(std::uint64_t value);  // 1,234 in a text, 1234 elsewhere
};

struct ExperimentTable {
  std::string name;   // of its file: "course-table-4"
  std::string title;  // one sentence
  std::vector<std::string> columns;
  std::vector<std::vector<ExperimentCell>> rows;  // each as long as columns
};

struct ExperimentChart {
  std::string name;   // of its file
  std::string title;  // one sentence
  std::string svg;
};

struct ExperimentResult {
  std::string name;
  std::string title;
  std::string document;               // which of the five it comes from
  std::string parameters;             // what it was run with, in a line
  std::vector<std::string> findings;  // plain sentences: what comes out, and why it differs
  std::vector<ExperimentTable> tables;
  std::vector<ExperimentChart> charts;
  std::uint64_t seed = 0;  // this and the next two as they were asked for
  bool full = false;
  std::string data = {};
  double seconds = 0;  // by the clock
};

struct ExperimentInfo {
  std::string_view name;        // "report-6a"
  std::string_view document;    // "000, report of 2012"
  std::string_view summary;     // one line
  bool reads_texts = false;     // ExperimentOptions::data matters: a folder of texts
  bool reads_pictures = false;  // of pictures
};

// All of them, in the order of the documents.
std::span<const ExperimentInfo> all_experiments();

// Throws Error(kInvalidArgument) for an unknown name (it says which there are) and for data that do
// not do; Error(kNotFound) and Error(kBadInput) for files; Error(kInterrupted).
ExperimentResult run_experiment(std::string_view name, const ExperimentOptions& options);
// Throws what any of them would throw at once: for its name, and for a folder that does not do.
// Reads the folder once.
void check_experiments(std::span<const std::string_view> names, const ExperimentOptions& options);

std::string experiment_text(const ExperimentResult& result);  // for a terminal, or Markdown
std::string experiment_csv(const ExperimentTable& table);
std::string experiment_json(const ExperimentResult& result);  // one object, with a line feed
// One page of all of them that needs nothing else.
std::string experiments_html(std::span<const ExperimentResult> results);

}  // namespace benzer
