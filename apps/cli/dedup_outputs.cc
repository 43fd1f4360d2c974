#include "dedup_outputs.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "benzer/error.h"

#include "../shared/dedup_records.h"
#include "../shared/settings.h"

namespace benzer::cli {

DedupOutputs::DedupOutputs(const Options& options)
    : options_(options), tables_(writes_tables(options) ? table_files() : nullptr) {
  paths_.removed = options.removed.value_or("");
  paths_.pairs = options.pairs_list.value_or("");
  paths_.clusters = options.clusters_list.value_or("");
  if (!options.output) {
    if (options.dry_run) return;
    refuse(fmt::format("'dedup' needs an output: {} (or --dry-run, to see the numbers only)",
                       command_row(kDedup).form));
  }
  paths_.documents = *options.output;
  if (OutputFile::is_direct(paths_.documents)) return;
  // With --annotate nothing is removed; the records say which documents would be.
  const bool has_usual_list = !options.removed && !options.annotate;
  if (tables_ && paths_.documents.find("://") != std::string::npos) {
    if (!has_usual_list) return;
    refuse(fmt::format("the list of removed documents cannot be written next to '{}'",
                       paths_.documents),
           "name a file for it with --removed");
  }
  // A folder of tables may end with '/' or be "."; the list is next to it.
  std::string name = paths_.documents;
  if (tables_ && std::filesystem::path(name).lexically_normal() == ".")
    name = std::filesystem::absolute(name).lexically_normal().string();
  while (tables_ && name.size() > 1 && name.ends_with('/')) name.pop_back();
  (has_usual_list ? paths_.removed : stale_) = name + ".removed.jsonl";
}

DedupOutputs::~DedupOutputs() {
  if (has_uncommitted_tables_) tables_->discard();
}

void DedupOutputs::fit(const CorpusRun& run) {
  if (tables_ && !paths_.documents.empty()) targets_ = tables_->targets(paths_.documents);
  if (!tables_) skipped_.name_after(paths_.documents, run.format().value_or(InputFormat::kText));
}

std::vector<Place> DedupOutputs::named() const {
  std::vector<Place> outputs;
  const auto add = [&](bool given, const char* what, const std::string& path) {
    if (given || !path.empty()) outputs.push_back({what, path});
  };
  for (const std::string& target : targets_) add(true, "the output", target);
  // A folder of tables may be there already; no list has its name.
  std::error_code ignored;
  const bool is_named = std::ranges::find(targets_, paths_.documents) != targets_.end();
  if (!tables_ || !(is_named || std::filesystem::is_directory(paths_.documents, ignored)))
    add(options_.output.has_value(), "the output", paths_.documents);
  add(options_.removed.has_value(), "the removed list", paths_.removed);
  add(options_.pairs_list.has_value(), "the list of pairs", paths_.pairs);
  add(options_.clusters_list.has_value(), "the list of clusters", paths_.clusters);
  add(false, "the list of skipped lines", skipped_.path());
  if (options_.report) {
    add(true, "the report", *options_.report);
    add(true, "the report for programs", ReportOutput::twin(*options_.report));
  }
  return outputs;
}

void DedupOutputs::open(const CorpusRun& run) {
  const auto open_list = [&](std::optional<OutputFile>& file, const std::string& path) {
    if (!path.empty()) file.emplace(path, 1, run.stop());
  };
  if (options_.report) report_.emplace(*options_.report);
  if (options_.dry_run) return;
  if (tables_)
    tables_->check_targets(options_.annotate);
  else
    documents_.emplace(paths_.documents, run.packing_threads(), run.stop());
  open_list(removed_, paths_.removed);
  open_list(pairs_, paths_.pairs);
  open_list(clusters_, paths_.clusters);
}

template <class Write>
void DedupOutputs::write_list(std::optional<OutputFile>& file, Write write) {
  if (!file) return;
  try {
    write(*file);
    file->finish();
  } catch (const StdoutClosed&) {
    file.reset();  // go on with the other outputs
  }
}

void DedupOutputs::write_lists(CorpusRun& run, const DedupResult& result,
                               const Clusters& clusters) {
  const Corpus& corpus = run.corpus();
  write_list(removed_, [&](OutputFile& out) {
    for (std::size_t i = 0; i < result.removed.size(); ++i) {
      run.check_stop();
      out.write(removed_line(corpus, result, i));
    }
  });
  write_list(pairs_, [&](OutputFile& out) {
    result.similar.for_each([&](const ScoredPair& pair) {
      run.check_stop();
      std::optional<Shares> shares;
      if (!result.sizes.empty()) shares = result.shares(pair);
      out.write(pair_line(corpus, result.counts.config.features, pair, shares));
    });
  });
  write_list(clusters_, [&](OutputFile& out) {
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      run.check_stop();
      out.write(cluster_line(corpus, result, clusters[i], i + 1));
    }
  });
}

