// When a write to an index is acknowledged.
#pragma once

#include <string>
#include <string_view>

namespace benzer {

enum class Durability {
  // Of a store in a folder.
  kSync,   // synced to the disk: it outlives a loss of power
  kBatch,  // handed to the system: it outlives the process; synced when a log is full or closed
  kNone,   // in memory: it outlives nothing until a log's buffer is full or closed
  // Of a store in Redis, and of an index in memory.
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

  Durability durability;
  int replicas;  // of kReplicas: for each master that was written to, at least

  // "sync", "replicas:1"
  std::string str() const;
  // Reads str(). Throws Error(kInvalidArgument).
  static WriteLevel parse(std::string_view text);
  friend bool operator==(const WriteLevel&, const WriteLevel&) = default;
};

}  // namespace benzer
