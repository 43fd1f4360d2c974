#include "corpus_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/stat.h>

#include "benzer/error.h"
#include "benzer/index.h"
#include "benzer/output.h"
#include "benzer/runtime.h"

#include "../shared/settings.h"
#include "../shared/skipped_list.h"
#include "signals.h"
#include "table_files.h"

namespace benzer::cli {
namespace {

// Makes all threads share one arena, so that memory freed by one thread can serve another, and
// returns large pieces to the system early. Threads reserve less than the usual 8 MiB for their
// stacks.
void keep_memory_tight() {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
  constexpr std::size_t kStackBytes = std::size_t{1} << 20;
  pthread_attr_t usual;
  if (pthread_getattr_default_np(&usual) != 0) return;
  if (pthread_attr_setstacksize(&usual, kStackBytes) == 0) pthread_setattr_default_np(&usual);
  pthread_attr_destroy(&usual);
}

constexpr std::size_t kFirstProblems = 20;

}  // namespace

CommandRun::CommandRun(const Options& options)
    : options_(options),
      stop_(install_signal_handlers()),
      threads_(thread_count(options)),
      packing_threads_(apps::packing_threads(options)),
      line_(ProgressLine::choose_mode(read_progress(options), options.quiet)),
      messages_(options.quiet, line_) {
  // Bad names are refused before anything is read.
  for (const auto* path :
       {&options.removed, &options.pairs_list, &options.clusters_list, &options.report})
    if (*path) OutputFile::check_name(**path);
  if (options.output && !writes_tables(options)) OutputFile::check_name(*options.output);
}

void CommandRun::check_stop() const { throw_if_stopped(stop_); }

void CommandRun::check_outputs(std::vector<Place> outputs) {
  for (const Place& output : outputs)
    records_on_stdout_ |= OutputFile::is_direct(output.path) && same_place(output.path, "-");
  if (options_.json && !records_on_stdout_) outputs.push_back({"the summary", "-"});
  check_places(options_, outputs, [this](const std::string& path) { return reads(path); });
  outputs_ = std::move(outputs);
}

void CommandRun::remove_stale(const std::string& path) {
  const auto is_this = [&](const Place& place) { return same_place(place.path, path); };
  if (path.empty() || reads(path) || std::ranges::any_of(outputs_, is_this) ||
      std::ranges::any_of(places_to_read(options_), is_this))
    return;
  if (const std::string stale = apps::remove_stale_list(path); !stale.empty())
    messages_.note(stale);
}

void CommandRun::finish(const Summary& summary) {
  line_.erase();
  if (options_.json && summary.counts.documents == 0) messages_.note("the inputs hold no document");
  records_on_stdout_ &= !summary.dry_run;
  finish(options_.json ? summary.json() : "", options_.json ? "" : summary.text(option_spelling()));
}

void CommandRun::finish(const std::string& json, const std::string& text) {
  line_.erase();
  messages_.end_of_problems();
  if (!options_.json) {
    messages_.text(text);
  } else if (records_on_stdout_) {
    // --json asks for the summary, so it is printed with --quiet, too.
    print_on_stderr(json);
  } else {
    print_if_read(json);
  }
}

CorpusRun::CorpusRun(const Options& options, const std::function<void(InputOptions&)>& adapt)
    : CommandRun(options) {
  if (options.memory_limit) keep_memory_tight();
  InputOptions input = input_options(options);
  input.stop = stop();
  // Set even for commands that take no images: they refuse image features with an error.
  if (options.features || options.config) {
    const FeatureSpec features = read_config(options).features;
    input.images = features.image() != nullptr;
    input.has_weights = features.takes_weights();
  }
  if (adapt) adapt(input);
  input.warn = [this](const Error& problem) { tell(sentence_of(problem)); };
  for (const auto* paths : {&input.inputs, &input.references})
    for (const std::string& path : *paths)
      if (Index::is_at(path))
        refuse(fmt::format("'{}' is an index, which holds hashes and no texts", path),
               "name the files that it was made of");
  if (table_files() != nullptr && names_tables(input.inputs)) {
    open_tables(input);
  } else {
    open_files(std::move(input));
  }
}

void CorpusRun::open_files(InputOptions input) {
  reference_sources_ = input.references.size();
  auto corpus = std::make_unique<FileCorpus>(std::move(input));
  files_ = corpus.get();
  corpus_ = std::move(corpus);
  check_fields_apply(options_, *files_);
}

void CorpusRun::open_tables(const InputOptions& input) {
  if (input.save_to)
    refuse("signatures are saved of files of lines, and the inputs are tables",
           "the Python function sketch() returns those of tables");
  ArrowOptions tables = arrow_options(options_, input);
  table_files()->open(input.inputs, input.references, tables);
  reference_sources_ = tables.references.size();
  auto corpus = std::make_unique<ArrowCorpus>(std::move(tables));
  tables_ = corpus.get();
  corpus_ = std::move(corpus);
}

InputCounts CorpusRun::counts() const { return files_ ? files_->counts() : tables_->counts(); }

std::optional<InputFormat> CorpusRun::format() const {
  if (!files_) return std::nullopt;
  return files_->format();
}

bool CorpusRun::reads(const std::string& path) const {
  return files_ ? files_->reads(path) : table_files()->reads(path);
}

void CorpusRun::connect(RunControl& control) {
  control.progress = [this](const Progress& progress) { line().update(progress); };
  control.stop = stop();
}

void CorpusRun::connect(SimilarityOptions& options) {
  if (options.config.features.image()) check_are_pictures();
  connect(static_cast<RunControl&>(options));
  options.problem = [this](std::uint32_t document, const std::string& problem) {
    document_problem(document, problem);
  };
}

void CorpusRun::check_fit(const Schema& schema) const {
  if (format() != InputFormat::kText && format() != InputFormat::kLines) return;
  if (schema.fields.size() > 1 || schema.fields[0].features.values())
    refuse(
        fmt::format("the inputs are {}, and the index has other fields than one text or image: "
                    "{}",
                    format() == InputFormat::kText ? "files" : "lines of text", schema.str()));
}

void CorpusRun::check_are_pictures() const {
  if (format() != InputFormat::kText)
    refuse("pictures are read from folders and files here, and the inputs are records",
           "name the pictures themselves, or put the records into an index ('benzer index', then "
           "'pairs')");
}

void CorpusRun::document_problem(std::uint32_t document, const std::string& problem,
                                 std::string_view outcome) {
  const DocumentLabel label = corpus_->label(document);
  const std::string source = label.source == "-" ? "standard input" : label.source;
  const std::string sentence = label.line == 0
                                   ? fmt::format("{}: {}", source, problem)
                                   : fmt::format("{}:{}: {}", source, label.line, problem);
  if (options_.strict) throw Error(ErrorCode::kBadInput, sentence);
  tell(sentence + std::string(outcome));
}

void CorpusRun::tell(const std::string& problem) {
  if (first_problems_.size() < kFirstProblems) first_problems_.push_back(problem);
  messages().problem(problem);
}

}  // namespace benzer::cli
