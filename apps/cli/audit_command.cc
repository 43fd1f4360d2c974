#include "benzer/audit.h"

#include "../shared/audit_report.h"
#include "../shared/index_settings.h"
#include "../shared/json.h"
#include "../shared/settings.h"
#include "commands.h"
#include "corpus_run.h"
#include "index_run.h"
#include "signals.h"

namespace benzer::cli {
namespace {

int print(CommandRun& run, const Options& options, const AuditReport& report) {
  run.check_stop();
  run.line().erase();
  run.messages().end_of_problems();
  print_result(options.json ? report.json() : report.text(option_spelling()));
  return report.skipped() > 0 ? kSomeSkipped : kDone;
}

int audit_index(const Options& options) {
  const Index index = open_to_read(options, stop_flag());
  IndexRun run(options);
  IndexAuditOptions asked;
  static_cast<WholeIndexOptions&>(asked) = run.question();
  asked.sample = read_sample(options);
  asked.seed = read_config(options).features.seed;
  struct Ids {
    std::string a, b;
    double score;
  };
  MissedPairs<Ids> missed;
  asked.pairs = [&](const ScoredIds& pair, bool found) {
    if (!found) missed.add({std::string(pair.a), std::string(pair.b), pair.score});
  };

  AuditReport report;
  report.figures = audit(index, asked);
  report.config = index.schema().str();
  report.measure = index.schema().measure;
  report.threshold = asked.threshold.value_or(index.schema().min_threshold);
  report.seed = asked.seed;
  report.inputs = {index_name(options)};
  report.threads = run.threads();
  report.score_rule = options.score.value_or("mean");
  for (const Ids& pair : missed.pairs())
    report.missed.push_back({json_string(pair.a), json_string(pair.b), pair.score});
  return print(run, options, report);
}

int audit_files(const Options& options) {
  AuditOptions asked = audit_options(options);
  CorpusRun run(options);
  run.connect(asked);
  AuditReport report = audit_documents(options, run.corpus(), asked);
  report.files->skipped = run.counts().skipped;
  return print(run, options, report);
}

}  // namespace

int run_audit(const Options& options) {
  return names_index(options) ? audit_index(options) : audit_files(options);
}

}  // namespace benzer::cli
