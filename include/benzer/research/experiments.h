// Repeats what the five documents have measured that Benzer grew from: each experiment by its name,
// with its figure or table next to the original and plain sentences on why they differ.
//
//     benzer::ExperimentResult result = benzer::run_experiment("report-6a", {});
//     std::cout << benzer::experiment_text(result);
//
// docs/accuracy.md tells what came out. The algorithms themselves are in
// benzer/research/classics/. Both are in the library benzer::research; running or checking an
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

// The values of a call of the course report. An absent value has the default of the experiment.
struct ExperimentValues {
  // The slots of a signature: the report's numPermutations. At least 1.
  std::optional<std::uint32_t> slots = {};
  // The bands of a signature: the report's numBands. 1 to the number of slots.
  std::optional<std::uint32_t> bands = {};
  // The largest difference of a similarity and its estimate that does not count, in [0, 1].
  std::optional<double> eps = {};
  // The estimate from which on documents are near-duplicates: the report's s, in [0, 1].
  std::optional<double> threshold = {};
  // The document whose near-duplicates are looked for: the name of a file of the folder.
  std::optional<std::string> id = {};
  friend bool operator==(const ExperimentValues&, const ExperimentValues&) = default;
};

// How an experiment is run.
struct ExperimentOptions {
  // The data of an experiment; empty means data that is generated from the seed.
  //
  // For experiments on texts: a folder with text files NAME.txt, and perhaps near-copies
  // NAME.txt.copy1 and so on. If there are no copies, seven of each text are made from the seed.
  // Where the course report takes the files of one kind, that is the last kind by name, without
  // digits and '-' ("space" of space-480.txt), that has two files. The calls of the course report
  // take all files of the folder as they are.
  //
  // For experiments on pictures: a folder of pictures with a groups.tsv, or with such folders below
  // it.
  std::string data = {};
  // The values of experiments that are calls; ExperimentInfo::values names those that each takes.
  ExperimentValues values = {};
  // The seed of everything that is drawn. The same seed gives the same figures, except for times.
  std::uint64_t seed = 1;
  // Whether all runs of the document are repeated, which may take minutes; otherwise an experiment
  // takes less than a minute.
  bool full = false;
  // Threads; 0 means one for each core. Times are measured on one thread.
  int threads = 1;
  // When the flag turns true, the call ends with Error(kInterrupted) within a second. May be null.
  const std::atomic<bool>* stop = nullptr;
};

// A cell of a table: a number with the digits to show, or a text.
struct ExperimentCell {
  // What is shown.
  std::string text;
  // The number; absent if the cell is a text.
  std::optional<double> number = {};

  ExperimentCell(std::string words) : text(std::move(words)) {}
  ExperimentCell(const char* words) : text(words) {}
  // Shows a number with this many digits after the point.
  ExperimentCell(double value, int decimals);
  // Shows a whole number: 1,234 in a text, 1234 elsewhere.
  static ExperimentCell count(std::uint64_t value);
};

// A table of a result.
struct ExperimentTable {
  // The name of its file, without an ending: "course-table-4".
  std::string name;
  // The title, one sentence.
  std::string title;
  std::vector<std::string> columns;
  // The rows, each as long as `columns`.
  std::vector<std::vector<ExperimentCell>> rows;
};

// A chart of a result.
struct ExperimentChart {
  // The name of its file, without an ending.
  std::string name;
  // The title, one sentence.
  std::string title;
  // The chart as SVG.
  std::string svg;
};

// Whether what a document says holds, by the numbers of a run.
enum class ExperimentAnswer {
  kYes,
  kPartly,  // some of its claims hold, and others do not
  kNo,
  kOpen,  // the run cannot tell, such as on a folder with too few texts
};
// Returns "yes", "partly", "no" or "open".
std::string_view spelled(ExperimentAnswer answer) noexcept;

// What an experiment answers to "does it hold?".
struct ExperimentVerdict {
  ExperimentAnswer answer = ExperimentAnswer::kOpen;
  // One sentence that names the claims, and says which of them hold.
  std::string why = {};
  friend bool operator==(const ExperimentVerdict&, const ExperimentVerdict&) = default;
};

// What an experiment has shown.
struct ExperimentResult {
  // The name and the title of the experiment.
  std::string name;
  std::string title;
  // Which of the five documents it comes from.
  std::string document;
  // What it was run with, in one line.
  std::string parameters;
  // Whether what the document says holds. Each claim is judged by the numbers of this run, so the
  // answer may differ with the data; with the data that are made up it does not differ by seed.
  ExperimentVerdict verdict = {};
  // Plain sentences on what came out, and why it differs from the document.
  std::vector<std::string> findings;
  std::vector<ExperimentTable> tables;
  std::vector<ExperimentChart> charts;
  // The options as they were given.
  std::uint64_t seed = 0;
  bool full = false;
  std::string data = {};
  ExperimentValues values = {};
  // How long it took, in seconds by the clock.
  double seconds = 0;
};

// An experiment of the list.
struct ExperimentInfo {
  // The name for run_experiment(), such as "report-6a".
  std::string_view name;
  // The document that it comes from, such as "000, report of 2012".
  std::string_view document;
  // What it measures, in one line.
  std::string_view summary;
  // Whether it uses ExperimentOptions::data: a folder of texts, or one of pictures.
  bool reads_texts = false;
  bool reads_pictures = false;
  // The members of ExperimentValues that it takes: names with a space between them, such as
  // "slots eps".
  std::string_view values = {};

  // Returns whether it takes the value of this name.
  bool takes(std::string_view value) const noexcept;
};

// Returns all experiments, in the order of the documents.
std::span<const ExperimentInfo> all_experiments();

// Runs an experiment. Throws Error(kInvalidArgument) for an unknown name (the error lists the
// names), for a value that it does not take, and for values or data that are not suitable,
// Error(kNotFound) and Error(kBadInput) for files, and Error(kInterrupted).
ExperimentResult run_experiment(std::string_view name, const ExperimentOptions& options);
// Throws what run_experiment() of any of these names would throw at once: for the name, and for
// values or a folder that are not suitable. Reads the folder once, and runs nothing.
void check_experiments(std::span<const std::string_view> names, const ExperimentOptions& options);

// Prints a result for a terminal, or as Markdown.
std::string experiment_text(const ExperimentResult& result);
// Prints a table as CSV.
std::string experiment_csv(const ExperimentTable& table);
// Prints a result as one JSON object with a line feed.
std::string experiment_json(const ExperimentResult& result);
// Prints results as one HTML page that loads nothing.
std::string experiments_html(std::span<const ExperimentResult> results);

}  // namespace benzer
