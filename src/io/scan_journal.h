// Saves what a scan learns for later runs, and hands over what earlier runs have saved: stages in a
// work folder, or signatures in a file (scan_log.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/input.h"

#include "base/record_log.h"
#include "io/input_list.h"
#include "io/line_source.h"
#include "io/scan_log.h"

namespace benzer {

// Reading runs ahead of writing, so the two may be at different sources and on different threads.
class ScanJournal {
 public:
  // The arguments must outlive it. Throws Error for a file of signatures that cannot be used.
  ScanJournal(const InputOptions& options, const InputList& inputs,
              const std::vector<LineSource>& sources);

  bool saves() const noexcept { return keeps_stages() || options_.save_to || signatures_; }

  // Called before a scan. Throws Error for inputs and folders for which nothing can be saved.
  void start(const DocumentVisitor& visitor);

  // What was saved about a source. It must not outlive the journal.
  class Saved {
   public:
    enum class Next { kSource, kBlock, kEnd };
    // Returns kBlock with the record of the source's next block; after the blocks kSource, if the
    // source itself is to be read from read_on() on, or kEnd, if nothing of it is left. Before it
    // returns one of these two it throws Error(kInvalidArgument) if the source, which `pass` has
    // open, is not what the blocks are from.
    Next next(std::string& record, const FirstPass& pass);
    std::uint64_t read_on() const noexcept { return log_ ? log_->read_on() : 0; }
    std::uint64_t log_bytes() const noexcept { return log_ ? log_->log_bytes() : 0; }
    void stop_reading() noexcept { log_.reset(); }

   private:
    friend class ScanJournal;
    SignatureFile* signatures_ = nullptr;
    std::unique_ptr<SourceLog> log_;
  };
  // Reading: opens what was saved about a source.
  Saved begin(std::size_t source);
  // Whether all that was saved about a source must be read before begin() is called for the next.
  bool reads_in_order() const noexcept { return signatures_.has_value(); }

  // Writing, in input order: come_to() announces a source, which ends the log of the previous one;
  // write() adds a block of it; finish() ends the scan. log_bytes is the length of the log in front
  // of the first block that is added.
  void come_to(std::size_t source);
  void write(std::size_t source, const std::string& record, std::uint64_t log_bytes);
  // Called when the rest of the source is damaged, which may be temporary: its log gets no end, so
  // that a later run reads the rest again. Throws Error(kBadInput) for signatures, which must be of
  // whole files.
  void give_up(std::size_t source, const std::string& damage);
  void finish();

  void remove_stages() noexcept;

 private:
  bool keeps_stages() const noexcept { return !options_.stage_folder.empty() && !stream_; }
  void add(std::uint32_t kind, std::string_view payload);
  void end_log();

  const InputOptions& options_;
  std::optional<InputFile> stream_;  // the first input that can be read only once
  const std::vector<LineSource>& sources_;
  std::string made_by_;
  std::optional<WorkFolderLock> work_folder_;
  std::optional<SignatureFile> signatures_;
  std::optional<std::size_t> written_;  // the source whose log is being written
  std::uint64_t written_end_ = 0;       // where its last block ends
  RecordLogWriter writer_;
};

}  // namespace benzer
