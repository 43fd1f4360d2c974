// Remembers the answers to requests that must not be carried out twice, for clients that repeat a
// request because they did not receive its answer.
//
// Source: draft-ietf-httpapi-idempotency-key-header, "The Idempotency-Key HTTP Header Field".
#pragma once

#include <functional>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "http.h"
#include "sqlite_database.h"

namespace benzer::server {

// Thread-safe.
class RememberedAnswers {
 public:
  // database: a file of SQLite. Throws Error(kStorageFailed).
  explicit RememberedAnswers(const std::string& database);

  // Calls `work` if there was no request of this client with the same Idempotency-Key in the last
  // 24 hours, and else returns the answer that the first one was given. Only an answer of success
  // is remembered, since a refused request has done nothing; and none of more than 16 KiB, since a
  // request that has one names what it puts in. A place for the answer is made before the work, so
  // that a full disk refuses the request and not its answer. Throws Problem: 400 for a key that is
  // not allowed, 409 if the first request has not been answered yet, and 422 if it was another
  // request; and Error(kStorageFailed). `work` must not throw.
  Response once(const std::string& client, const Request& request,
                const std::function<Response()>& work);
  // Removes the answers about an index.
  void forget_index(std::string_view name);

 private:
  struct Answer {
    std::string fingerprint;  // of the request
    Response response;
  };
  std::optional<Answer> find(const std::string& client, const std::string& key);
  // status 0: it is not known yet.
  void store(const std::string& client, const std::string& key, const std::string& index,
             const std::string& fingerprint, const Response& response);

  SqliteDatabase database_;
  SqliteDatabase::Statement find_, add_, fill_, prune_, prune_client_, forget_;
  std::mutex mutex_;
  std::set<std::pair<std::string, std::string>> under_way_;  // client and key
};

// The key as it was sent, without the quotes of a structured field. Throws Problem(400).
std::string idempotency_key(const Request& request);

// 128 bits in hexadecimal digits of SHA-256, over the parts and their lengths.
std::string digest_of(std::initializer_list<std::string_view> parts);

}  // namespace benzer::server
