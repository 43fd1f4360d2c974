// Declares what implements FileCorpus: one class for records and one for whole files.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "benzer/error.h"
#include "benzer/input.h"

#include "io/input_list.h"

namespace benzer {

// Settings that only tests change.
struct InputTuning {
  std::size_t block_bytes = 4u << 20;  // of lines that are parsed together
  std::size_t batch_files = 64;        // small files that are read together
  int standard_input = 0;              // the descriptor of "-"
};

class CorpusBody {
 public:
  virtual ~CorpusBody() = default;
  virtual void scan(DocumentVisitor& visitor, int threads) = 0;
  virtual bool saves() const noexcept { return false; }
  virtual void remove_stages() noexcept {}
  virtual const InputList& inputs() const noexcept = 0;
  virtual std::uint32_t size() const noexcept = 0;
  virtual DocumentLabel label(std::uint32_t document) const = 0;
  virtual std::string id_format(bool with_references) const = 0;
  virtual std::uint32_t references() const noexcept = 0;
  virtual std::uint32_t source_of(std::uint32_t document) const = 0;
  virtual void prepare(std::span<const std::uint32_t> documents) = 0;
  virtual std::unique_ptr<Corpus::Reader> reader() const = 0;
  virtual void scan_again(DocumentVisitor& visitor, int threads) = 0;
  virtual void write_kept(std::span<const std::uint32_t> removed, OutputFile& kept,
                          OutputFile* skipped,
                          const std::function<void(std::uint64_t)>& progress) = 0;
  virtual void write_annotated(const FileCorpus::Annotation& annotation, OutputFile& out,
                               OutputFile* skipped,
                               const std::function<void(std::uint64_t)>& progress) = 0;
  virtual void write_edited(const FileCorpus::Edits& edits, OutputFile& out, OutputFile* skipped,
                            const std::function<void(std::uint64_t)>& progress) = 0;
  InputCounts counts;
};

// The parameters that make a run leave stages for later runs, as sentences name them.
inline ErrorText resume_and_stage() { return Parameter{"resume"} + " and " + Parameter{"stage"}; }

// Throws Error(kInvalidArgument) if this was called before: what a corpus keeps of its documents
// would be there twice.
inline void check_is_first_scan(bool& is_scanned) {
  if (is_scanned)
    throw Error(ErrorCode::kInvalidArgument,
                "the corpus was read before: make another one of the same inputs for this call");
  is_scanned = true;
}

// Makes the corpus for the format of the list.
std::unique_ptr<CorpusBody> make_corpus_body(InputOptions options, InputList list,
                                             InputTuning tuning);
std::unique_ptr<CorpusBody> make_line_corpus(InputOptions options, InputList list,
                                             InputTuning tuning);
std::unique_ptr<CorpusBody> make_text_corpus(InputOptions options, InputList list,
                                             InputTuning tuning);

// Counts problems of the inputs, reports them, and under `strict` ends the run at the first one.
class ProblemLog {
 public:
  ProblemLog(const InputOptions& options, InputCounts& counts)
      : options_(options), counts_(counts) {}
  // Part of the input gave no document. If the run goes on, the sentence ends with `what`, such as
  // "the line was skipped".
  void skipped(const Error& problem, std::string_view what);
  // Counts more of them without a sentence; the caller reports them together.
  void count(std::uint64_t more);
  // The same for a whole file or the rest of one. In a reference this ends the run.
  void lost(const InputFile& file, const Error& problem, std::string_view what);
  // The same for a file that is not text. A reference and a file that was named itself end the run.
  void no_text(const InputFile& file, const ErrorText& why);
  void note(const Error& problem);  // reports something without counting it
  // Reports the notices of the list up to the file `before`, from `next` on.
  void notices(const InputList& list, std::size_t before, std::size_t& next);

 private:
  const InputOptions& options_;
  InputCounts& counts_;
};

// Throws the error for a file that is not what the first pass read.
[[noreturn]] void throw_changed(const InputFile& file);
// Throws the error for a file that could be read the first time and now cannot, because of `why`.
[[noreturn]] void throw_unreadable_again(const InputFile& file, const ErrorText& why);
// Throws one of these for an errno of open() or stat(): a file that does not exist has changed.
// Throws Error(kStorageFailed) if too many files are open.
[[noreturn]] void throw_lost(const InputFile& file, int error);

}  // namespace benzer
