#include "run_documents.h"

#include <utility>

#include "benzer/error.h"
#include "benzer/index.h"

#include "../../apps/shared/settings.h"
#include "background.h"
#include "sources.h"

namespace nb = nanobind;

namespace benzer::python {
namespace {

constexpr std::size_t kMostProblems = 1000;

std::vector<std::string> names_of(const std::vector<ArrowInput>& inputs) {
  std::vector<std::string> out;
  for (const ArrowInput& input : inputs) out.push_back(input.name);
  return out;
}

[[noreturn]] void refuse_pictures(const ErrorText& what) {
  throw Error(ErrorCode::kInvalidArgument,
              "pictures are read from folders and files here, and the documents are " + what,
              "name the files with the pictures, or add the documents to an Index");
}

}  // namespace

Documents::Documents(apps::Options& options, const FeatureSpec& features, nb::list tables,
                     nb::list references) {
  InputOptions input = apps::input_options(options);
  input.has_weights = features.takes_weights();
  input.stop = &stop_;
  const bool are_pictures = features.image() != nullptr;
  if (nb::len(tables) == 0) {
    open_files(options, std::move(input), are_pictures);
    return;
  }
  if (are_pictures) refuse_pictures("a table");
  ArrowOptions arrow = apps::arrow_options(options, input);
  again_ = arrow;
  threads_ = apps::thread_count(options);
  arrow.inputs = arrow_inputs(tables);
  arrow.references = arrow_inputs(references);
  reference_sources_ = arrow.references.size();
  options.inputs = names_of(arrow.inputs);
  options.against = names_of(arrow.references);
  auto corpus = std::make_unique<ArrowCorpus>(std::move(arrow));
  tables_ = corpus.get();
  corpus_ = std::move(corpus);
}

void Documents::open_files(const apps::Options& options, InputOptions input, bool are_pictures) {
  reference_sources_ = input.references.size();
  for (const auto* paths : {&input.inputs, &input.references})
    for (const std::string& path : *paths)
      if (Index::is_at(path))
        throw Error(ErrorCode::kInvalidArgument, Subject::index(path),
                    "this is an index, which holds hashes and no texts",
                    "open it with Index.open(), or name the files that it was made of");
  input.images = are_pictures;
  input.warn = [this](const Error& problem) { tell(problem.what()); };
  auto corpus = std::make_unique<FileCorpus>(std::move(input));
  apps::check_fields_apply(options, *corpus);
  if (are_pictures && corpus->format() != InputFormat::kText) refuse_pictures("records");
  files_ = corpus.get();
  corpus_ = std::move(corpus);
}

void Documents::note_rows() {
  if (!tables_ || noted_) return;
  auto noted = std::make_unique<NotedCorpus>(std::move(corpus_));
  noted_ = noted.get();
  corpus_ = std::move(noted);
}

bool Documents::has_rows(nb::list tables) {
  if (!noted_) throw Error(ErrorCode::kInvalidArgument, "the rows of the documents were not noted");
  ArrowOptions options = again_;
  options.inputs = arrow_inputs(tables);
  bool is_same = false;
  Background background(stop_);
  background.run([&] { is_same = noted_->has_rows_of(std::move(options), threads_); });
  return is_same;
}

apps::SkippedList Documents::skipped_list(const std::string& output) const {
  apps::SkippedList out;
  if (files_) out.name_after(output, files_->format());
  return out;
}

std::vector<std::string> Documents::problems() const {
  const std::lock_guard lock(problems_mutex_);
  return problems_;
}

void Documents::run(RunControl& asked, nb::object progress, const std::function<void()>& work) {
  Background background(stop_, std::move(progress));
  asked.progress = background.report();
  asked.stop = background.stop();
  background.run(work);
  asked.progress = {};
  asked.stop = nullptr;
}

void Documents::run(SimilarityOptions& asked, nb::object progress,
                    const std::function<void()>& work) {
  asked.problem = [this](std::uint32_t document, const std::string& problem) {
    tell(corpus_->label(document).source + ": " + problem);
  };
  run(static_cast<RunControl&>(asked), std::move(progress), work);
}

void Documents::tell(const std::string& problem) {
  const std::lock_guard lock(problems_mutex_);
  if (problems_.size() < kMostProblems) problems_.push_back(problem);
}

}  // namespace benzer::python
