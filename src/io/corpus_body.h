// What FileCorpus is made of: one implementation for records, one for whole files.
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

// What only tests change.
struct InputTuning {
  std::size_t block_bytes = 4u << 20;  // of lines that are parsed together
  std::size_t batch_files = 64;        // small files that are read together
  int standard_input = 0;              // the descriptor behind "-"
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
  InputCounts counts;
};

// How sentences name what a run leaves for later ones.
inline ErrorText resume_and_stage() { return Parameter{"resume"} + " and " + Parameter{"stage"}; }

// By the format of the list.
std::unique_ptr<CorpusBody> make_corpus_body(InputOptions options, InputList list,
                                             InputTuning tuning);
std::unique_ptr<CorpusBody> make_line_corpus(InputOptions options, InputList list,
                                             InputTuning tuning);
std::unique_ptr<CorpusBody> make_text_corpus(InputOptions options, InputList list,
                                             InputTuning tuning);

// Counts problems, tells about them, and under `strict` ends the run at the first.
class ProblemLog {
 public:
  ProblemLog(const InputOptions& options, InputCounts& counts)
      : options_(options), counts_(counts) {}
  // Something gave no document. Where the run goes on, the sentence ends with what is skipped, such
  // as "the line was skipped".
  void skipped(const Error& problem, std::string_view what);
  void count(std::uint64_t more);  // likewise, told together with others
  // The same for a whole file or the rest of one, which a reference must not lack.
  void lost(const InputFile& file, const Error& problem, std::string_view what);
  // The same for a file that is no kind of text; one that was named itself ends the run.
  void no_text(const InputFile& file, const ErrorText& why);
  void note(const Error& problem);  // something to be known
  void notices(const InputList& list, std::size_t before, std::size_t& next);

 private:
  const InputOptions& options_;
  InputCounts& counts_;
};

// The sentence of a file that is not what the first pass read.
[[noreturn]] void throw_changed(const InputFile& file);
// The sentence of a file that could be read the first time and now cannot, for `why`.
[[noreturn]] void throw_unreadable_again(const InputFile& file, const ErrorText& why);
// The same for the errno of opening it or of asking what it is: a file that is gone has changed.
[[noreturn]] void throw_lost(const InputFile& file, int error);

}  // namespace benzer
