// When a write to an index is acknowledged.
#pragma once

#include <string_view>

namespace benzer {

enum class Durability {
  kSync,   // synced to the disk: it outlives a loss of power
  kBatch,  // handed to the system: it outlives the process; synced when a log is full or closed
  kNone,   // in memory: it outlives nothing until a log's buffer is full or closed
};

// "sync", "batch", "none"
std::string_view name_of(Durability durability) noexcept;

}  // namespace benzer
