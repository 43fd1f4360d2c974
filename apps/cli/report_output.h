// Writes the evidence page of --report and the JSON file for programs next to it.
#pragma once

#include <string>
#include <vector>

#include "benzer/dedup.h"
#include "benzer/index.h"
#include "benzer/output.h"
#include "benzer/report.h"

#include "../shared/options.h"
#include "corpus_run.h"

namespace benzer::cli {

// The words of a command with these options, so that the run can be repeated. They are in the order
// of the table, so that the same options give the same words. Options that cannot change a result
// are left out: threads, progress, the form of the summary.
std::vector<std::string> command_words(const Options& options);

// Returns the path of a page. Throws Error(kInvalidArgument) for a device or a pipe, with what to
// give instead.
std::string checked_page(const std::string& path, const std::string& advice);

class ReportOutput {
 public:
  // The name of the file for programs next to a page: "x.json" for "x.html"; ".json" is appended
  // to any other name.
  static std::string twin(const std::string& page);

  // Opens both files. Throws Error(kInvalidArgument) for a device or a pipe, which can have no file
  // next to it.
  explicit ReportOutput(const std::string& page);

  // Reads the documents that the page shows, then writes and finishes both files. removed_list: the
  // file with it, or empty.
  void write(CorpusRun& run, const Options& options, const std::string& removed_list,
             const DedupOptions& dedup, const DedupResult& result);
  // The same for an index, before anything is removed. It has no texts, so the page shows ids and
  // scores. removes: whether these documents are removed before commit() is called.
  void write(const CommandRun& run, const Options& options, const Index& index,
             const WholeIndexOptions& question, const IndexDedup& found, bool removes);
  void commit();

 private:
  void write(const CommandRun& run, const Report& report);

  OutputFile page_, twin_;
};

}  // namespace benzer::cli
