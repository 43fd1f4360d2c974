// What a scan learns of each file, written down on the way, so that a later run need not do it
// again: a log (base/record_log.h) for each file in a work folder, or one for all of them.
//
//   source   what made the log, the file's path, size and time
//   block    what was found in a block of lines, and what the visitor made of it
//   end      nothing more comes of this file; none where it was damaged, which is looked at again
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "benzer/input.h"

#include "base/record_log.h"
#include "io/line_blocks.h"
#include "io/line_results.h"
#include "io/line_source.h"

namespace benzer {

// A block of lines as a log has it. What was too long is among its problems.
struct LoggedBlock {
  std::uint64_t offset = 0;  // of its first line
  std::uint64_t next = 0;    // of the block that follows
};

// Kinds of records.
enum : std::uint32_t { kLoggedSource = 1, kLoggedBlock = 2, kLoggedEnd = 3 };

std::string logged_block(const LoggedBlock& block, const ParsedBlock& parsed,
                         std::string_view visitor);
// `visitor` lies in the payload. Throws Error(kCorrupt).
void read_logged_block(std::string_view payload, LoggedBlock& block, ParsedBlock& parsed,
                       std::string_view& visitor);

// made_by: whatever must be equal for the log to be of use, as "name=value" lines.
std::string logged_source(const LineSource& source, std::string_view made_by);
// Empty if a log of this source and this making can be used; otherwise what differs.
std::string differs(std::string_view payload, const LineSource& source, std::string_view made_by);

// The names of a source's log while it grows and when it is whole.
std::string growing_log(const std::string& folder, std::size_t source);
std::string whole_log(const std::string& folder, std::size_t source);

// Are there logs in the folder of another number of sources than this? Throws Error for a folder
// that cannot be used, and, unless `resume`, for one with logs in it.
void check_work_folder(const std::string& folder, std::size_t sources, bool resume);
// A whole log whose end was found damaged grows again.
void reopen_log(const std::string& folder, std::size_t source);
void remove_logs(const std::string& folder, std::size_t sources) noexcept;

// The logs of all sources, one behind the other in one file, all of them whole.
class SignatureFile {
 public:
  // Throws Error(kNotFound, kCorrupt, kStorageFailed).
  explicit SignatureFile(const std::string& path);
  // To be called for the sources in order. Throws Error(kInvalidArgument) if the file has another
  // one next, or of another making.
  void begin(const LineSource& source, std::string_view made_by);
  // The next block's payload of the source; false at its end.
  bool next(std::string& payload);
  void finish();  // throws Error(kInvalidArgument) if there are more sources in it

 private:
  [[noreturn]] void throw_damaged() const;

  std::string path_;
  RecordLogReader reader_;
  bool in_source_ = false;
};

// What is known of one source from an earlier run.
class SourceLog {
 public:
  // Reads as far as the log is sound. Throws Error(kInvalidArgument) if it is of another file or
  // making.
  SourceLog(const std::string& folder, std::size_t number, const LineSource& source,
            std::string_view made_by);
  // The next block's payload.
  bool next(std::string& payload);
  bool whole() const noexcept { return whole_; }  // known once next() was false
  // Where the log ends, and where the source is to be read on.
  std::uint64_t log_bytes() const noexcept { return log_bytes_; }
  std::uint64_t read_on() const noexcept { return read_on_; }

 private:
  RecordLogReader reader_;
  bool there_ = false;
  bool whole_ = false;
  std::uint64_t log_bytes_ = 0;  // 0: nothing that can be used
  std::uint64_t read_on_ = 0;
};

}  // namespace benzer
