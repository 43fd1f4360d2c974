// From the inputs that a user names to the list of files to read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benzer/input.h"

#include "base/file.h"
#include "base/stop.h"

namespace benzer {

struct InputFile {
  std::string path;          // "-": standard input
  bool stream = false;       // a pipe or a terminal: can be read only once
  std::uint32_t source = 0;  // in InputList::sources
  bool reference = false;
  bool found = false;  // in a folder; otherwise it was named itself

  std::string shown() const;  // as sentences name it
};

// For callers that go on without a file that cannot be opened: 0 or errno. Throws
// Error(kStorageFailed) if that says nothing about the file (too many are open).
int open_input(const InputFile& file, FileHandle& out);

// Something about the inputs that is said when the scan comes to that place.
struct InputNotice {
  std::size_t before = 0;  // index of a file
  std::string sentence;
  bool skipped = false;  // it costs documents; otherwise it is only to be known
};

struct InputList {
  InputFormat format = InputFormat::kJsonLines;  // never kAuto
  std::vector<InputFile> files;
  std::vector<InputNotice> notices;  // by `before`
  std::vector<std::string> sources;  // as they were named: references, then inputs
};

// Ends the run because of what a reference lacks; `sentence` says what and where.
[[noreturn]] void throw_reference_unread(const std::string& sentence);

// Throws Error(kNotFound) for an input that does not exist, Error(kInvalidArgument) for one named
// twice and for a mixture of formats, Error(kInterrupted).
InputList list_inputs(const InputOptions& options);

// What separates the fields of a record; '\0' for what is no CSV.
char delimiter_of(InputFormat format) noexcept;

// Are the files of a run on texts images, and may hold any bytes?
bool takes_images(const InputOptions& options) noexcept;

// Folders, walked: what was found, sorted by the bytes of the path.
struct FoundFile {
  std::string path;
  std::string problem;  // not empty: a sentence why this file or folder is not read
};
struct FolderWalk {
  std::vector<FoundFile> files;
  std::uint64_t links = 0;     // symbolic links, not followed
  std::uint64_t specials = 0;  // pipes, sockets and devices, not read
  std::vector<std::pair<std::uint64_t, std::uint64_t>> folders;  // device and inode
};
FolderWalk walk_folder(const std::string& folder, const std::atomic<bool>* stop);

}  // namespace benzer
