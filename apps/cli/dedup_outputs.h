// Names and writes the files of a deduplication, so that either all of them appear or none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benzer/dedup.h"
#include "benzer/input.h"
#include "benzer/output.h"

#include "../shared/options.h"
#include "../shared/skipped_list.h"
#include "../shared/summary.h"
#include "corpus_run.h"
#include "report_output.h"
#include "table_files.h"

namespace benzer::cli {

class DedupOutputs {
 public:
  // Chooses the names. Throws Error for a run that would write nothing.
  explicit DedupOutputs(const Options& options);
  ~DedupOutputs();
  DedupOutputs(const DedupOutputs&) = delete;
  DedupOutputs& operator=(const DedupOutputs&) = delete;

  // Chooses the names that depend on the format of the inputs.
  void fit(const CorpusRun& run);

  // All of them, for CorpusRun::check_outputs.
  std::vector<Place> named() const;

  // Opens the outputs before the work starts, so that one that cannot be written is reported in
  // the first second.
  void open(const CorpusRun& run);

  // Writes all outputs, puts their names into the summary, and renames the files to their final
  // names together, the kept documents last. A dry run writes only the report.
  void write(CorpusRun& run, const DedupOptions& dedup, const DedupResult& result,
             const Clusters& clusters, Summary& summary);

  // Writes only the report, about what would have been removed.
  void write_report(CorpusRun& run, const DedupOptions& dedup, const DedupResult& result);

 private:
  struct Paths {  // an empty path: this output is not written
    std::string documents, removed, pairs, clusters;
  };
  // Calls write(file). If the reader of standard output closes it early (head), only this list
  // ends.
  template <class Write>
  void write_list(std::optional<OutputFile>& file, Write write);
  void write_lists(CorpusRun& run, const DedupResult& result, const Clusters& clusters);
  void write_documents(CorpusRun& run, const DedupResult& result, const Clusters& clusters,
                       OutputFile* skipped);
  void commit_lists();

  const Options& options_;
  TableFiles* tables_;                // not null if the documents are written as tables
  std::vector<std::string> targets_;  // their files
  bool has_uncommitted_tables_ = false;
  Paths paths_;
  std::string
      stale_;  // where an earlier run may have left its removed list, which has another name now
  std::optional<OutputFile> documents_, removed_, pairs_, clusters_;
  SkippedList skipped_;
  std::optional<ReportOutput> report_;
};

}  // namespace benzer::cli
