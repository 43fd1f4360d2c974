// Replaces store/redis/ where hiredis, Boost or OpenSSL were missing when Benzer was built.
#include "benzer/error.h"

#include "store/redis_place.h"

namespace benzer {

struct RedisPlace::Impl {};

// Recognises addresses in this build, too, so that none is taken for the name of a folder.
bool is_redis_url(std::string_view location) noexcept {
  return location.starts_with("redis://") || location.starts_with("rediss://") ||
         location.starts_with("redis+cluster://") || location.starts_with("rediss+cluster://");
}

// Shows the scheme only: the rest may contain a password.
std::string shown_redis_url(std::string_view url) {
  return std::string(url.substr(0, url.find(':')));
}

RedisPlace::RedisPlace(std::string_view, const RedisOptions&) {
  throw Error(ErrorCode::kInvalidArgument, "this build has no Redis",
              "build Benzer where hiredis, Boost and OpenSSL are installed (libhiredis-dev, "
              "libboost-dev and libssl-dev on Debian)",
              ": ");
}
RedisPlace::~RedisPlace() = default;
const std::string& RedisPlace::schema() const {
  static const std::string none;
  return none;
}
std::unique_ptr<Store> RedisPlace::open(const HashLayout&) const { return nullptr; }
ScrubReport RedisPlace::repair(const HashLayout&) const { return {}; }

}  // namespace benzer
