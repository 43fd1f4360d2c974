// Writes output files that appear under their names only when they are whole.
//
//     benzer::OutputFile out("kept.jsonl.gz");  // compressed because of its name
//     out.write("{\"text\":\"one\"}\n");
//     out.commit();  // without it the file does not appear
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "benzer/error.h"

namespace benzer {

// One output file.
//
// A regular file is written without a name in the same folder, synced and given a temporary name by
// finish(), and renamed by commit(). Without commit() nothing remains, also if the process is
// killed before finish(), and a file that had the name before is unchanged. File systems that have
// no files without names, such as NFS, have the temporary name from the beginning. The permissions
// of such a file are kept, and symbolic links are followed. Devices, pipes and "-" (standard
// output) are written directly and never renamed over. A file that can never be replaced is refused
// when it is opened: one that is mounted by itself, one that is immutable or append-only, and one
// of another user in a folder where only owners may replace files, such as /tmp.
//
// A name that ends in .gz or .zst, in capitals too, makes the output compressed. A name that
// promises a kind of file that is not written (.xz, .zip, .parquet, .xlsx, ...) is refused with
// Error(kInvalidArgument).
//
// On ext4 and XFS, what a file has beyond 16 MiB is written past the page cache, by a thread of its
// own and with 2 MiB of buffers: it is synced anyway, and the system copies nothing.
//
// If several files should appear all or not at all, call finish() for each, and then commit() for
// each.
//
// Threads: one at a time. Errors: Error(kStorageFailed) with path and reason, also for a call in
// the wrong order and for a pipe whose reader has ended. Error(kInterrupted) within a second of
// `stop` turning true while a pipe has no reader, or has one that does not read, and while a large
// file is written. After any error the file cannot be committed.
class OutputFile {
 public:
  // Opens the output. path: a file, a device, a pipe, or "-" for standard output; a relative one
  // means the same file when the process calls chdir() later. threads: how many
  // threads zstd may use besides the caller's; the first takes 36 MiB of memory, each other one up
  // to 20. Any number above 0 gives the same bytes; 0 gives other, equally valid ones. stop: may be
  // null; it must outlive the file.
  explicit OutputFile(const std::string& path, int threads = 0,
                      const std::atomic<bool>* stop = nullptr);
  // Removes the temporary file if commit() was not called.
  ~OutputFile();
  // A file that was moved from may only be destroyed or assigned to.
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;

  // Appends bytes, through a buffer of 32 KiB.
  void write(std::string_view bytes);
  // Flushes, syncs and closes the file, and gives it a temporary name, which is everything that can
  // fail for lack of space. Call it at most once.
  void finish();
  // Calls finish() unless that was done, and renames the file to its name. Call it once. If it
  // throws, a file under that name is as it was before; if only the renaming failed, the complete
  // file stays under its temporary name, which the error has.
  void commit();

  // Returns the path as it was given.
  const std::string& path() const noexcept;
  // Returns how many bytes were given to write() so far, before compression.
  std::uint64_t bytes() const noexcept;

  // Throws Error(kInvalidArgument) if the name promises a kind of file that is not written; the
  // constructor throws the same.
  static void check_name(const std::string& path);
  // Throws Error(kStorageFailed) if no file can be made there, or none can replace the one that is
  // there, whatever kind of file the name promises. For programs that write files of other kinds,
  // and would fail at their end. Writes nothing.
  static void check_place(const std::string& path);
  // Returns whether the name asks for compression.
  static bool packs(const std::string& path);
  // Returns whether the path is written directly: "-", a device or a pipe.
  static bool is_direct(const std::string& path);

  // Returns the open descriptor that a path such as "-", "/dev/stdout" or "/dev/fd/3" names, or
  // nothing if it names none.
  static std::optional<int> named_descriptor(std::string_view path);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Thrown with kStorageFailed if standard output is a pipe and its reader has ended. That is seldom
// a failure (head, a pager), so callers can tell it from other errors.
class StdoutClosed : public Error {
 public:
  using Error::Error;
};

// Removes the files of all OutputFile objects that have temporary names; they can no longer be
// committed. Meant for a signal handler that is about to end the process, where no destructor will
// run: the function is async-signal-safe.
void remove_unfinished_outputs() noexcept;

}  // namespace benzer
