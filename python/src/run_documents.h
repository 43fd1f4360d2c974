// Opens what a run reads, tables or files, and carries out work on it beside the interpreter.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "benzer/arrow.h"
#include "benzer/corpus.h"
#include "benzer/dedup.h"
#include "benzer/features.h"
#include "benzer/input.h"
#include "benzer/runtime.h"

#include "../../apps/shared/options.h"
#include "../../apps/shared/skipped_list.h"
#include "noted_corpus.h"

namespace benzer::python {

// The corpus of a run, and what was read of it.
class Documents {
 public:
  // Tables, if there are any; else the files that the options name. Of tables their names are put
  // into the options.
  Documents(apps::Options& options, const FeatureSpec& features, nanobind::list tables,
            nanobind::list references);

  Corpus& corpus() noexcept { return *corpus_; }
  const Corpus& corpus() const noexcept { return *corpus_; }
  FileCorpus* files() noexcept { return files_; }
  // Whether the documents are read from this file.
  bool reads(const std::string& path) const { return files_ && files_->reads(path); }
  // How many of the corpus's sources are references; they are the first ones.
  std::size_t reference_sources() const noexcept { return reference_sources_; }
  // Notes when the documents are read what they are, so that has_rows() can tell. Of tables only.
  void note_rows();
  // Whether these tables of Python have the documents that were read, in the same order: the same
  // texts or values, ids, groups and numbers. Only after note_rows(). Call it with the GIL.
  bool has_rows(nanobind::list tables);
  InputCounts counts() const { return files_ ? files_->counts() : tables_->counts(); }
  std::vector<std::string> problems() const;
  // Notes a problem; the first ones are kept.
  void tell(const std::string& problem);

  // Carries out work that these options control.
  void run(RunControl& asked, nanobind::object progress, const std::function<void()>& work);
  // The same, and notes pictures that cannot be decoded.
  void run(SimilarityOptions& asked, nanobind::object progress, const std::function<void()>& work);

  // The list that saves the records of files that were skipped, next to an output of these files.
  apps::SkippedList skipped_list(const std::string& output) const;

  // Removes what the run has kept in its work folder, once its outputs are written.
  template <class Asked>
  void remove_stages(const Asked& options) noexcept {
    if (files_ != nullptr) files_->remove_stages();
    benzer::remove_stages(options);
  }

  // The flag that ends whatever reads the documents.
  std::atomic<bool>& stop() noexcept { return stop_; }

 private:
  void open_files(const apps::Options& options, InputOptions input, bool are_pictures);

  std::unique_ptr<Corpus> corpus_;
  FileCorpus* files_ = nullptr;
  ArrowCorpus* tables_ = nullptr;
  NotedCorpus* noted_ = nullptr;
  ArrowOptions again_;  // how the tables are read, without any of them
  int threads_ = 0;
  std::size_t reference_sources_ = 0;
  mutable std::mutex problems_mutex_;
  std::vector<std::string> problems_;
  std::atomic<bool> stop_{false};
};

// Lets one thread at a time read the documents of a run again. A thread that has to wait does so
// without the GIL, which the other one needs.
class Turn {
 public:
  explicit Turn(std::mutex& mutex) : lock_(mutex, std::try_to_lock) {
    if (lock_.owns_lock()) return;
    const nanobind::gil_scoped_release release;
    lock_.lock();
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace benzer::python
