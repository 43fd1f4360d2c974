// Parses the address of a store in Redis: redis://[user:password@]host[:port]/name, rediss:// with
// TLS, and redis+cluster://host1[:port],host2[:port]/name (rediss+cluster:// with both).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace benzer::redis {

struct Address {
  std::string host;
  std::uint16_t port = 6379;
  // "127.0.0.1:6379", "[::1]:6379"
  std::string str() const;
  friend bool operator==(const Address&, const Address&) = default;
};

struct Url {
  bool has_tls = false;
  bool is_cluster = false;
  std::string user;  // empty: the default user
  std::string password;
  std::vector<Address> hosts;  // of a cluster any of its nodes; otherwise one
  std::string store;           // 1 to 64 of A-Z a-z 0-9 _ . -

  // Returns whether it begins like an address; the rest may be wrong.
  static bool is_url(std::string_view location) noexcept;
  // User and password may have %XX. Throws Error(kInvalidArgument), whose sentence never has the
  // password.
  static Url parse(std::string_view url);
  // Without the password, for messages.
  std::string str() const;
};

}  // namespace benzer::redis
