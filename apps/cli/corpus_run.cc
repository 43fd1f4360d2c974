#include "corpus_run.h"

#include <filesystem>

#include <fmt/format.h>
#include <malloc.h>
#include <sys/stat.h>

#include "benzer/error.h"
#include "benzer/index.h"
#include "benzer/output.h"

#include "settings.h"
#include "signals.h"

namespace benzer::cli {
namespace {

// What is freed goes back to the system, and threads share what they get.
void keep_memory_tight() {
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

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

constexpr std::size_t kFirstProblems = 20;

bool status_of(const std::string& path, struct stat& status) {
  const auto descriptor = OutputFile::named_descriptor(path);
  return (descriptor ? fstat(*descriptor, &status) : stat(path.c_str(), &status)) == 0;
}

// Would what is written to both of them come out in one place? Of files that are renamed only the
// path counts: hard links part then. Devices may be shared (/dev/null, a terminal).
bool same_place(const std::string& a, const std::string& b) {
  const bool direct = OutputFile::is_direct(a) || OutputFile::is_direct(b);
  if (!direct) return resolved(a) == resolved(b);
  const auto descriptor = OutputFile::named_descriptor(a);
  if (descriptor && descriptor == OutputFile::named_descriptor(b)) return true;
  struct stat status_a{}, status_b{};
  return status_of(a, status_a) && status_of(b, status_b) && !S_ISCHR(status_a.st_mode) &&
         status_a.st_dev == status_b.st_dev && status_a.st_ino == status_b.st_ino;
}

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorCode::kInvalidArgument, sentence);
}

}  // namespace

CommandRun::CommandRun(const Options& options)
    : options_(options),
      stop_(install_signal_handlers()),
      threads_(thread_count(options)),
      line_(ProgressLine::choose_mode(read_progress(options), options.quiet)),
      messages_(options.quiet, line_) {}

void CommandRun::check_stop() const {
  if (stop_->load(std::memory_order_relaxed)) {
    throw Error(ErrorCode::kInterrupted, "interrupted");
  }
}

void CommandRun::check_outputs(std::vector<Output> outputs) {
  for (const Output& output : outputs) {
    if (output.path.empty()) refuse(fmt::format("{} has an empty name", output.what));
    records_on_stdout_ |= OutputFile::is_direct(output.path) && same_place(output.path, "-");
  }
  if (options_.json && !records_on_stdout_) outputs.push_back({"the summary", "-"});
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [what, path] = outputs[i];
    // Two writers mix even where nothing is a file, and "-" may be redirected to one.
    for (std::size_t j = 0; j < i; ++j) {
      if (same_place(outputs[j].path, path)) {
        refuse(fmt::format("{} and {} are the same file '{}': give them different names",
                           outputs[j].what, what, path));
      }
    }
    if (OutputFile::is_direct(path)) {
      if (reads(path == "-" ? "/proc/self/fd/1" : path)) {
        refuse(fmt::format("{} '{}' goes to a file that is also an input: choose another one", what,
                           path));
      }
      continue;
    }
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      refuse(fmt::format("{} '{}' is a folder: name a file", what, path));
    }
    if (reads(path)) {
      refuse(fmt::format("{} '{}' is also an input: choose another name", what, path));
    }
    const fs::path file = resolved(path);
    std::vector<std::string> inputs = options_.inputs;
    inputs.insert(inputs.end(), options_.against.begin(), options_.against.end());
    for (const std::string& input : inputs) {
      if (input == "-" || !fs::is_directory(input, ignored)) continue;
      if (lies_in(file, resolved(input))) {
        if (Index::is_store(input))
          refuse(fmt::format("{} '{}' lies in the store '{}': choose a place outside", what, path,
                             input));
        refuse(
            fmt::format("{} '{}' lies in the input folder '{}', where the next run would read it "
                        "as a document: choose a place outside",
                        what, path, input));
      }
    }
  }
}

void CommandRun::finish(const Summary& summary) {
  line_.erase();
  if (options_.json && summary.counts.documents == 0) messages_.note("the inputs hold no document");
  records_on_stdout_ &= !summary.dry_run;
  finish(options_.json ? summary.json() : "", options_.json ? "" : summary.text());
}

void CommandRun::finish(const std::string& json, const std::string& text) {
  line_.erase();
  messages_.end_of_problems();
  if (!options_.json) {
    messages_.text(text);
  } else if (records_on_stdout_) {
    // A summary that was asked for is printed with --quiet too.
    print_on_stderr(json);
  } else {
    print_result(json);
  }
}

CorpusRun::CorpusRun(const Options& options, const std::function<void(InputOptions&)>& adapt)
    : CommandRun(options) {
  if (options.limit_memory) keep_memory_tight();
  InputOptions input = input_options(options);
  input.stop = stop();
  if (adapt) adapt(input);
  input.warn = [this](const std::string& sentence) { tell(sentence); };
  for (const auto* paths : {&input.inputs, &input.references})
    for (const std::string& path : *paths)
      if (Index::is_store(path))
        throw Error(ErrorCode::kInvalidArgument,
                    fmt::format("'{}' is a store, which holds hashes and no texts: name the files "
                                "that it was made of",
                                path));
  corpus_ = std::make_unique<FileCorpus>(std::move(input));
  check_fields_apply(options, *corpus_);
}

void CorpusRun::connect(SimilarityOptions& options) {
  if (options.config.features.is_image()) check_are_pictures();
  options.progress = [this](const Progress& progress) { line().update(progress); };
  options.stop = stop();
  options.problem = [this](std::uint32_t document, const std::string& problem) {
    picture_problem(document, problem);
  };
}

void CorpusRun::check_are_pictures() const {
  if (corpus_->format() != InputFormat::kText)
    refuse(
        "pictures are read from folders and files here, and the inputs are records: name the "
        "pictures themselves, or put the records into a store ('benzer index', then 'pairs')");
}

void CorpusRun::picture_problem(std::uint32_t document, const std::string& problem) {
  const DocumentLabel label = corpus_->label(document);
  const std::string sentence = label.line == 0
                                   ? fmt::format("{}: {}", label.source, problem)
                                   : fmt::format("{}:{}: {}", label.source, label.line, problem);
  if (options_.strict) throw Error(ErrorCode::kBadInput, sentence);
  tell(sentence);
}

void CorpusRun::tell(const std::string& problem) {
  if (first_problems_.size() < kFirstProblems) first_problems_.push_back(problem);
  messages().problem(problem);
}

}  // namespace benzer::cli
