// The files of a store on disk: what they are called, who may write, and which of them count.
//
//   BENZER          says that this is a store, and holds its schema
//   LOCK            locked by the process that writes
//   MANIFEST        which of the others count; replaced by renaming
//   log-000001, segment-000002, removed-000003, ...   numbered as they are made
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace benzer {

struct Manifest {
  struct Part {
    std::uint64_t segment = 0;
    std::uint64_t removed = 0;  // the list of its removed documents; 0: none
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::uint64_t log = 0;           // the oldest log that counts; all later ones do
  std::uint64_t first_record = 1;  // its number
  std::vector<Part> parts;
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

// Errors: Error(kStorageFailed) for what the system refuses, Error(kCorrupt) for files that fail
// their checks, each naming the file.
class StoreFolder {
 public:
  // Makes the folder, if it is not there, and an empty store in it. Throws Error(kInvalidArgument)
  // if the folder holds anything.
  static void create(const std::string& folder, std::string_view schema);
  // Throws Error(kStorageFailed) if that cannot be told.
  static bool is_store(const std::string& folder);
  // Throws Error(kNoStore).
  static std::string read_schema(const std::string& folder);

  explicit StoreFolder(std::string folder) : folder_(std::move(folder)) {}

  // Until the object is gone nobody else writes. Throws Error(kBusy) that names the process.
  void lock();

  Manifest read_manifest() const;
  void write_manifest(const Manifest& manifest);

  std::string log(std::uint64_t number) const { return numbered("log", number); }
  std::string segment(std::uint64_t number) const { return numbered("segment", number); }
  std::string removed(std::uint64_t number) const { return numbered("removed", number); }
  // Numbers of the logs from `first` on, ascending.
  std::vector<std::uint64_t> logs_from(std::uint64_t first) const;
  // Larger than that of any file.
  std::uint64_t next_number() const;
  // Deletes files of the store that the manifest does not name; logs from its first one on stay.
  void remove_others(const Manifest& manifest) const noexcept;
  // What was made or renamed in the folder stays after a loss of power.
  void sync() const;

  // Numbers of documents, ascending.
  void write_removed(std::uint64_t number, const std::vector<std::uint32_t>& documents) const;
  std::vector<std::uint32_t> read_removed(std::uint64_t number) const;

 private:
  std::string numbered(const char* kind, std::uint64_t number) const;
  std::string folder_;
  FileHandle lock_;
};

}  // namespace benzer
