// Names the files of a store on disk, locks it for its writer, and keeps the list of files that
// count.
//
//   BENZER          says that this is a store, and holds its schema
//   LOCK            locked by the process that writes
//   MANIFEST        which of the others count; replaced by renaming
//   SYNCED          up to where the log was synced (sync_mark.h)
//   log-000001, segment-000002, removed-000003, ...   numbered as they are made
//   repair-000004   there while a repair is not done, whose files have numbers from this one on
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "store/disk/sealed_file.h"

namespace benzer {

struct Manifest {
  struct Part {
    std::uint64_t segment = 0;
    Seal segment_seal;          // not known: the manifest is one of version 1
    std::uint64_t removed = 0;  // the list of its removed documents; 0: none
    Seal removed_seal;
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::uint64_t log = 0;           // the oldest log that counts; all later ones do
  std::uint64_t first_record = 1;  // number of its first record that counts
  std::vector<Part> parts;
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

// The list of removed documents of a segment.
struct RemovedList {
  static constexpr std::string_view kMagicOfVersion1 = "BENZREM1";
  static constexpr std::string_view kMagic = "BENZREM2";
  static constexpr std::size_t kHeadOfVersion1 = 16;
  static constexpr std::size_t kHead = 24;
  std::uint64_t segment = 0;
  std::uint64_t segment_checksum = 0;    // of its seal; 0: the list is one of version 1
  std::vector<std::uint32_t> documents;  // their numbers, ascending

  // Compares the content of the segment, whatever its number, if both checksums are known.
  bool is_about(std::uint64_t number, const Seal& seal) const noexcept {
    return segment_checksum != 0 && seal.is_known() ? segment_checksum == seal.checksum
                                                    : segment == number;
  }
};

enum class Unreadable { kFails, kAsZeros };  // what to do with pages that cannot be read
// Reads as pread_fully() does, or takes pages that cannot be read for zeros.
int read_at(int fd, char* out, std::size_t size, std::uint64_t offset, Unreadable unreadable,
            std::size_t* got);
// Throws UnreadablePage for EIO, Error(kStorageFailed) for all else.
[[noreturn]] void fail_to_read(const std::string& path, std::string_view what, int error);
// Copies what the descriptor `from`, of the file at `path`, holds to a new file, and syncs that.
// Returns its size in bytes.
std::uint64_t copy_file(int from, const std::string& path, const std::string& to,
                        Unreadable unreadable = Unreadable::kFails);

// Errors: Error(kStorageFailed) for what the system refuses, Error(kCorrupt) for files that fail
// their checks, each naming the file.
class StoreFolder {
 public:
  static constexpr std::string_view kLock = "LOCK";
  // Makes the folder, if it is not there, and an empty store in it. Throws Error(kInvalidArgument)
  // if the folder holds anything, or is a file.
  static void create(const std::string& folder, std::string_view schema);
  // Makes the folder, if it is not there. Throws Error(kInvalidArgument) if it holds anything but
  // these files, or is a file.
  static void make_empty(const std::string& folder, const std::set<std::string_view>& allowed = {});
  // Writes the file that makes the folder a store.
  static void write_schema(const std::string& folder, std::string_view schema);
  // Returns whether the folder is a store. Throws Error(kStorageFailed) if that cannot be told.
  static bool is_at(const std::string& folder);
  // Throws Error(kNoIndex) if the folder is no store.
  static std::string read_schema(const std::string& folder);

  explicit StoreFolder(std::string folder) : folder_(std::move(folder)) {}
  ~StoreFolder();
  StoreFolder(const StoreFolder&) = delete;
  StoreFolder& operator=(const StoreFolder&) = delete;

  // Keeps other writers out as long as this object lives. Throws Error(kBusy) that names the
  // process that has the lock.
  void lock();
  // Whether the path still names the folder that was locked, and not another one that was put
  // there since; true if it was not locked. If not, a file of the same name there belongs to
  // another index, and must be neither written nor deleted.
  bool is_in_place() const noexcept;
  // Throws Error(kStorageFailed) if it is not, or if the system does not tell.
  void check_in_place() const;

  Manifest read_manifest() const;
  // Checks that the folder is in place.
  void write_manifest(const Manifest& manifest);

  std::string log(std::uint64_t number) const { return numbered("log", number); }
  std::string segment(std::uint64_t number) const { return numbered("segment", number); }
  std::string removed(std::uint64_t number) const { return numbered("removed", number); }
  std::string numbered(std::string_view kind, std::uint64_t number) const;
  std::string sync_mark() const { return folder_ + "/SYNCED"; }
  const std::string& path() const noexcept { return folder_; }
  // Numbers of the files "KIND-N", ascending.
  std::vector<std::uint64_t> numbers(std::string_view kind, std::uint64_t first = 0) const;
  // A number larger than that of any file.
  std::uint64_t next_number() const;
  // Begins a repair: its files have numbers from this one on, and count once the manifest has been
  // written. Otherwise the files of a repair that was ended before would look like the store's own.
  void begin_repair(std::uint64_t first_number) const;
  void end_repair() const;
  // Moves the files of a repair that was ended before into the folder `damaged`. Throws
  // Error(kStorageFailed).
  void remove_unfinished_repair() const;
  // Deletes files of the store that the manifest does not name, except for logs from its first one
  // on and the segments `spared`. Does nothing if the folder is not in place.
  void remove_others(const Manifest& manifest,
                     const std::set<std::uint64_t>& spared = {}) const noexcept;
  // Copies the file into the folder `damaged`, under its name or one made from it; pages that
  // cannot be read become zeros.
  void keep_damaged(const std::string& name) const;
  // Makes names that were made or changed in the folder survive a loss of power.
  void sync() const;

  Seal write_removed(std::uint64_t number, const RemovedList& list) const;
  RemovedList read_removed(const std::string& path) const;

 private:
  // Returns an error of the system, else 0.
  int look_in_place(bool& is_same) const noexcept;

  std::string folder_;
  FileHandle lock_;
  std::string lock_path_;  // kept, so that is_in_place() needs no memory
  pid_t locked_by_ = 0;
};

}  // namespace benzer
