#include <optional>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benzer/error.h"
#include "benzer/output.h"

#include "commands.h"
#include "corpus_run.h"
#include "json.h"
#include "settings.h"
#include "summary.h"

namespace benzer::cli {
namespace {

// Where the run writes, or would write without --dry-run. Empty paths: nowhere.
struct Paths {
  std::string kept, removed, skipped;
};

Paths choose_paths(const Options& options) {
  if (!options.output) {
    if (options.dry_run && !options.removed) return {};
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("'dedup' needs an output: {} (or --dry-run, to see the numbers only)",
                            command_row(kDedup).form));
  }
  Paths paths{*options.output, options.removed.value_or(""), ""};
  if (!OutputFile::is_direct(paths.kept)) {
    if (!options.removed) paths.removed = paths.kept + ".removed.jsonl";
    paths.skipped = paths.kept + ".skipped.jsonl";
  }
  return paths;
}

std::vector<CorpusRun::Output> named(const Options& options, const Paths& paths) {
  std::vector<CorpusRun::Output> outputs;
  if (options.output) outputs.push_back({"the output", paths.kept});
  if (options.removed || !paths.removed.empty())
    outputs.push_back({"the removed list", paths.removed});
  if (!paths.skipped.empty()) outputs.push_back({"the list of skipped lines", paths.skipped});
  return outputs;
}

// The line of the removed list, as docs/cli.md describes it.
std::string removed_line(const FileCorpus& corpus, const Removal& removal) {
  const DocumentLabel label = corpus.label(removal.document);
  JsonObject line;
  line.raw("id", label.id_json).add("source", label.source).add("line", label.line);
  if (removal.kept) {
    const DocumentLabel kept = corpus.label(*removal.kept);
    line.raw("kept_id", kept.id_json).add("kept_source", kept.source).add("kept_line", kept.line);
    line.add("score", removal.score).add("exact", true);
  } else {
    line.add_null("kept_id").add_null("kept_source").add_null("kept_line");
    line.add_null("score").add("exact", true).add("reason", "short");
  }
  return line.str() + "\n";
}

void write_removed(CorpusRun& run, const DedupResult& result, OutputFile& out) {
  for (const Removal& removal : result.removed) {
    run.check_stop();
    out.write(removed_line(run.corpus(), removal));
  }
}

void write_kept(CorpusRun& run, const DedupResult& result, OutputFile& kept, OutputFile* skipped) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(result.removed.size());
  for (const Removal& removal : result.removed) numbers.push_back(removal.document);
  run.corpus().write_kept(
      numbers, kept, skipped,
      [&run, &result](std::uint64_t done) {
        run.check_stop();
        run.line().update({"write", done, result.kept});
      },
      run.threads());
  kept.finish();
}

// A list that an earlier run wrote beside an output of the same name would be taken for a part of
// this run. Only a file is removed: whoever put a link or a device there meant something by it.
void remove_stale_list(CorpusRun& run, const std::string& path) {
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (unlink(path.c_str()) != 0) {
    run.messages().note(
        fmt::format("{}: this list is of an earlier run and could not be removed", path));
  }
}

// All files are finished before the first gets its name: what lacks space for its last bytes leaves
// the files of the last run as they were.
void write_all(CorpusRun& run, const DedupResult& result, const Paths& paths, OutputFile& kept,
               std::optional<OutputFile>& removed, Summary& summary) {
  if (removed) {
    try {
      write_removed(run, result, *removed);
      removed->finish();
    } catch (const StdoutClosed&) {
      removed.reset();  // its reader has seen enough (head); the kept documents are still wanted
    }
  }
  std::optional<OutputFile> skipped;
  // Skipped files cannot be copied into a list of lines: only their names are known, from the
  // warnings.
  const bool lines_to_save = run.corpus().json_lines() && run.corpus().counts().skipped > 0;
  if (lines_to_save && !paths.skipped.empty()) skipped.emplace(paths.skipped);
  try {
    write_kept(run, result, kept, skipped ? &*skipped : nullptr);
  } catch (const StdoutClosed&) {
    // A reader that leaves early ends the run in peace, and the list of the removed is whole.
    if (removed) removed->commit();
    throw;
  }
  if (skipped) {
    skipped->finish();
    summary.saved = run.skipped_lines();
  }
  run.check_stop();

  // The kept documents come last: where they are, their lists are too.
  if (skipped && skipped->bytes() > 0) {
    skipped->commit();
    summary.skipped_list = paths.skipped;
  }
  if (removed) removed->commit();
  kept.commit();
  if (summary.skipped_list.empty() && !paths.skipped.empty()) remove_stale_list(run, paths.skipped);
}

}  // namespace

int run_dedup(const Options& options) {
  DedupOptions dedup;
  static_cast<SimilarityOptions&>(dedup) = similarity_options(options);
  dedup.keep = keep_rule(options);
  const Paths paths = choose_paths(options);

  CorpusRun run(options);
  run.check_outputs(named(options, paths));
  run.connect(dedup);
  // Opened before the work starts: an output that cannot be written is said in the first second.
  std::optional<OutputFile> kept, removed;
  if (!options.dry_run) {
    kept.emplace(paths.kept, run.threads());
    if (!paths.removed.empty()) removed.emplace(paths.removed);
  }

  const DedupResult result = deduplicate(run.corpus(), dedup);

  Summary summary;
  if (kept) write_all(run, result, paths, *kept, removed, summary);
  summary.command = "dedup";
  summary.counts = result.counts;
  summary.input = run.corpus().counts();
  summary.threshold = dedup.threshold;
  summary.threads = run.threads();
  summary.inputs = options.inputs;
  summary.dry_run = options.dry_run;
  summary.short_policy = dedup.short_policy;
  summary.kept = result.kept;
  summary.removed = result.removed.size();
  summary.clusters = result.clusters;
  for (const Removal& removal : result.removed) summary.similar_to_kept += removal.kept ? 1 : 0;
  if (!options.dry_run) {
    summary.output = paths.kept;
    summary.removed_list = paths.removed;
  }
  run.finish(summary);
  return summary.input.skipped > 0 ? kSomeSkipped : kDone;
}

}  // namespace benzer::cli