void DedupOutputs::write_documents(CorpusRun& run, const DedupResult& result,
                                   const Clusters& clusters, OutputFile* skipped) {
  const std::uint64_t total = options_.annotate || tables_ ? result.counts.documents : result.kept;
  const auto progress = [&run, total](std::uint64_t done) {
    run.check_stop();
    run.line().update({"write", done, total});
  };
  if (tables_) {
    has_uncommitted_tables_ = true;
    tables_->write(run.corpus(), result, options_.annotate ? &clusters : nullptr, progress);
    return;
  }
  if (options_.annotate) {
    run.files()->write_annotated(annotation_of(run.corpus(), result, clusters), *documents_,
                                 skipped, progress);
  } else {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(result.removed.size());
    for (const Removal& removal : result.removed) numbers.push_back(removal.document);
    run.files()->write_kept(numbers, *documents_, skipped, progress);
  }
  documents_->finish();
}

void DedupOutputs::commit_lists() {
  for (auto* file : {&removed_, &pairs_, &clusters_})
    if (*file) (*file)->commit();
  if (report_) report_->commit();
}

void DedupOutputs::write_report(CorpusRun& run, const DedupOptions& dedup,
                                const DedupResult& result) {
  if (!report_) return;
  Options told = options_;
  told.dry_run = true;  // also for a run that a guard rail stopped: nothing was removed
  report_->write(run, told, paths_.removed, dedup, result);
  report_->commit();
}

// All files are finished before the first one is renamed to its final name. So a disk that is full
// at the last byte leaves the files of the last run as they were.
void DedupOutputs::write(CorpusRun& run, const DedupOptions& dedup, const DedupResult& result,
                         const Clusters& clusters, Summary& summary) {
  summary.report = options_.report.value_or("");
  if (options_.dry_run) {
    write_report(run, dedup, result);
    return;
  }
  if (report_) report_->write(run, options_, paths_.removed, dedup, result);
  write_lists(run, result, clusters);
  OutputFile* const skipped = tables_ ? nullptr : skipped_.open(run.counts(), run.stop());
  try {
    write_documents(run, result, clusters, skipped);
  } catch (const StdoutClosed&) {
    // A reader that closes standard output early is no error, and the lists are complete.
    commit_lists();
    throw;
  }
  skipped_.finish();
  if (skipped) summary.saved = run.counts().skipped_lines;
  run.check_stop();

  // The documents are committed last, so that whoever finds them finds their lists, too.
  summary.skipped_list = skipped_.commit();
  commit_lists();
  tables_ ? tables_->commit() : documents_->commit();
  has_uncommitted_tables_ = false;
  if (const std::string stale = skipped_.remove_stale(); !stale.empty()) run.messages().note(stale);
  run.remove_stale(stale_);
  summary.output = paths_.documents;
  summary.removed_list = paths_.removed;
  summary.pairs_list = paths_.pairs;
  summary.clusters_list = paths_.clusters;
}

}  // namespace benzer::cli
