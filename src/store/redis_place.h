// Declares how the engine opens stores in Redis, in builds with and without Redis.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "benzer/store.h"

#include "store/store.h"

namespace benzer {

struct RedisOptions {
  std::optional<std::string> create_schema;  // creates a store with this schema if there is none
  bool read_only = false;
  WriteLevel level{Durability::kMemory};
  std::string password;  // used if the address has none
  std::string ca_file;   // PEM; empty: the authorities that the system trusts
  double timeout_seconds = 10;
  std::uint64_t expected_documents = 1'000'000;  // for the size of a new store
  // When the flag, which may be null, turns true, a call that waits for a server ends with
  // Error(kInterrupted), also in the middle of a write. It must outlive the store.
  const std::atomic<bool>* stop = nullptr;
};

// What a scrub found in a store.
struct ScrubReport {
  std::uint64_t documents = 0;
  std::uint64_t strays = 0;      // postings of no document, left by unfinished writes
  std::uint64_t torn = 0;        // documents that lacked postings
  std::uint64_t missing = 0;     // postings that these documents lacked
  std::uint64_t unreadable = 0;  // records that fail their checks
  bool is_sound() const noexcept { return strays + torn + unreadable == 0; }
  std::string str() const;
};

bool is_redis_url(std::string_view location) noexcept;
// The address in its usual spelling, without the password.
std::string shown_redis_url(std::string_view url);

class RedisPlace {
 public:
  // Reads the description of the store, or creates the store. Throws Error(kNoIndex) if there is
  // none and none is to be created, Error(kUnavailable), Error(kDenied), Error(kCorrupt), and
  // Error(kInvalidArgument) for a wrong address, an unfit server, or a build without Redis.
  RedisPlace(std::string_view url, const RedisOptions& options);
  ~RedisPlace();

  const std::string& schema() const;
  std::unique_ptr<Store> open(const HashLayout& hashes) const;
  // Removes stray postings and unreadable records, and adds missing postings. Others may use the
  // store meanwhile.
  ScrubReport repair(const HashLayout& hashes) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace benzer
