// Reads which node of a cluster has which slots.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "store/redis/redis_url.h"
#include "store/redis/reply.h"

namespace benzer::redis {

struct SlotRange {
  std::uint16_t first = 0, last = 0;
  Address master;
  friend bool operator==(const SlotRange&, const SlotRange&) = default;
};

// Reads the answer to CLUSTER SLOTS; nothing if it is not one. asked: the node that was asked,
// whose name replaces an empty one.
std::optional<std::vector<SlotRange>> read_slots(const Reply& reply, const Address& asked);

// Reads where "MOVED 3999 127.0.0.1:6381" or "ASK 3999 127.0.0.1:6381" leads.
std::optional<SlotRange> read_redirection(std::string_view error, const Address& asked);

}  // namespace benzer::redis
