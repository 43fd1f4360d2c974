// Describes where an index keeps its data: how durable a write is, servers, snapshots, work in the
// background, its size, and what a repair reports. The calls that use these types are in
// benzer/index.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/error.h"

namespace benzer {

// When a write to an index is acknowledged, and so what it survives.
enum class Durability {
  // For an index in a folder.

  // Acknowledged when it is synced to the disk: it survives a loss of power. The default.
  kSync,
  // Acknowledged when it is handed to the system: it survives the end of the process, but not of
  // the machine. It is synced when a log is full or the index is closed.
  kBatch,
  // Acknowledged when it is in memory: it survives nothing until the buffer of a log is full or the
  // index is closed.
  kNone,

  // For an index in Redis; an index in memory has kMemory.

  // Acknowledged when it is in the memory of the server (or of this process): it does not survive
  // that memory. The default in Redis.
  kMemory,
  // Acknowledged when it is in the memory of the master and of a number of replicas: it survives
  // the loss of the master.
  kReplicas,
  // Acknowledged when a server with "appendonly yes" and "appendfsync always" has synced it: it
  // survives a loss of power there, but not the loss of a master before its replica has it.
  kDisk,
};

// Returns "sync", "batch", "none", "memory", "replicas" or "disk".
std::string_view name_of(Durability durability) noexcept;

// What a write is asked to reach, or has reached.
struct WriteLevel {
  WriteLevel(Durability level = Durability::kSync, int confirmed = 0)
      : durability(level), replicas(confirmed) {}

  // The largest number of replicas that may be asked for.
  static constexpr int kMostReplicas = 100;

  // When the write is acknowledged.
  Durability durability;
  // For kReplicas: the number of replicas that have the write, 1 to kMostReplicas; of a cluster at
  // least so many for each master that was written to. Otherwise 0.
  int replicas;

