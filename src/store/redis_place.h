// Where the engine meets stores in Redis, whether this build has them or not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "benzer/store.h"

#include "store/store.h"

namespace benzer {

struct RedisOptions {
  std::optional<std::string> create_schema;  // if there is no store, make one
  bool read_only = false;
  WriteLevel level{Durability::kMemory};
  std::string password;  // if the address has none
  std::string ca_file;   // PEM; empty: the authorities that the system trusts
  double timeout_seconds = 10;
  std::uint64_t expected_documents = 1'000'000;  // of a new store
};

// What a scrub has found.
struct ScrubReport {
  std::uint64_t documents = 0;
  std::uint64_t strays = 0;      // postings of no document: a write that did not end
  std::uint64_t torn = 0;        // documents that lacked postings
  std::uint64_t missing = 0;     // so many
  std::uint64_t unreadable = 0;  // records that fail their checks
  bool is_sound() const noexcept { return strays + torn + unreadable == 0; }
  std::string str() const;
};

bool is_redis_url(std::string_view location) noexcept;
// Its own spelling, without the password.
std::string shown_redis_url(std::string_view url);

class RedisPlace {
 public:
  // Reads what the store is, or makes it. Throws Error(kNoIndex) if there is none and none is to be
  // made, Error(kUnavailable), Error(kDenied), Error(kCorrupt), and Error(kInvalidArgument) for a
  // wrong address, a server that is unfit, or a build without Redis.
  RedisPlace(std::string_view url, const RedisOptions& options);
  ~RedisPlace();

  const std::string& schema() const;
  std::unique_ptr<Store> open(const HashLayout& hashes) const;
  // Brings the store into order, also while others use it.
  ScrubReport repair(const HashLayout& hashes) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace benzer
