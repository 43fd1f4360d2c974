// From the inputs that a user names to the list of files to read.
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

// Something about the inputs that is said when the scan comes to that place.
struct InputNotice {
  std::size_t before = 0;  // index of a file
  Error problem;
  // What it costs, such as "the file was skipped"; empty: nothing.
  std::string skipped = {};
};

struct InputList {
  InputFormat format = InputFormat::kJsonLines;  // never kAuto
  InputFiles files;
  std::vector<InputNotice> notices;  // by `before`
  std::vector<std::string> sources;  // as they were named: references, then inputs
};

// Ends the run because of what a reference lacks.
[[noreturn]] void throw_reference_unread(const Error& problem);

// Throws Error(kNotFound) for an input that does not exist, Error(kInvalidArgument) for one named
// twice and for a mixture of formats, Error(kInterrupted).
InputList list_inputs(const InputOptions& options);

// What separates the fields of a record; '\0' for what is no CSV.
char delimiter_of(InputFormat format) noexcept;

// Are the files of a run on texts images, and may hold any bytes?
bool takes_images(const InputOptions& options) noexcept;

// A folder, walked.
struct FolderWalk {
  PathList files;  // sorted by the bytes of the path
  // Folders that are not read, or not to their end: sorted by path.
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
// Throws Error(kInvalidArgument) if the names take more than half of a memory limit (0: none),
// Error(kInterrupted).
FolderWalk walk_folder(const std::string& folder, std::uint64_t memory_limit,
                       const std::atomic<bool>* stop);

// What must be known of each file takes so many bytes. Throws Error(kInvalidArgument) if that is
// more than a quarter of the memory limit.
void check_room_for(const InputList& list, std::size_t bytes_each, std::uint64_t memory_limit);

}  // namespace benzer
