// Lists the files of a run, also very many of a folder, in little more memory than their names
// take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benzer/error.h"

#include "base/file.h"
#include "base/workspace.h"

namespace benzer {

struct InputFile {
  std::string path;          // "-": standard input
  bool stream = false;       // a pipe or a terminal: can be read only once
  std::uint32_t source = 0;  // in InputList::sources
  bool reference = false;
  bool found = false;  // in a folder; otherwise it was named itself

  // As errors name it.
  FileName name() const { return {path == "-" ? "standard input" : path}; }
  Subject subject() const { return Subject::file(name().path); }
  Subject at(std::uint64_t line) const { return Subject::place(name().path, line); }
};

// Opens a file for a caller that goes on if it cannot be opened. Returns 0 or errno. Throws
// Error(kStorageFailed) if the error says nothing about the file (too many are open).
int open_input(const InputFile& file, FileHandle& out);

// A list of paths. Each takes the bytes after the common prefix and 9 more, or only 8 bytes once
// they are in a file. Threads: any number of readers.
class PathList {
 public:
  // Every path begins with the prefix.
  explicit PathList(std::string prefix = {}) : prefix_(std::move(prefix)) {}

  void add(std::string_view path);
  void sort();  // by their bytes
  // The places ascend.
  void remove(const std::vector<std::size_t>& places);

  // Moves the paths to a file. After that nothing may be added, sorted or removed.
  void move_to(std::shared_ptr<ScratchFile> file);

  std::size_t size() const noexcept { return places_.size(); }
  std::size_t bytes() const noexcept;  // of memory
  std::string operator[](std::size_t place) const;

 private:
  // A NUL ends each path, since paths do not contain any.
  const char* rest(std::size_t place) const noexcept {
    return pieces_[places_[place] / kPieceBytes].data() + places_[place] % kPieceBytes;
  }

  static constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

  std::string prefix_;
  std::vector<std::vector<char>> pieces_;
  std::vector<std::uint64_t> places_;  // piece * kPieceBytes + offset, or offset in the file
  std::shared_ptr<ScratchFile> file_;
  std::uint64_t end_ = 0;  // in the file
};

// The files in the order in which they are read. An InputFile is put together when it is asked for.
class InputFiles {
 public:
  void add(const InputFile& file);
  // Adds the paths of a folder; each file has the other members of `like`.
  void add(PathList paths, const InputFile& like);
  // The places ascend.
  void remove(const std::vector<std::size_t>& places);

  // Moves the names of folders to a temporary file.
  void move_to_file(const Workspace& workspace);

  std::size_t size() const noexcept { return size_; }
  InputFile operator[](std::size_t place) const;
  // The members of the file without its path, which cost nothing to get.
  const InputFile& traits(std::size_t place) const noexcept { return group_of(place).like; }

 private:
  // The files of one input.
  struct Group {
    std::size_t first;
    InputFile like;  // without a path
    PathList paths;
  };

  const Group& group_of(std::size_t place) const noexcept;

  std::vector<Group> groups_;
  std::size_t size_ = 0;
};

}  // namespace benzer
