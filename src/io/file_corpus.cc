#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "benzer/error.h"
#include "benzer/input.h"

#include "base/file.h"
#include "base/given_path.h"
#include "base/parallel.h"
#include "io/corpus_body.h"

namespace benzer {
namespace {

void check(const InputOptions& options) {
  if (options.max_line_bytes < 1 || options.max_line_bytes > kLargestMaxLine) {
    throw Error(ErrorCode::kInvalidArgument, Subject::parameter("max_line"),
                fmt::format("the longest line was given as {} bytes, allowed are 1 to {}",
                            options.max_line_bytes, kLargestMaxLine));
  }
  if (options.part < 1 || options.part > options.parts)
    throw Error(ErrorCode::kInvalidArgument, Subject::parameter("part"),
                fmt::format("the part {} of {} was asked for; parts are counted from 1",
                            options.part, options.parts));
}

// Stages and signatures exist only for lines. Refuses a run that asks for them with other inputs;
// one that merely has a folder for stages leaves none.
void leave_nothing_for_later(InputOptions& options, InputFormat format) {
  const bool signatures = options.save_to || !options.signatures.empty();
  if (options.resume || options.parts > 1 || signatures)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} for files of JSON lines, and these {}",
                            signatures ? "signatures are" : "stages are",
                            format == InputFormat::kText  ? "inputs are texts"
                            : format == InputFormat::kTsv ? "are TSV"
                                                          : "are CSV"),
                "leave " + (signatures ? "them" : resume_and_stage()) + " out");
  options.stage_folder.clear();
}

}  // namespace

std::unique_ptr<CorpusBody> make_corpus_body(InputOptions options, InputList list,
                                             InputTuning tuning) {
  const auto make = list.format == InputFormat::kText ? make_text_corpus : make_line_corpus;
  return make(std::move(options), std::move(list), tuning);
}

struct FileCorpus::Impl {
  InputFormat format = InputFormat::kJsonLines;
  std::unique_ptr<CorpusBody> body;
  bool is_scanned = false;
};

FileCorpus::FileCorpus(InputOptions options) : impl_(std::make_unique<Impl>()) {
  check(options);
  // Both are used by each later call.
  options.work_folder = absolute_path(options.work_folder);
  options.stage_folder = absolute_path(options.stage_folder);
  InputList list = list_inputs(options);
  impl_->format = list.format;
  if (list.format != InputFormat::kJsonLines && list.format != InputFormat::kLines)
    leave_nothing_for_later(options, list.format);
  impl_->body = make_corpus_body(std::move(options), std::move(list), InputTuning());
}

FileCorpus::~FileCorpus() = default;

void FileCorpus::scan(DocumentVisitor& visitor, int threads) {
  check_is_first_scan(impl_->is_scanned);
  impl_->body->scan(visitor, resolve_threads(threads));
}

bool FileCorpus::saves() const noexcept { return impl_->body->saves(); }

void FileCorpus::remove_stages() noexcept { impl_->body->remove_stages(); }

std::uint32_t FileCorpus::size() const noexcept { return impl_->body->size(); }

DocumentLabel FileCorpus::label(std::uint32_t document) const {
  return impl_->body->label(document);
}

std::string FileCorpus::id_format(bool with_references) const {
  return impl_->body->id_format(with_references);
}

void FileCorpus::prepare(std::span<const std::uint32_t> documents) {
  impl_->body->prepare(documents);
}

void FileCorpus::scan_again(DocumentVisitor& visitor, int threads) {
  impl_->body->scan_again(visitor, resolve_threads(threads));
}

std::uint32_t FileCorpus::references() const noexcept { return impl_->body->references(); }

std::span<const std::string> FileCorpus::sources() const { return impl_->body->inputs().sources; }

std::uint32_t FileCorpus::source_of(std::uint32_t document) const {
  return impl_->body->source_of(document);
}

std::unique_ptr<Corpus::Reader> FileCorpus::reader() const { return impl_->body->reader(); }

InputCounts FileCorpus::counts() const { return impl_->body->counts; }

bool FileCorpus::reads(const std::string& path) const {
  struct stat output{};
  // A file that does not exist yet is not an input; a pipe or a device may be both input and
  // output.
  if (path == "-" || file_system().stat(path.c_str(), &output) != 0 || !S_ISREG(output.st_mode))
    return false;
  const InputFiles& files = impl_->body->inputs().files;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const InputFile file = files[i];
    struct stat input{};
    const int failed = file.path == "-" ? file_system().fstat(0, &input)
                                        : file_system().stat(file.path.c_str(), &input);
    if (!failed && is_same_file(input, output)) return true;
  }
  return false;
}

InputFormat FileCorpus::format() const noexcept { return impl_->format; }

void FileCorpus::write_kept(std::span<const std::uint32_t> removed, OutputFile& kept,
                            OutputFile* skipped,
                            const std::function<void(std::uint64_t)>& progress) {
  impl_->body->write_kept(removed, kept, skipped, progress);
}

void FileCorpus::write_annotated(const Annotation& annotation, OutputFile& out, OutputFile* skipped,
                                 const std::function<void(std::uint64_t)>& progress) {
  impl_->body->write_annotated(annotation, out, skipped, progress);
}

void FileCorpus::write_edited(const Edits& edits, OutputFile& out, OutputFile* skipped,
                              const std::function<void(std::uint64_t)>& progress) {
  impl_->body->write_edited(edits, out, skipped, progress);
}

}  // namespace benzer
