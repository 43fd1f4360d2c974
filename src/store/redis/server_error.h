// Tells what the errors of a server mean.
#pragma once

#include "store/redis/redis_url.h"
#include "store/redis/reply.h"

namespace benzer::redis {

// Whether the server wants another user or password, or the user lacks a right.
bool denies(const Reply& reply);

// Whether the error is temporary: a server is starting, or a cluster changes masters.
bool passes(const Reply& reply);

// Throws the Error for any other reply, which says what to do.
[[noreturn]] void refuse(const Reply& reply, const Address& address);

}  // namespace benzer::redis
