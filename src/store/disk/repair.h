// Repairs a damaged store. salvage.h reads single files as far as they are sound; this decides
// which files count, and which of several documents with the same id.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "benzer/error.h"
#include "benzer/store.h"

#include "base/random_seed.h"
#include "store/disk/read_log.h"
#include "store/disk/segment.h"
#include "store/disk/store_folder.h"
#include "store/disk/write_log.h"

namespace benzer {

class Repair {
 public:
  // Locks the folder.
  Repair(const std::string& folder, const HashLayout& layout, std::uint64_t fingerprint);

  // The file BENZER has this problem; run() writes it anew with this schema.
  void replace_schema(const std::string& schema, const Error& problem);
  RepairReport run();
  // Whether damaged files were copied to the folder `damaged`; a file that is missing cannot be.
  bool has_kept_files() const noexcept { return has_kept_files_; }

 private:
  struct Part {
    std::uint64_t number = 0;           // of the segment as it was found
    Seal seal;                          // that the manifest names; not known if it names none
    std::uint64_t newest = 0;           // of its origin
    std::uint64_t first_record = 0;     // of its origin
    std::uint64_t removed_file = 0;     // its list of removed documents; 0: none
    std::vector<std::uint64_t> merged;  // of its origin
    std::unique_ptr<Segment> segment;
    std::uint64_t new_number = 0;  // of the segment that holds the documents now
    std::vector<bool> removed;
    bool may_be_another = false;  // it may not be the segment that the manifest names
    bool is_known = true;         // which documents were removed from it
    bool needs_list = false;      // its list of removed documents was changed
    std::size_t list_report = 0;  // place of its list among the report's files, if not is_known
    std::uint64_t missing = 0;    // removed documents that may be unknown
  };

  // Returns the Error(kCorrupt) or UnreadablePage that the call throws, or nothing.
  template <class Call>
  static std::optional<Error> damage_of(const Call& call) {
    try {
      call();
    } catch (const UnreadablePage& error) {
      return error;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kCorrupt) throw;
      return error;
    }
    return std::nullopt;
  }
  static bool is_there(const std::string& path);
  void keep_damaged(const std::string& name);
  // The error as a sentence about the file, which names another file if it is about one.
  static std::string problem_of(const Error& damage, const std::string& path);

  RepairReport::File& report(const std::string& path, const std::string& problem);
  RepairReport::File& report(const std::string& path, const Error& damage);
  void check_fingerprints() const;
  void keep_clear_of(std::uint64_t number) noexcept;
  // The number of a new file.
  std::uint64_t new_number();
  void find_manifest();
  std::optional<Error> earlier_than() const;
  // In repair_collect.cc: finds out which files count if no manifest says so.
  struct Collected;
  void collect();
  void open_segments(Collected& collected);
  void leave_out_copies(Collected& collected);
  void leave_out_merged(Collected& collected);
  void leave_out(Collected& collected, std::uint64_t segment, const std::string& problem);
  void collect_lists();
  // Returns the list of removed documents about a segment; 0: none.
  std::uint64_t list_about(std::uint64_t segment) const;
  void begin_at_earlier_logs(const Collected& collected);
  void leave_out_log(const std::string& path, std::string_view why);
  void read_parts();
  std::string find_file(std::string_view kind, const std::string& path, const Seal& wanted);
  void read_part(const Manifest::Part& named);
  void read_list(const Manifest::Part& named, const Seal& segment, Part& part);
  void salvage(Part& part, const std::string& path, const Error& problem);
  void remove_as_in_sources(Part& part);
  void settle_ids();
  void read_logs();
  void find_first_log();
  void salvage_logs(const LogChain& chain, const Error& problem);
  void finish();

  const HashLayout layout_;
  const std::uint64_t fingerprint_;
  const std::uint64_t id_seed_ = random_seed();
  StoreFolder folder_;
  std::uint64_t next_number_ = 1;
  bool has_begun_ = false;  // to make new files
  bool has_kept_files_ = false;
  Manifest manifest_;
  std::string schema_;         // to be written to BENZER; empty: that file is sound
  bool is_collected_ = false;  // the manifest was put together from the files that are there
  bool is_mark_lost_ = false;  // the file SYNCED cannot be read
  std::set<std::uint64_t> own_numbers_;  // numbers of segments, as these say themselves
  std::size_t manifest_report_ = 0;
  // If the manifest was put together: the last list of removed documents about each segment, by the
  // number that the segment had and by the checksum of its seal.
  std::map<std::uint64_t, std::uint64_t> lists_, lists_by_checksum_;
  // If it is not known which segments some lists are about: the place of the first of these lists
  // among the report's files.
  std::optional<std::size_t> lost_list_;
  std::vector<Part> parts_;
  RepairReport report_;
};

}  // namespace benzer
