#include "passage_report_output.h"

#include "../shared/run_summary.h"
#include "report_output.h"

namespace benzer::cli {
PassageReportOutput::PassageReportOutput(const std::string& path, const PassageOptions& options)
    : page_(checked_page(path, "name a file")), reporter_(options) {}

void PassageReportOutput::write(CorpusRun& run, const Options& options,
                                const PassageCounts& counts) {
  RunFacts facts = run_facts(options, run.counts(), run.first_problems());
  facts.command = command_words(options);
  page_.write(reporter_.html(run.corpus(), counts, facts));
  page_.finish();
  run.check_stop();
}

}  // namespace benzer::cli
