// What is behind an index that outlives the process: when a write is acknowledged, which server,
// snapshots, the work in the background, and what a repair reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/error.h"

namespace benzer {

// When a write to an index is acknowledged.
enum class Durability {
  // Of an index in a folder.
  kSync,   // synced to the disk: it outlives a loss of power
  kBatch,  // handed to the system: it outlives the process; synced when a log is full or closed
  kNone,   // in memory: it outlives nothing until a log's buffer is full or closed
  // Of an index in Redis, and of an index in memory.
  kMemory,    // in the memory of the server (of this process): it outlives nothing of it
  kReplicas,  // in that of the master and of so many replicas: it outlives the master
  kDisk,  // synced by a server with appendonly yes and appendfsync always: it outlives a loss of
          // power there, but not the loss of a master before its replica has it
};

// "sync", "batch", "none", "memory", "replicas", "disk"
std::string_view name_of(Durability durability) noexcept;

// What a write is asked to reach, or has reached.
struct WriteLevel {
  WriteLevel(Durability level = Durability::kSync, int confirmed = 0)
      : durability(level), replicas(confirmed) {}

  static constexpr int kMostReplicas = 100;

  Durability durability;
  int replicas;  // of kReplicas: for each master that was written to, at least

  // "sync", "replicas:1"
  std::string str() const;
  // Reads str(). Throws Error(kInvalidArgument).
  static WriteLevel parse(std::string_view text);
  friend bool operator==(const WriteLevel&, const WriteLevel&) = default;
};

// Of an index on a server.
struct ServerOptions {
  std::string password;  // if the address has none
  std::string ca_file;   // PEM, of the authorities for TLS; empty: those that the system trusts
  // How long a call goes on trying while nothing succeeds: a server starts again, a cluster elects
  // another master. Opening gives up after two seconds.
  double timeout_seconds = 10;
  // Of a new index: with ten times as many documents, or a tenth, each takes more memory.
  std::uint64_t expected_documents = 1'000'000;
};

// How a snapshot of an index is made, and what it took.
struct SnapshotOptions {
  // Segments, and the lists of what was removed from them, never change. So the snapshot has them
  // by other names of the same files (hard links), which takes no time and no room; but a bit that
  // the disk flips is then in both. With copy they are copied. So they are, too, where the file
  // system has no links, or the folder is on another one.
  bool copy = false;
};

// Bytes of segments, lists and logs.
struct SnapshotResult {
  std::uint64_t linked_bytes = 0;  // shared with the index
  std::uint64_t copied_bytes = 0;
};

// What an index in a folder does in the background, and what it says when that fails.

// The last failure of writing what is in memory to a segment, or of merging segments. Nothing is
// lost by it, and each write tries again; but where it goes on, memory, the log or the number of
// segments grow, until writers are refused.
struct MaintenanceProblem {
  // Seconds since 1970, UTC. While the same goes wrong, the first time, and its file: each try to
  // write one has another number.
  std::int64_t at = 0;
  std::string file;    // empty: none in particular
  std::string detail;  // what is wrong with it, and what to do
  Error error() const;
  friend bool operator==(const MaintenanceProblem&, const MaintenanceProblem&) = default;
};

// What has been done in the background, and how long writers have waited for it, since this process
// opened the index.
struct UpkeepStats {
  std::uint64_t flushes = 0;  // each wrote what was in memory to a segment
  std::uint64_t merges = 0;   // of segments to one
  // Tries of either that failed, and not only those with another MaintenanceProblem.
  std::uint64_t failures = 0;
  // Under way now: merges, and the bytes of the segments that they read.
  std::uint64_t merges_running = 0, merging_bytes = 0;
  // A stall is the wait of one writer for flushing, or for merging, that was far behind: with four
  // times the memory for new documents, or 24 segments.
  std::uint64_t stalls = 0;           // that have ended
  std::uint64_t stalled_writers = 0;  // that wait now
  double stall_seconds = 0;           // of all stalls that have ended
  double longest_stall_seconds = 0;
  friend bool operator==(const UpkeepStats&, const UpkeepStats&) = default;
};

// What a repair has found and saved (repair_index() in index.h).
struct RepairReport {
  struct File {
    std::string name;           // in the index's folder; of an index in Redis its address
    std::string problem;        // one sentence
    std::uint64_t saved = 0;    // documents, or records of a log, that were taken from it
    std::uint64_t lost = 0;     // those that were not, as far as can be told
    bool lost_unknown = false;  // there may have been more
    // Ids of lost documents that could be read, the first 100.
    std::vector<std::string> lost_ids;
    // Documents that are in the index and may have been removed before: who was is not known.
    std::uint64_t returned = 0;
  };
  std::vector<File> files;      // that were damaged
  std::uint64_t documents = 0;  // in the index now
  std::string damaged;          // where the damaged files were copied to; empty: nowhere

  bool was_sound() const noexcept { return files.empty(); }
  // The index holds what it held before: nothing lost, nothing back that was removed.
  bool is_complete() const noexcept;
};

}  // namespace benzer
