// For tests of what works on a store in Redis below the interface of stores.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "store/redis/session.h"
#include "store/redis_test_util.h"
#include "store/store_test_util.h"

namespace benzer {

// Its tests share a server, on which each has a store with its own name.
class RedisSessionTest : public RedisTest {
 protected:
  static RedisServer& server() {
    static RedisServer shared;
    return shared;
  }
  static std::string name() {
    return testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  // The settings for the store that the test has made. access: receives its address.
  static redis::Settings settings_of(const std::shared_ptr<redis::Access>& access) {
    access->url = redis::Url::parse(server().url(name()));
    redis::Client client(access);
    const redis::Meta meta = redis::Meta::parse(*redis::read_meta(client, name()), name());
    return {access, redis::Layout(name(), kOddLayout, meta), meta};
  }
};

}  // namespace benzer
