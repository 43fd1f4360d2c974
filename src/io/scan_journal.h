// Keeps what a scan learns for later runs, and hands over what earlier ones have kept: stages in a
// work folder, or signatures in a file (scan_log.h).
#pragma once

#include <cstdint>
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

// Reading runs ahead of writing: they are of different sources at times, and of different threads.
class ScanJournal {
 public:
  // All must outlive it. Throws Error for a file of signatures that cannot be used.
  ScanJournal(const InputOptions& options, const InputList& inputs,
              const std::vector<LineSource>& sources);

  bool saves() const noexcept { return keeps_stages() || options_.save_to || signatures_; }

  // Before a scan. Throws Error for inputs and folders for which nothing can be kept.
  void start(const DocumentVisitor& visitor);

  // Reading: a source is opened; its next block, and whether to read the source itself from
  // read_on() on, or not at all. In front of these two it is made sure that the source, which
  // `pass` has open, still is what the blocks are of: Error(kInvalidArgument).
  void begin(std::size_t source);
  enum class Next { kSource, kBlock, kEnd };
  Next next(std::string& record, const FirstPass& pass);
  std::uint64_t read_on() const noexcept { return log_ ? log_->read_on() : 0; }
  std::uint64_t log_bytes() const noexcept { return log_ ? log_->log_bytes() : 0; }
  void stop_reading() noexcept { log_.reset(); }

  // Writing, in input order: something of this source comes, which ends the log of the one before;
  // a block of it; the end of the scan. log_bytes: of the log in front of the source's first block.
  void come_to(std::size_t source);
  void write(std::size_t source, const std::string& record, std::uint64_t log_bytes);
  // The rest of the source is damaged, maybe at the moment only: its log stays open for a later run
  // to look again. Throws Error(kBadInput) where all must be whole.
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
  std::optional<SignatureFile> signatures_;
  std::optional<SourceLog> log_;        // of the source that is read
  std::optional<std::size_t> written_;  // the source whose log is written
  std::uint64_t written_end_ = 0;       // where its last block ends
  RecordLogWriter writer_;
};

}  // namespace benzer
