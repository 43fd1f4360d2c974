// The evidence page of --report and its twin for programs.
#pragma once

#include <string>

#include "benzer/dedup.h"
#include "benzer/index.h"
#include "benzer/output.h"
#include "benzer/report.h"

#include "corpus_run.h"
#include "options.h"

namespace benzer::cli {

class ReportOutput {
 public:
  // The other outputs that a run writes, as the page names them; empty: there is none.
  struct Paths {
    std::string kept, removed;
  };

  // The file for programs beside a page: "x.html" has "x.json", any other name gets ".json" behind.
  static std::string twin(const std::string& page);

  // Opens both files. Throws Error(kInvalidArgument) for a device or a pipe: there is no beside.
  explicit ReportOutput(const std::string& page);

  // Reads what is to be shown, writes and finishes both files.
  void write(CorpusRun& run, const Options& options, const Paths& paths, const DedupOptions& dedup,
             const DedupResult& result);
  // The same of an index, before anything is removed; with ids and scores, as it has no texts.
  void write(const CommandRun& run, const Options& options, const Index& index,
             const WholeIndexOptions& question, const IndexDedup& found);
  void commit();

 private:
  void write(const CommandRun& run, const Report& report);

  OutputFile page_, twin_;
};

}  // namespace benzer::cli
