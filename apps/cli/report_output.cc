#include "report_output.h"

#include <algorithm>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/report.h"
#include "benzer/similarity.h"

#include "../shared/run_summary.h"
#include "../shared/settings.h"

namespace benzer::cli {
namespace {

// Inserts the threshold into the name of the page: "x-0.7.html" for "x.html" and 0.7.
std::string renamed(const std::string& page, const std::string& threshold) {
  const std::size_t slash = page.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  std::size_t point = page.find('.', name + 1);
  if (point == std::string::npos) point = page.size();
  return page.substr(0, point) + "-" + threshold + page.substr(point);
}

// A distance of a third more bits, but at least two more; half as many if that is too large.
std::string other_distance(const FeatureSpec& features, const Threshold& threshold) {
  const int now = distance_of_threshold(features, threshold);
  const int more = now + std::max(2, now / 3);
  return std::to_string(more <= largest_distance(features) ? more : now / 2);
}

// Returns the name of a file that a suggested command may write: this one, or with a number if an
// input begins with it, such as that of a list written next to it.
std::string free_name(const std::string& name, const std::string& end, const Options& options) {
  const auto is_taken = [&](const std::string& wanted) {
    for (const auto* list : {&options.inputs, &options.against})
      for (const std::string& input : *list)
        if (input.substr(input.rfind('/') + 1).starts_with(wanted)) return true;
    return false;
  };
  std::string out = name + end;
  for (int number = 2; is_taken(out); ++number) out = fmt::format("{}-{}{}", name, number, end);
  return out;
}

std::vector<NextStep> next_steps(const Options& options, const DedupOptions& dedup,
                                 std::optional<InputFormat> format) {
  std::vector<NextStep> steps;
  if (options.dry_run) {
    Options apply = options;
    apply.dry_run = false;
    apply.report.reset();
    if (!apply.output) {
      const std::string end = format ? std::string(ending(*format)) : ".parquet";
      apply.output = free_name(format == InputFormat::kText ? "kept" : "clean", end, options);
    }
    steps.push_back(
        {"Carry it out, and write a list of what was removed, with the keepers, next to the "
         "output:",
         command_words(apply)});
  }
  const FeatureSpec& features = dedup.config.features;
  Options judge = options;
  judge.dry_run = true;
  const bool is_hash = features.comparison() == Comparison::kHashes;
  if (is_hash) {
    const std::string other = other_distance(features, dedup.threshold);
    judge.threshold.reset();
    judge.distance = other;
    judge.report = renamed(*options.report, other);
  } else {
    const double t = dedup.threshold.value();
    std::string other = fmt::format("{:.3f}", t > 0.25 ? t - 0.1 : t + 0.1);
    other.erase(other.find_last_not_of('0') + 1);
    judge.threshold = other;
    judge.report = renamed(*options.report, other);
  }
  judge.output.reset();
  judge.removed.reset();
  judge.pairs_list.reset();
  judge.clusters_list.reset();
  judge.annotate = false;
  steps.push_back({is_hash ? "Try another distance, without writing a list:"
                           : "Try another threshold, without writing documents:",
                   command_words(judge)});

  Options pairs = options;
  pairs.command = kPairs;
  pairs.output = free_name("pairs", ".jsonl", options);
  steps.push_back({"List all similar pairs, and remove nothing:", command_words(pairs)});

  if (!features.is_sketched()) return steps;  // without a sketch there are no bands to plan
  Options plan;
  plan.command = kPlan;
  plan.threshold = dedup.threshold.str();
  plan.recall = "0.999";
  if (dedup.measure == Measure::kContainment) {
    plan.measure = options.measure;
  } else {
    plan.sketch = dedup.config.sketch.str();
  }
  steps.push_back(
      {"See what it takes to find more of the pairs at the threshold:", command_words(plan)});
  return steps;
}

// Suggests 'benzer compare' of the two documents next to the threshold: just below it if there are
// any, otherwise above it. Only for inputs of which each file is a document.
void add_compare(const Options& options, const DedupOptions& dedup, Report& report) {
  const auto& pairs = report.under.empty() ? report.above : report.under;
  if (pairs.empty()) return;
  // What is common in a corpus is not known of two documents.
  if (dedup.config.features.needs_frequencies()) return;
  Options compare = options;
  compare.command = kCompare;
  compare.threshold = dedup.threshold.str();
  compare.inputs.clear();
  for (const std::string& id : {pairs.front().a.id_json, pairs.front().b.id_json}) {
    if (id.find('\\') != std::string::npos || id.size() < 3) return;
    compare.inputs.push_back(id.substr(1, id.size() - 2));
  }
  report.run.next_steps.push_back(
      {"Look at two texts alone, here the pair next to the threshold:", command_words(compare)});
}

}  // namespace

std::vector<std::string> command_words(const Options& options) {
  const CommandRow& command = command_row(options.command);
  std::vector<std::string> words;
  for (const OptionRow& row : option_table()) {
    if ((row.commands & command.command) == 0 || row.flag == &Options::json) continue;
    if (row.section == Section::kRunning || row.section == Section::kHidden) continue;
    const std::string name(row.long_name());
    if (row.flag != nullptr && options.*row.flag) words.push_back(name);
    if (row.list != nullptr && !(options.*row.list).empty()) {
      words.push_back(name);
      words.insert(words.end(), (options.*row.list).begin(), (options.*row.list).end());
    }
    if (row.text == nullptr || !(options.*row.text)) continue;
    const std::string& value = *(options.*row.text);
    if (value.starts_with("--")) {
      words.push_back(name + "=" + value);
    } else {
      words.insert(words.end(), {name, value});
    }
  }
  bool like_options = false;
  for (const std::string& input : options.inputs)
    like_options |= input.size() > 1 && input.starts_with('-');
  std::vector<std::string> out{"benzer", std::string(command.name)};
  if (like_options) {
    out.insert(out.end(), words.begin(), words.end());
    out.emplace_back("--");
    out.insert(out.end(), options.inputs.begin(), options.inputs.end());
  } else {
    out.insert(out.end(), options.inputs.begin(), options.inputs.end());
    out.insert(out.end(), words.begin(), words.end());
  }
  return out;
}

std::string ReportOutput::twin(const std::string& page) {
  constexpr std::string_view kEnd = ".html";
  const bool has_end = page.ends_with(kEnd);
  return page.substr(0, page.size() - (has_end ? kEnd.size() : 0)) + ".json";
}

std::string checked_page(const std::string& path, const std::string& advice) {
  if (OutputFile::is_direct(path)) refuse_value("report", path, advice);
  return path;
}

ReportOutput::ReportOutput(const std::string& page)
    : page_(checked_page(page, "name a file; a second one for programs is written next to it")),
      twin_(twin(page)) {}

void ReportOutput::write(CorpusRun& run, const Options& options, const std::string& removed_list,
                         const DedupOptions& dedup, const DedupResult& result) {
  RunFacts facts = run_facts(options, run.counts(), run.first_problems());
  facts.command = command_words(options);
  if (!options.dry_run) facts.removed_list = removed_list;
  facts.next_steps = next_steps(options, dedup, run.format());

  Report report = collect_report(run.corpus(), dedup, result, facts);
  if (run.format() == InputFormat::kText && !report.pictures) add_compare(options, dedup, report);
  write(run, report);
}

void ReportOutput::write(const CommandRun& run, const Options& options, const Index& index,
                         const WholeIndexOptions& question, const IndexDedup& found, bool removes) {
  RunFacts facts;
  facts.command = command_words(options);
  facts.inputs = {Index::shown(options.inputs.front())};
  if (removes || !options.remove) facts.removed_list = options.removed.value_or("");
  facts.dry_run = !removes;
  // dedup cannot remove documents from an index in Redis, and the command in the report must not
  // show a password.
  const bool is_on_servers = index.stats().servers > 0;
  if (!options.remove && !is_on_servers) {
    Options remove = options;
    remove.remove = true;
    remove.report.reset();
    facts.next_steps.push_back(
        {"Carry it out, and remove these documents from the index:", command_words(remove)});
  }
  if (is_on_servers) facts.command.clear();
  write(run, collect_report(index, question, found, facts, {}));
}

void ReportOutput::write(const CommandRun& run, const Report& report) {
  run.check_stop();
  page_.write(report_html(report));
  page_.finish();
  twin_.write(report_json(report));
  twin_.finish();
}

void ReportOutput::commit() {
  twin_.commit();
  page_.commit();
}

}  // namespace benzer::cli
