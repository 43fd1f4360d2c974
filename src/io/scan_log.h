// Logs what a scan learns about each file, so that a later run need not do it again: one log
// (base/record_log.h) for each file in a work folder, or one for all of them.
//
//   source   what made the log, the file's path and size
//   block    what was found in a block of lines, what the visitor made of it, and the content of
//            the file up to there
//   end      the file has no more blocks; a damaged file gets no end, so its rest is read again
//
// A log is used only for a file of the same path, size and content: the file is read again and
// compared, as far as the log goes, but not parsed.
#pragma once

#include <cstdint>
#include <memory>
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

// A block of lines as it is in a log. Its problems include a record that was too long.
struct LoggedBlock {
  std::uint64_t offset = 0;  // of its first line
  std::uint64_t next = 0;    // of the block that follows
  Content content;           // of the file as far as it had been read when the block was cut
};

// Kinds of records.
enum : std::uint32_t { kLoggedSource = 1, kLoggedBlock = 2, kLoggedEnd = 3 };

std::string logged_block(const LoggedBlock& block, const ParsedBlock& parsed,
                         std::string_view visitor);
// Reads only the place of the block and the content of its file. Throws Error(kCorrupt).
LoggedBlock logged_place(std::string_view payload);
// `visitor` becomes a view into the payload. Throws Error(kCorrupt).
void read_logged_block(std::string_view payload, LoggedBlock& block, ParsedBlock& parsed,
                       std::string_view& visitor);

// The beginning of `made_by`.
inline constexpr std::string_view kMadeByProgram = "program=";

// The payload for the end of a file whose last block ends at `end`.
std::string logged_end(std::uint64_t end);

// made_by: everything that must be equal for the log to be usable, as "name=value" lines.
std::string logged_source(const LineSource& source, std::string_view made_by);
// Empty if the log can be used for the source and `made_by`; otherwise what differs.
ErrorText differs(std::string_view payload, const LineSource& source, std::string_view made_by);

// The names of a source's log while it grows and when it is whole.
std::string growing_log(const std::string& folder, std::size_t source);
std::string whole_log(const std::string& folder, std::size_t source);

// Throws Error for a folder that cannot be used, for one with logs of more sources than `sources`,
// and, unless `resume`, for one with any logs in it.
void check_work_folder(const std::string& folder, std::size_t sources, bool resume);
// Keeps runs of other processes out of a work folder, which would write into the same logs and
// remove them, as long as it is there. Runs that share the work may be in it together. Within a
// process there is one lock for each folder: what failed may still exist when it is gone on with.
class WorkFolderLock {
 public:
  // Throws Error(kBusy) while another run is in the folder. Where the file system has no locks,
  // nothing is locked.
  WorkFolderLock(const std::string& folder, bool share);

 private:
  struct Held;
  std::shared_ptr<const Held> held_;
};
// Gives a complete log whose end is damaged the name of a growing one.
void reopen_log(const std::string& folder, std::size_t source);
void remove_logs(const std::string& folder, std::size_t sources) noexcept;

// Follows the blocks of a source, each of which must begin where the previous one ends.
class LoggedBlocks {
 public:
  // Returns false if the payload is not the next block.
  bool take(std::string_view payload);
  // Whether the payload is the end of the source after these blocks, and they cover all its bytes.
  bool is_end(std::string_view payload, const LineSource& source) const;
  std::uint64_t read_on() const noexcept { return last_.next; }
  const Content& content() const noexcept { return last_.content; }

 private:
  LoggedBlock last_;
};

// Reads a file with the complete logs of all sources, one after the other.
class SignatureFile {
 public:
  // Throws Error(kNotFound, kCorrupt, kStorageFailed).
  explicit SignatureFile(const std::string& path);
  // To be called for the sources in order. Throws Error(kInvalidArgument) if the next log in the
  // file is of another source, or was made with other settings.
  void begin(const LineSource& source, std::string_view made_by);
  // Reads the payload of the source's next block. Returns false at the end of the source, and
  // throws Error(kInvalidArgument) there if the source, which `pass` has open, has another content.
  bool next(std::string& payload, const FirstPass& pass);
  void finish();  // throws Error(kInvalidArgument) if the file has more sources

 private:
  [[noreturn]] void throw_damaged() const;
  [[noreturn]] void refuse(const ErrorText& what) const;

  std::string path_;
  RecordLogReader reader_;
  const LineSource* source_ = nullptr;  // the source whose blocks come next
  LoggedBlocks blocks_;
};

// Reads the log that an earlier run has left about one source.
class SourceLog {
 public:
  // Throws Error(kInvalidArgument) if the log is of another file or was made with other settings.
  // The source must outlive this object.
  SourceLog(const std::string& folder, std::size_t number, const LineSource& source,
            std::string_view made_by);
  // Reads the payload of the next block. Returns false at the end of the usable part, and throws
  // Error(kInvalidArgument) there if the source, which `pass` has open, does not begin with the
  // bytes that the blocks are from.
  bool next(std::string& payload, const FirstPass& pass);
  bool whole() const noexcept { return whole_; }  // known once next() was false
  // Where the usable part of the log ends, and from where on the source is to be read.
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
  std::uint64_t log_bytes_ = 0;  // 0: no part of the log can be used
  LoggedBlocks blocks_;
};

}  // namespace benzer
