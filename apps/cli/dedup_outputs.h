// The files of a deduplication: which there are, and that either all of them appear or none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benzer/dedup.h"
#include "benzer/input.h"
#include "benzer/output.h"

#include "corpus_run.h"
#include "options.h"
#include "report_output.h"
#include "summary.h"

namespace benzer::cli {

class DedupOutputs {
 public:
  // Chooses the names. Throws Error for a run that would write nothing.
  explicit DedupOutputs(const Options& options);

  // Chooses the name of the list that has the format of the inputs.
  void fit(const FileCorpus& corpus);

  // All of them, for CorpusRun::check_outputs.
  std::vector<Place> named() const;

  // Opened before the work starts: an output that cannot be written is said in the first second.
  void open(const CorpusRun& run);

  // Writes everything, tells the summary what is where, and lets the files appear together, the
  // kept documents last. Of a dry run only the report is written.
  void write(CorpusRun& run, const DedupOptions& dedup, const DedupResult& result,
             const Clusters& clusters, Summary& summary);

  // The report alone, of what would have been removed.
  void write_report(CorpusRun& run, const DedupOptions& dedup, const DedupResult& result);

 private:
  struct Paths {  // empty: not wanted
    std::string documents, removed, skipped, pairs, clusters;
  };
  // Calls write(file); a reader of standard output that has seen enough (head) only ends this list.
  template <class Write>
  void write_list(std::optional<OutputFile>& file, Write write);
  void write_lists(CorpusRun& run, const DedupResult& result, const Clusters& clusters);
  void write_documents(CorpusRun& run, const DedupResult& result, const Clusters& clusters,
                       OutputFile* skipped);
  void commit_lists();
  void remove_stale_list(CorpusRun& run);

  const Options& options_;
  Paths paths_;
  std::optional<OutputFile> documents_, removed_, pairs_, clusters_;
  std::optional<ReportOutput> report_;
};

}  // namespace benzer::cli
