// Which node of a cluster has which slots.
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

// What CLUSTER SLOTS answers. asked: the node that was asked, whose name stands for an empty one.
// Nothing if it is no such answer.
std::optional<std::vector<SlotRange>> read_slots(const Reply& reply, const Address& asked);

// "MOVED 3999 127.0.0.1:6381", "ASK 3999 127.0.0.1:6381": where to.
std::optional<SlotRange> read_redirection(std::string_view error, const Address& asked);

}  // namespace benzer::redis
