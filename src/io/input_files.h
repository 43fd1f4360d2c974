// The files of a run: very many of a folder, in little more memory than their names take.
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

// For callers that go on without a file that cannot be opened: 0 or errno. Throws
// Error(kStorageFailed) if that says nothing about the file (too many are open).
int open_input(const InputFile& file, FileHandle& out);

// Paths. Each takes 9 bytes beside what it does not share with the prefix, or 8 once they are in a
// file. Threads: any number of readers.
class PathList {
 public:
  // Every path begins with the prefix.
  explicit PathList(std::string prefix = {}) : prefix_(std::move(prefix)) {}

  void add(std::string_view path);
  void sort();  // by their bytes
  // The places ascend.
  void remove(const std::vector<std::size_t>& places);

  // From then on they are read there, and nothing is added, sorted or removed any more.
  void move_to(std::shared_ptr<ScratchFile> file);

  std::size_t size() const noexcept { return places_.size(); }
  std::size_t bytes() const noexcept;  // of memory
  std::string operator[](std::size_t place) const;

 private:
  // Paths hold no NUL, so one ends each of them.
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

// In the order in which they are read. Files are made when they are asked for.
class InputFiles {
 public:
  void add(const InputFile& file);
  // The paths of a folder; `like` tells the rest of each file.
  void add(PathList paths, const InputFile& like);
  // The places ascend.
  void remove(const std::vector<std::size_t>& places);

  // Moves the names of folders to a temporary file.
  void move_to_file(const Workspace& workspace);

  std::size_t size() const noexcept { return size_; }
  InputFile operator[](std::size_t place) const;
  // All but the path, at no cost.
  const InputFile& traits(std::size_t place) const noexcept { return group_of(place).like; }

 private:
  // Of one input.
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
