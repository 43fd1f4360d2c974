#include "remembered_answers.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "benzer/error.h"

#include "keys.h"
#include "problem.h"

namespace benzer::server {
namespace {

constexpr std::int64_t kRememberedSeconds = 24 * 60 * 60;
constexpr std::int64_t kMostAnswers = 10'000;
constexpr std::int64_t kMostAnswersOfOne = 1'000;  // client
constexpr std::size_t kLargestAnswer = std::size_t{16} << 10;
constexpr std::size_t kLongestKey = 128;

constexpr const char* kAnswerTable =
    "CREATE TABLE IF NOT EXISTS answers(number INTEGER PRIMARY KEY, client TEXT NOT NULL, "
    "key TEXT NOT NULL, index_name TEXT NOT NULL, fingerprint TEXT NOT NULL, at INTEGER NOT NULL, "
    "status INTEGER NOT NULL, "
    "type TEXT NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL, UNIQUE(client, key));";
constexpr const char* kFindAnswer =
    "SELECT fingerprint, status, type, headers, body FROM answers "
    "WHERE client = ?1 AND key = ?2 AND at > ?3 AND status > 0";
constexpr const char* kAddAnswer =
    "INSERT OR REPLACE INTO answers(client, key, fingerprint, at, status, type, headers, body, "
    "index_name) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
// Of an index that was removed since, the place is gone, and so nothing is remembered.
constexpr const char* kFillAnswer =
    "UPDATE answers SET at = ?4, status = ?5, type = ?6, headers = ?7, body = ?8 "
    "WHERE client = ?1 AND key = ?2 AND fingerprint = ?3 AND index_name = ?9 AND status = 0";
constexpr const char* kPruneAnswers =
    "DELETE FROM answers WHERE at <= ?1 OR number <= (SELECT max(number) FROM answers) - ?2";

constexpr const char* kPruneClient =
    "DELETE FROM answers WHERE client = ?1 AND number <= (SELECT number FROM answers "
    "WHERE client = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)";
constexpr const char* kForgetIndex = "DELETE FROM answers WHERE index_name = ?1";

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// A line each: "Location: /v1/tasks/1".
std::string joined(const std::vector<std::pair<std::string, std::string>>& headers) {
  std::string out;
  for (const auto& [name, value] : headers) out += fmt::format("{}: {}\n", name, value);
  return out;
}

std::vector<std::pair<std::string, std::string>> split(std::string_view lines) {
  std::vector<std::pair<std::string, std::string>> out;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n'), colon = lines.find(": ");
    if (end == lines.npos || colon > end) break;
    out.emplace_back(lines.substr(0, colon), lines.substr(colon + 2, end - colon - 2));
    lines.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace

std::string digest_of(std::initializer_list<std::string_view> parts) {
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  bool is_well = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (const std::string_view part : parts) {
    const std::string size = fmt::format("{}:", part.size());
    is_well = is_well && EVP_DigestUpdate(context.get(), size.data(), size.size()) == 1 &&
              EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1;
  }
  if (!is_well || EVP_DigestFinal_ex(context.get(), bytes.data(), nullptr) != 1)
    throw Error(ErrorCode::kUnavailable, "the system made no digest of a request");
  return hex(bytes.data(), 16);
}

std::string idempotency_key(const Request& request) {
  std::string_view key = request.idempotency_key;
  if (key.size() >= 2 && key.front() == '"' && key.back() == '"')
    key = key.substr(1, key.size() - 2);
  const bool is_plain = std::all_of(
      key.begin(), key.end(), [](char c) { return c > ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (key.empty() || key.size() > kLongestKey || !is_plain)
    throw Problem(400, "bad_idempotency_key",
                  fmt::format("an Idempotency-Key has 1 to {} printable characters of ASCII, and "
                              "neither blanks, quotes nor backslashes",
                              kLongestKey))
        .hint("Draw a UUID for each request, and send it again with the same request only.");
  return std::string(key);
}

RememberedAnswers::RememberedAnswers(const std::string& database)
    : database_(database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE),
      find_((database_.run(SqliteDatabase::kSetUp), database_.run(kAnswerTable),
             database_.prepare(kFindAnswer))),
      add_(database_.prepare(kAddAnswer)),
      fill_(database_.prepare(kFillAnswer)),
      prune_(database_.prepare(kPruneAnswers)),
      prune_client_(database_.prepare(kPruneClient)),
      forget_(database_.prepare(kForgetIndex)) {}

void RememberedAnswers::forget_index(std::string_view name) {
  const std::lock_guard lock(database_.mutex);
  database_.bind_text(forget_, 1, name);
  database_.step(forget_);
}

std::optional<RememberedAnswers::Answer> RememberedAnswers::find(const std::string& client,
                                                                 const std::string& key) {
  const std::lock_guard lock(database_.mutex);
  database_.bind_text(find_, 1, client);
  database_.bind_text(find_, 2, key);
  database_.bind(find_, 3, now() - kRememberedSeconds);
  const SqliteDatabase::Reset at_the_end(find_);
  if (!database_.step(find_)) return std::nullopt;
  return Answer{database_.text(find_, 0),
                {sqlite3_column_int(find_.get(), 1), database_.text(find_, 2),
                 database_.text(find_, 4), split(database_.text(find_, 3))}};
}

void RememberedAnswers::store(const std::string& client, const std::string& key,
                              const std::string& index, const std::string& fingerprint,
                              const Response& response) {
  const std::lock_guard lock(database_.mutex);
  database_.in_one_step([&] {
    const bool is_place = response.status == 0;
    const SqliteDatabase::Statement& to = is_place ? add_ : fill_;
    const std::string headers = joined(response.headers);
    database_.bind_text(to, 1, client);
    database_.bind_text(to, 2, key);
    database_.bind_text(to, 3, fingerprint);
    database_.bind(to, 4, now());
    database_.bind(to, 5, std::int64_t{response.status});
    database_.bind_text(to, 6, response.content_type);
    database_.bind_text(to, 7, headers);
    database_.bind_bytes(to, 8, response.body);
    database_.bind_text(to, 9, index);
    database_.step(to);
    if (!is_place) return;  // room was made with the place
    database_.bind_text(prune_client_, 1, client);
    database_.bind(prune_client_, 2, kMostAnswersOfOne);
    database_.step(prune_client_);
    database_.bind(prune_, 1, now() - kRememberedSeconds);
    database_.bind(prune_, 2, kMostAnswers);
    database_.step(prune_);
  });
}

Response RememberedAnswers::once(const std::string& client, const Request& request,
                                 const std::function<Response()>& work) {
  const std::string key = idempotency_key(request);
  const std::string fingerprint =
      digest_of({request.method, request.target, request.content_type, request.body});
  const auto place = [&] {
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = under_way_.emplace(client, key);
    if (!is_new)
      throw Problem(409, "request_under_way",
                    "a request with this Idempotency-Key has not been answered yet")
          .retry_after(1)
          .hint("Send it again a little later: then it has the answer of the first.");
    return at;
  }();
  // Others with this key are refused until the answer is remembered.
  struct Leave {
    ~Leave() {
      const std::lock_guard lock(of.mutex_);
      of.under_way_.erase(place);
    }
    RememberedAnswers& of;
    decltype(under_way_)::iterator place;
  } leave{*this, place};
  if (auto answer = find(client, key)) {
    if (answer->fingerprint != fingerprint)
      throw Problem(422, "idempotency_key_reused",
                    "this Idempotency-Key belongs to another request of the last 24 hours")
          .hint("Draw a key for each request.");
    answer->response.headers.emplace_back("Idempotency-Replayed", "true");
    return std::move(answer->response);
  }
  const std::string index =
      request.path.size() > 2 && request.path[1] == "indexes" ? request.path[2] : std::string();
  store(client, key, index, fingerprint, {0});
  Response response = work();
  const bool is_short = !response.more && response.body.size() <= kLargestAnswer;
  if (response.status >= 300 || !is_short) return response;
  try {
    store(client, key, index, fingerprint, response);
  } catch (const Error&) {
    // It was carried out, and this is its answer. Only a repetition would be carried out again.
  }
  return response;
}

}  // namespace benzer::server
