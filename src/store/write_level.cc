#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/internal/text.h"
#include "benzer/store.h"

#include "features/config_text.h"

namespace benzer {
namespace {

constexpr EnumName<Durability> kNames[] = {
    {Durability::kSync, "sync"},         {Durability::kBatch, "batch"},
    {Durability::kNone, "none"},         {Durability::kMemory, "memory"},
    {Durability::kReplicas, "replicas"}, {Durability::kDisk, "disk"}};

}  // namespace

std::string_view name_of(Durability durability) noexcept { return name_in(kNames, durability); }

std::string WriteLevel::str() const {
  if (durability != Durability::kReplicas) return std::string(name_of(durability));
  return fmt::format("replicas:{}", replicas);
}

WriteLevel WriteLevel::parse(std::string_view text) {
  if (const auto known = value_in(kNames, text); known && *known != Durability::kReplicas)
    return *known;
  constexpr std::string_view kReplicas = "replicas:";
  if (text.starts_with(kReplicas))
    if (const auto replicas =
            internal::read_number<int>(text.substr(kReplicas.size()), 1, kMostReplicas))
      return {Durability::kReplicas, *replicas};
  throw Error(
      ErrorCode::kInvalidArgument,
      fmt::format("the durability {} is unknown; allowed are sync, batch and none for an index in "
                  "a folder, and memory, replicas:N (1 to {}) and disk for one in Redis",
                  internal::in_quotes(text), kMostReplicas));
}

}  // namespace benzer
