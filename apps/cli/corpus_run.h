// What the long commands share: threads, signals, the messages of the run, and how its outputs are
// checked before anything is read.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/dedup.h"
#include "benzer/input.h"

#include "messages.h"
#include "options.h"
#include "places.h"
#include "progress.h"
#include "summary.h"

namespace benzer::cli {

class CommandRun {
 public:
  explicit CommandRun(const Options& options);

  Messages& messages() { return messages_; }
  ProgressLine& line() { return line_; }
  const std::atomic<bool>* stop() const { return stop_; }
  int threads() const { return threads_; }

  // Throws Error(kInterrupted) if a signal asked for it.
  void check_stop() const;

  // Refuses them as check_places() does, now that all files of the inputs are known, and where the
  // summary goes. Before anything is written.
  void check_outputs(std::vector<Place> outputs);

  // Ends the messages and prints the summary: with --json on standard output, or on standard error
  // where any of the checked outputs go to standard output; else for people, on standard error.
  void finish(const Summary& summary);
  // The same with what is printed already made: for programs, for people.
  void finish(const std::string& json, const std::string& text);

 protected:
  ~CommandRun() = default;
  // Is the file a part of what is read?
  virtual bool reads(const std::string& path) const = 0;

  const Options& options_;

 private:
  const std::atomic<bool>* stop_;
  int threads_;
  ProgressLine line_;
  Messages messages_;
  bool records_on_stdout_ = false;
};

// On files.
class CorpusRun : public CommandRun {
 public:
  // Opens the inputs. Throws Error for options that contradict each other or the inputs.
  // adapt: sets what the command line does not say.
  explicit CorpusRun(const Options& options,
                     const std::function<void(InputOptions&)>& adapt = nullptr);

  FileCorpus& corpus() { return *corpus_; }

  // Gives the run's progress line and stop flag to the options of the library.
  void connect(SimilarityOptions& options);
  // Throws if the inputs are records, which name pictures, and not pictures themselves.
  void check_are_pictures() const;
  // Tells of a picture that is none, or with --strict throws it.
  void picture_problem(std::uint32_t document, const std::string& problem);

  // Says in the summary what was asked, of which inputs, and what was read of them.
  void describe(Summary& summary, const SimilarityOptions& asked);
  // The first sentences about bad input, for those who read of it later.
  const std::vector<std::string>& first_problems() const { return first_problems_; }

 private:
  bool reads(const std::string& path) const override { return corpus_->reads(path); }

  void tell(const std::string& problem);

  std::vector<std::string> first_problems_;
  std::unique_ptr<FileCorpus> corpus_;
};

}  // namespace benzer::cli
