// Shares among the long commands: threads, signals, the messages of the run, and the check of the
// outputs before anything is read.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/arrow.h"
#include "benzer/dedup.h"
#include "benzer/input.h"
#include "benzer/passages.h"
#include "benzer/schema.h"

#include "../shared/options.h"
#include "../shared/summary.h"
#include "messages.h"
#include "places.h"
#include "progress.h"

namespace benzer::cli {

class CommandRun {
 public:
  explicit CommandRun(const Options& options);

  Messages& messages() { return messages_; }
  ProgressLine& line() { return line_; }
  const std::atomic<bool>* stop() const { return stop_; }
  int threads() const { return threads_; }
  // Of these, how many may pack an output within the limit of memory.
  int packing_threads() const { return packing_threads_; }

  // Throws Error(kInterrupted) if a signal asked the run to stop.
  void check_stop() const;

  // Refuses outputs as check_places() does, once all files of the inputs are known, and decides
  // where the summary goes. Called before anything is written.
  void check_outputs(std::vector<Place> outputs);

  // Removes the list of this name that an earlier run wrote next to its output, unless this run
  // reads or writes the file. Called when the new output is there.
  void remove_stale(const std::string& path);

  // Ends the messages and prints the summary. With --json it goes to standard output, or to
  // standard error if any of the checked outputs goes to standard output. Without, it is text for
  // people on standard error. A closed standard output is no error: the work is done, and the
  // command still returns its exit code.
  void finish(const Summary& summary);
  // The same with a summary that the caller has formatted: for programs and for people.
  void finish(const std::string& json, const std::string& text);

 protected:
  ~CommandRun() = default;
  // Whether the run reads this file as an input.
  virtual bool reads(const std::string& path) const = 0;

  const Options& options_;

 private:
  const std::atomic<bool>* stop_;
  int threads_, packing_threads_;
  ProgressLine line_;
  Messages messages_;
  bool records_on_stdout_ = false;
  std::vector<Place> outputs_;
};

// A run on files: of records, of which each is a document, or with tables.
class CorpusRun : public CommandRun {
 public:
  // Opens the inputs. Throws Error for options that contradict each other or the inputs.
  // adapt sets input options that the command line does not have.
  explicit CorpusRun(const Options& options,
                     const std::function<void(InputOptions&)>& adapt = nullptr);

  Corpus& corpus() { return *corpus_; }
  InputCounts counts() const;
  // Null if the inputs are tables.
  FileCorpus* files() { return files_; }
  // Nothing if the inputs are tables.
  std::optional<InputFormat> format() const;
  // How many of the sources of the corpus are references; they are the first ones.
  std::size_t reference_sources() const noexcept { return reference_sources_; }

  // Gives the run's progress line and stop flag to the options of the library.
  void connect(RunControl& control);
  void connect(SimilarityOptions& options);
  // Removes what the run has kept in its work folder, once its outputs are written.
  template <class Asked>
  void remove_stages(const Asked& options) noexcept {
    if (files_ != nullptr) files_->remove_stages();
    benzer::remove_stages(options);
  }
  // Throws if a document of the inputs is one text, and one of the index has other fields.
  void check_fit(const Schema& schema) const;
  // Throws if the inputs are records, which only name images, and not image files.
  void check_are_pictures() const;
  // Warns that something is wrong with a document that was read, such as an image that cannot be
  // decoded, and says what comes of it; with --strict throws the problem as an error.
  void document_problem(std::uint32_t document, const std::string& problem,
                        std::string_view outcome = "");

  // The first sentences about bad input, for the report.
  const std::vector<std::string>& first_problems() const { return first_problems_; }

 private:
  bool reads(const std::string& path) const override;
  void open_files(InputOptions input);
  void open_tables(const InputOptions& input);
  void tell(const std::string& problem);

  std::vector<std::string> first_problems_;
  std::unique_ptr<Corpus> corpus_;
  FileCorpus* files_ = nullptr;
  ArrowCorpus* tables_ = nullptr;
  std::size_t reference_sources_ = 0;
};

}  // namespace benzer::cli
