// What a scan learns of each file, written down on the way, so that a later run need not do it
// again: a log (base/record_log.h) for each file in a work folder, or one for all of them.
//
//   source   what made the log, the file's path and size
//   block    what was found in a block of lines, what the visitor made of it, and the content of
//            the file up to there
//   end      nothing more comes of this file; none where it was damaged, which is looked at again
//
// A log is used for a file of the same path, size and content only: all of the file is read again
// and compared, though not parsed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "benzer/input.h"

#include "base/record_log.h"
#include "io/content.h"
#include "io/line_blocks.h"
#include "io/line_results.h"
#include "io/line_source.h"

namespace benzer {

// A block of lines as a log has it. What was too long is among its problems.
struct LoggedBlock {
  std::uint64_t offset = 0;  // of its first line
  std::uint64_t next = 0;    // of the block that follows
  Content content;           // what had been read of the file when the block was cut
};

// Kinds of records.
enum : std::uint32_t { kLoggedSource = 1, kLoggedBlock = 2, kLoggedEnd = 3 };

std::string logged_block(const LoggedBlock& block, const ParsedBlock& parsed,
                         std::string_view visitor);
// Only where the block is, and of what. Throws Error(kCorrupt).
LoggedBlock logged_place(std::string_view payload);
// `visitor` lies in the payload. Throws Error(kCorrupt).
void read_logged_block(std::string_view payload, LoggedBlock& block, ParsedBlock& parsed,
                       std::string_view& visitor);

// How what made a log begins.
inline constexpr std::string_view kMadeByProgram = "program=";

// The end of a file whose last block ends there.
std::string logged_end(std::uint64_t end);

// made_by: whatever must be equal for the log to be of use, as "name=value" lines.
std::string logged_source(const LineSource& source, std::string_view made_by);
// Empty if a log of this source and this making can be used; otherwise what differs.
ErrorText differs(std::string_view payload, const LineSource& source, std::string_view made_by);

// The names of a source's log while it grows and when it is whole.
std::string growing_log(const std::string& folder, std::size_t source);
std::string whole_log(const std::string& folder, std::size_t source);

// Are there logs in the folder of another number of sources than this? Throws Error for a folder
// that cannot be used, and, unless `resume`, for one with logs in it.
void check_work_folder(const std::string& folder, std::size_t sources, bool resume);
// A whole log whose end was found damaged grows again.
void reopen_log(const std::string& folder, std::size_t source);
void remove_logs(const std::string& folder, std::size_t sources) noexcept;

// How far the blocks of a source have come, each of which begins where the one before ends.
class LoggedBlocks {
 public:
  // False for a payload that is no block which follows.
  bool take(std::string_view payload);
  // Is this the end of the source behind these blocks, all of whose bytes they have seen?
  bool is_end(std::string_view payload, const LineSource& source) const;
  std::uint64_t read_on() const noexcept { return last_.next; }
  const Content& content() const noexcept { return last_.content; }

 private:
  LoggedBlock last_;
};

// The logs of all sources, one behind the other in one file, all of them whole.
class SignatureFile {
 public:
  // Throws Error(kNotFound, kCorrupt, kStorageFailed).
  explicit SignatureFile(const std::string& path);
  // To be called for the sources in order. Throws Error(kInvalidArgument) if the file has another
  // one next, or of another making.
  void begin(const LineSource& source, std::string_view made_by);
  // The next block's payload of the source; false at its end. Throws Error(kInvalidArgument) there
  // if the source, which `pass` has open, has another content.
  bool next(std::string& payload, const FirstPass& pass);
  void finish();  // throws Error(kInvalidArgument) if there are more sources in it

 private:
  [[noreturn]] void throw_damaged() const;
  [[noreturn]] void refuse(const ErrorText& what) const;

  std::string path_;
  RecordLogReader reader_;
  const LineSource* source_ = nullptr;  // whose blocks come next
  LoggedBlocks blocks_;
};

// What is known of one source from an earlier run.
class SourceLog {
 public:
  // Throws Error(kInvalidArgument) if the log is of another file or making. The source must outlive
  // it.
  SourceLog(const std::string& folder, std::size_t number, const LineSource& source,
            std::string_view made_by);
  // The next block's payload; false at the end of what can be used. Throws Error(kInvalidArgument)
  // there if the source, which `pass` has open, does not begin with what the blocks are of.
  bool next(std::string& payload, const FirstPass& pass);
  bool whole() const noexcept { return whole_; }  // known once next() was false
  // Where the log ends, and where the source is to be read on.
  std::uint64_t log_bytes() const noexcept { return log_bytes_; }
  std::uint64_t read_on() const noexcept { return blocks_.read_on(); }

 private:
  bool next_block(std::string& payload);
  [[noreturn]] void refuse(const ErrorText& what) const;

  std::string path_;
  const LineSource& source_;
  RecordLogReader reader_;
  bool there_ = false;
  bool whole_ = false;
  std::uint64_t log_bytes_ = 0;  // 0: nothing that can be used
  LoggedBlocks blocks_;
};

}  // namespace benzer