  // Returns the name of the durability, with the number of replicas: "sync", "replicas:1".
  std::string str() const;
  // Reads the spelling of str(). Throws Error(kInvalidArgument) for anything else.
  static WriteLevel parse(std::string_view text);
  friend bool operator==(const WriteLevel&, const WriteLevel&) = default;
};

// How to reach the servers of an index in Redis.
struct ServerOptions {
  // The password, if the address has none.
  std::string password;
  // A PEM file with the authorities that TLS trusts; empty means those that the system trusts.
  std::string ca_file;
  // How long, in seconds from 0.1 to 3600, a call goes on trying while nothing succeeds, for
  // example until a server has restarted or a cluster has elected another master. Opening an index
  // gives up after two seconds, or after this time if it is shorter.
  double timeout_seconds = 10;
  // How many documents a new index is expected to hold. With ten times as many, or a tenth, each
  // document takes more memory. An existing index ignores it.
  std::uint64_t expected_documents = 1'000'000;
};

// How a snapshot of an index is made.
struct SnapshotOptions {
  // Segments, and the lists of what was removed from them, never change. So by default a snapshot
  // has them as hard links, other names of the same files, which takes no time and no space; but a
  // bit that the disk flips is then wrong in both. If this is set they are copied. They are copied
  // too if the file system has no hard links, or the folder is on another file system.
  bool copy = false;
};

// What a snapshot took: bytes of segments, lists and logs.
struct SnapshotResult {
  // Bytes that are shared with the index.
  std::uint64_t linked_bytes = 0;
  // Bytes that were written.
  std::uint64_t copied_bytes = 0;
};

// Work that an index in a folder does in the background, and what it reports when that fails.

// The last failure of writing new documents to a segment, or of merging segments. Nothing is lost
// by it, and the first write ten seconds later has it tried again; after a long try, such as a
// large merge, nine times as long as that took. But while it goes on, memory, the log or the number
// of segments grow, until writers are refused.
struct MaintenanceProblem {
  // When it happened, in seconds since 1970, UTC. While the same thing fails again and again, the
  // first time.
  std::int64_t at = 0;
  // The file that was concerned, also as of the first time, since each attempt to write a file
  // gives it another number; empty if none in particular.
  std::string file;
  // What is wrong with it, and what to do.
  std::string detail;
  // Returns the problem as an Error(kStorageFailed).
  Error error() const;
  friend bool operator==(const MaintenanceProblem&, const MaintenanceProblem&) = default;
};

// What this process has done in the background since it opened the index, and how long writers have
// waited for that.
struct UpkeepStats {
  // Times that new documents were written from memory to a segment.
  std::uint64_t flushes = 0;
  // Times that several segments were merged to one.
  std::uint64_t merges = 0;
  // Attempts at either that failed; all of them, and not only those with another problem.
  std::uint64_t failures = 0;
  // Merges that run now, and the bytes of the segments that they read.
  std::uint64_t merges_running = 0, merging_bytes = 0;
  // A stall is the wait of one writer because flushing or merging is far behind: new documents, or
  // their log, take more than four times OpenOptions::memtable_bytes, or there are more than 24
  // segments. `stalls` counts those that have ended.
  std::uint64_t stalls = 0;
  // Writers that wait now.
  std::uint64_t stalled_writers = 0;
  // Total and longest time of the stalls that have ended, in seconds.
  double stall_seconds = 0;
  double longest_stall_seconds = 0;
  friend bool operator==(const UpkeepStats&, const UpkeepStats&) = default;
};

// The size and the state of an index. Which members are used depends on where the index is; others
// are 0.
struct IndexStats {
  std::uint64_t documents = 0;
  // Bytes in memory: tables of bands, keys, cut signatures, features and ids. For an index in a
  // folder, of the documents that are not in a segment yet.
  std::uint64_t table_bytes = 0, key_bytes = 0, cut_bytes = 0, feature_bytes = 0, id_bytes = 0;
  // For an index in a folder: its segments and their bytes.
  std::uint64_t segments = 0, segment_bytes = 0;
  // For an index in a folder: bytes of the log, which the next opening reads.
  std::uint64_t log_bytes = 0;
  // Estimated time in seconds that the next opening takes if this process ends now without close():
  // what this opening took for the segments, and log_bytes at the rate at which it read the log. If
  // it read less than 8 MiB, which tells no rate, 200 MB a second is assumed.
  double restart_seconds = 0;
  // Removed documents whose bytes are still there, until compact().
  std::uint64_t removed = 0;
  // Bytes at the end of the log that were incomplete when the index was opened, and left out.
  std::uint64_t torn_bytes = 0;
  // For an index in Redis: masters, and the memory that they use in all, also for other data.
  std::uint64_t servers = 0, server_bytes = 0;
  // For an index in a folder: the problem of the background work; absent as long as it succeeds. If
  // the index was opened to read, the problem that was known then.
  std::optional<MaintenanceProblem> maintenance_problem = {};
  // For an index in a folder: the background work of this process; absent if the index was opened
  // to read.
  std::optional<UpkeepStats> upkeep = {};
};

// What repair_index() (benzer/index.h) has found and saved.
struct RepairReport {
  // A file that was damaged.
  struct File {
    // Its name in the folder of the index; for an index in Redis the address of the index.
    std::string name;
    // What is wrong with it, in one sentence.
    std::string problem;
    // Documents, or records of a log, that were read from it in spite of that.
    std::uint64_t saved = 0;
    // Documents or records that could not be read, as far as can be told.
    std::uint64_t lost = 0;
    // True if there may have been more of them.
    bool lost_unknown = false;
    // The ids of lost documents, if they could still be read; the first 100.
    std::vector<std::string> lost_ids;
    // Documents that are in the index again although they may have been removed before, because the
    // list of removed documents could not be read.
    std::uint64_t returned = 0;
  };
  // The files that were damaged; empty if the index was sound.
  std::vector<File> files;
  // Documents that the index holds now.
  std::uint64_t documents = 0;
  // The folder that the damaged files were copied to; empty if none were copied.
  std::string damaged;

  // Returns whether nothing was damaged.
  bool was_sound() const noexcept { return files.empty(); }
  // Returns whether the index holds what it held before: nothing was lost, and nothing came back
  // that may have been removed.
  bool is_complete() const noexcept;
};

// What some documents, drawn at random, tell about an index: how similar its documents are, and how
// full its buckets. A bucket is all documents that have the same key in one band of one field.
struct SampleFigures {
  // Documents that were drawn.
  std::uint64_t documents = 0;
  // Pairs of drawn documents, all of which were compared.
  std::uint64_t pairs = 0;
  // Their scores by ScoreRule::kMean: 20 bins of equal width from 0 to 1; a score of 1 is in the
  // last bin.
  std::vector<std::uint64_t> scores;
  // The buckets of one size class. `entries` and `buckets` are estimates for the whole index.
  struct Buckets {
    // The size class: documents in a bucket, from `from` to `to`.
    std::uint64_t from = 0, to = 0;
    // Documents in all such buckets together.
    std::uint64_t entries = 0;
    // Number of such buckets, a whole number.
    double buckets = 0;
  };
  // The buckets by size class: 1, 2, 3 to 4, 5 to 8, and so on. Classes without buckets are left
  // out.
  std::vector<Buckets> buckets;
  // Documents in the largest bucket that was met.
  std::uint64_t largest_bucket = 0;
  // Other documents that share a key with a drawn one, counted once for each drawn one and field.
  std::uint64_t candidates = 0;
  // Documents that share a key with a drawn one and reach min_threshold, counted once for each
  // drawn one.
  std::uint64_t similar = 0;
};

}  // namespace benzer
