#include "corpus_run.h"

#include <filesystem>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/output.h"

#include "settings.h"
#include "signals.h"

namespace benzer::cli {
namespace {

namespace fs = std::filesystem;

// The path with links and dots resolved as far as it exists; the path itself if that fails.
fs::path resolved(const std::string& path) {
  std::error_code failed;
  // Made absolute first: of a relative path that does not exist, nothing would be resolved.
  fs::path out = fs::weakly_canonical(fs::absolute(path, failed), failed);
  return failed ? fs::path(path) : out;
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  for (fs::path parent = file.parent_path(); !parent.empty(); parent = parent.parent_path()) {
    if (parent == folder) return true;
    if (parent == parent.parent_path()) break;
  }
  return false;
}

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorCode::kInvalidArgument, sentence);
}

}  // namespace

CorpusRun::CorpusRun(const Options& options)
    : options_(options),
      stop_(install_signal_handlers()),
      threads_(thread_count(options)),
      line_(ProgressLine::choose_mode(read_progress(options), options.quiet)),
      messages_(options.quiet, line_) {
  InputOptions input = input_options(options);
  input.stop = stop_;
  input.warn = [this](const std::string& sentence) { messages_.problem(sentence); };
  corpus_ = std::make_unique<FileCorpus>(std::move(input));
  check_fields_apply(options, *corpus_);
}

void CorpusRun::connect(SimilarityOptions& options) {
  options.progress = [this](const Progress& progress) { line_.update(progress); };
  options.stop = stop_;
}

void CorpusRun::check_stop() const {
  if (stop_->load(std::memory_order_relaxed)) {
    throw Error(ErrorCode::kInterrupted, "interrupted");
  }
}

void CorpusRun::check_outputs(const std::vector<Output>& outputs) const {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [what, path] = outputs[i];
    if (path.empty()) refuse(fmt::format("{} has an empty name", what));
    if (OutputFile::is_direct(path)) continue;
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      refuse(fmt::format("{} '{}' is a folder: name a file", what, path));
    }
    if (corpus_->reads(path)) {
      refuse(fmt::format("{} '{}' is also an input: choose another name", what, path));
    }
    const fs::path file = resolved(path);
    for (const std::string& input : options_.inputs) {
      if (input == "-" || !fs::is_directory(input, ignored)) continue;
      if (lies_in(file, resolved(input))) {
        refuse(
            fmt::format("{} '{}' lies in the input folder '{}', where the next run would read it "
                        "as a document: choose a place outside",
                        what, path, input));
      }
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (!OutputFile::is_direct(outputs[j].path) && resolved(outputs[j].path) == file) {
        refuse(fmt::format("{} and {} are the same file '{}': give them different names",
                           outputs[j].what, what, path));
      }
    }
  }
}

void CorpusRun::finish(const Summary& summary) {
  line_.erase();
  messages_.end_of_problems();
  if (!options_.json) {
    messages_.text(summary.text());
    return;
  }
  if (summary.counts.documents == 0) messages_.note("the inputs hold no document");
  // A summary that was asked for is printed with --quiet too.
  const bool records_there = summary.output == "-" || summary.output == "/dev/stdout";
  if (records_there) {
    print_on_stderr(summary.json());
  } else {
    print_result(summary.json());
  }
}

}  // namespace benzer::cli
