#include "store/redis_place.h"

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/random_seed.h"
#include "store/redis/redis_store.h"

namespace benzer {

using redis::Access;
using redis::Client;
using redis::Layout;
using redis::Meta;
using redis::Settings;
using redis::Url;

namespace {

// Opening a store waits no longer than this for its server: the address may be wrong.
constexpr std::chrono::milliseconds kOpening{2'000};

}  // namespace

struct RedisPlace::Impl {
  RedisOptions options;
  std::shared_ptr<const Access> access;
  Meta meta;

  Settings settings(const HashLayout& hashes) const {
    return {access, Layout(access->url.store, hashes, meta), meta, options.level,
            options.read_only};
  }
};

bool is_redis_url(std::string_view location) noexcept { return Url::is_url(location); }

std::string shown_redis_url(std::string_view url) { return Url::parse(url).str(); }

RedisPlace::RedisPlace(std::string_view url, const RedisOptions& options)
    : impl_(std::make_unique<Impl>()) {
  Access access;
  access.url = Url::parse(url);
  if (access.url.password.empty()) access.url.password = options.password;
  if (access.url.has_tls) {
    access.tls = redis::tls_context(options.ca_file);
  } else if (!options.ca_file.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                Parameter{"ca_file"} +
                    " has no effect without TLS, and the address begins with "
                    "redis",
                "begin it with rediss, or leave the file out");
  }
  if (options.timeout_seconds < 0.1 || options.timeout_seconds > 3600)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("a time-out of {} s", options.timeout_seconds), "give 0.1 to 3600",
                ": ");
  access.timeout =
      std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout_seconds * 1000));
  access.stop = options.stop;
  const std::string shown = access.url.str();
  auto opening = std::make_shared<Access>(access);
  opening->timeout = std::min(access.timeout, kOpening);
  impl_->options = options;
  impl_->access = std::make_shared<Access>(std::move(access));

  Client client(opening);
  std::optional<std::string> text = redis::read_meta(client, impl_->access->url.store);
  if (!text) {
    if (!options.create_schema || options.read_only)
      throw Error(ErrorCode::kNoIndex, Subject::index(shown), "there is no index with this name");
    redis::check_servers(client, options.level);
    const Meta fresh{*options.create_schema, Layout::group_bits_for(options.expected_documents),
                     random_seed()};
    text = redis::create_meta(client, impl_->access->url.store, fresh);
  } else if (!options.read_only) {
    redis::check_servers(client, options.level);
  }
  impl_->meta = Meta::parse(*text, shown);
}

RedisPlace::~RedisPlace() = default;

const std::string& RedisPlace::schema() const { return impl_->meta.schema; }

std::unique_ptr<Store> RedisPlace::open(const HashLayout& hashes) const {
  return std::make_unique<redis::RedisStore>(impl_->settings(hashes));
}

ScrubReport RedisPlace::repair(const HashLayout& hashes) const {
  return redis::RedisStore(impl_->settings(hashes)).scrub(true);
}

}  // namespace benzer
