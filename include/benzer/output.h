// An output that appears under its name only when it is whole.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "benzer/error.h"

namespace benzer {

// A regular file is written under a temporary name in the same folder, synced by finish(), and
// renamed by commit(); without commit() nothing remains, and a file that had the name before stays.
// Devices, pipes and "-" (standard output) are written directly and never renamed over. A name that
// ends in .gz or .zst, in capitals too, is compressed; one that promises a kind of file that is not
// written (.xz, .zip, .parquet, .xlsx, ...) is refused: Error(kInvalidArgument).
// Several files of which all or none should appear: finish() each, then commit() each.
// Threads: one. Errors: Error(kStorageFailed) with path and reason; a closed pipe is one too.
// Error(kInterrupted) within a second of `stop` turning true while a pipe has no reader, or one
// that does not read.
class OutputFile {
 public:
  // threads: how many zstd may use beside the caller's, each about 20 MiB of memory; any number
  // gives the same bytes, and 0 gives others. stop: may be null; it must outlive the file.
  explicit OutputFile(const std::string& path, int threads = 0,
                      const std::atomic<bool>* stop = nullptr);
  ~OutputFile();
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;

  void write(std::string_view bytes);
  // Flush, sync and close: everything that can fail for lack of space. Call at most once.
  void finish();
  // finish() unless that was done, and rename; call once. When it throws, the name is as before.
  void commit();

  const std::string& path() const noexcept;
  std::uint64_t bytes() const noexcept;  // given to write() so far

  // Throws what the constructor throws for a name that promises a kind of file that is not written.
  static void check_name(const std::string& path);
  // Does the name ask for compression?
  static bool packs(const std::string& path);
  // Is this path written directly, that is "-", a device or a pipe?
  static bool is_direct(const std::string& path);

  // The open descriptor that a path like "-", "/dev/stdout" or "/dev/fd/3" names.
  static std::optional<int> named_descriptor(std::string_view path);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Standard output is a pipe and its reader has gone: seldom a failure (head, a pager), so that it
// can be told from others.
class StdoutClosed : public Error {
 public:
  using Error::Error;  // with kStorageFailed
};

// Removes the temporary files of all OutputFile objects. For a signal handler that is about to end
// the process, where no destructor will run: async-signal-safe. No commit() succeeds afterwards.
void remove_unfinished_outputs() noexcept;

}  // namespace benzer
