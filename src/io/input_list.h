// Turns the inputs that a user names into the list of files to read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benzer/error.h"
#include "benzer/input.h"
#include "benzer/runtime.h"

#include "io/input_files.h"

namespace benzer {

// A message about the inputs that is given when the scan comes to the file `before`.
struct InputNotice {
  std::size_t before = 0;  // index of a file
  Error problem;
  // What was skipped because of it, such as "the file was skipped"; empty: nothing.
  std::string skipped = {};
};

struct InputList {
  InputFormat format = InputFormat::kJsonLines;  // never kAuto
  InputFiles files;
  std::vector<InputNotice> notices;  // by `before`
  std::vector<std::string> sources;  // as they were named: references, then inputs
};

// Throws the error for a reference that cannot be read completely, which ends the run.
[[noreturn]] void throw_reference_unread(const Error& problem);

// Lists the files of a run. Throws Error(kNotFound) for an input that does not exist,
// Error(kInvalidArgument) for one that is named twice and for a mixture of formats,
// Error(kBadInput) for a named file that is not text and for an unreadable folder of references,
// and Error(kInterrupted).
InputList list_inputs(const InputOptions& options);

// The character that separates the fields of a record; '\0' if the format is not CSV or TSV.
char delimiter_of(InputFormat format) noexcept;

// Whether the files of a run on texts are images, and so may hold any bytes.
bool takes_images(const InputOptions& options) noexcept;

// What a walk through a folder and all folders in it found.
struct FolderWalk {
  PathList files;  // sorted by the bytes of the path
  // Folders that were not read, or not to their end; sorted by path.
  struct Unread {
    std::string path;
    Error problem;
    std::string skipped;  // "it was skipped"
  };
  std::vector<Unread> unread;
  std::uint64_t links = 0;     // symbolic links, not followed
  std::uint64_t specials = 0;  // pipes, sockets and devices, not read
  std::vector<std::pair<std::uint64_t, std::uint64_t>> folders;  // device and inode
};
// Throws Error(kInvalidArgument) if the names take more than half of a memory limit (0: none), and
// Error(kInterrupted).
FolderWalk walk_folder(const std::string& folder, std::uint64_t memory_limit,
                       const std::atomic<bool>* stop);

// Throws Error(kInvalidArgument) if the data about all files, `bytes_each` for each of them, is
// more than a quarter of the memory limit (0: none).
void check_room_for(const InputList& list, std::size_t bytes_each, std::uint64_t memory_limit);

}  // namespace benzer
