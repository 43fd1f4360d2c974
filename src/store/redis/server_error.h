// What errors of a server mean.
#pragma once

#include "store/redis/redis_url.h"
#include "store/redis/reply.h"

namespace benzer::redis {

// It wants another user or password, or the user lacks a right.
bool denies(const Reply& reply);

// It passes: a server starts, or a cluster changes masters.
bool passes(const Reply& reply);

// Throws what any other error means, with what to do.
[[noreturn]] void refuse(const Reply& reply, const Address& address);

}  // namespace benzer::redis
