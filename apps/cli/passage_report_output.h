// Writes the page that shows shared passages.
#pragma once

#include <string>

#include "benzer/output.h"
#include "benzer/passage_report.h"
#include "benzer/passages.h"

#include "../shared/options.h"
#include "corpus_run.h"

namespace benzer::cli {

class PassageReportOutput {
 public:
  // Opens the file, so that one that cannot be written is reported before the work starts. Throws
  // Error(kInvalidArgument) for a device or a pipe.
  PassageReportOutput(const std::string& path, const PassageOptions& options);

  // Takes the passages in the order in which they are found.
  void add(const Passage& passage) { reporter_.add(passage); }
  void write(CorpusRun& run, const Options& options, const PassageCounts& counts);
  void commit() { page_.commit(); }

 private:
  OutputFile page_;
  PassageReporter reporter_;
};

}  // namespace benzer::cli
