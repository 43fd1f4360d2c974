#include "keys.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <sys/stat.h>

#include "benzer/error.h"

#include "served_indexes.h"

namespace benzer::server {

using Hash = std::array<std::uint8_t, 32>;

namespace {

Hash hash_of(std::string_view key) {
  Hash out;
  SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), out.data());
  return out;
}

std::optional<Hash> read_hash(std::string_view digits) {
  Hash out;
  if (digits.size() != 2 * out.size()) return std::nullopt;
  for (std::size_t i = 0; i < out.size(); ++i) {
    unsigned value = 0;
    for (const char c : digits.substr(2 * i, 2)) {
      const std::size_t digit = std::string_view("0123456789abcdef").find(c);
      if (digit == std::string_view::npos) return std::nullopt;
      value = value * 16 + static_cast<unsigned>(digit);
    }
    out[i] = static_cast<std::uint8_t>(value);
  }
  return out;
}

constexpr std::array kScopes = {Scope::kRead, Scope::kWrite, Scope::kAdmin};

}  // namespace

std::string hex(const std::uint8_t* bytes, std::size_t size) {
  std::string out;
  for (std::size_t i = 0; i < size; ++i) out += fmt::format("{:02x}", bytes[i]);
  return out;
}

std::string_view name_of(Scope scope) noexcept {
  constexpr std::array<std::string_view, 4> kNames = {"none", "read", "write", "admin"};
  return kNames[static_cast<std::size_t>(scope)];
}

bool Key::is_for(std::string_view index) const {
  return indexes.empty() || std::find(indexes.begin(), indexes.end(), index) != indexes.end();
}

namespace {

// The pieces of the text between the separators.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t end = text.find(separator);
    out.push_back(text.substr(0, end));
    if (end == text.npos) return out;
    text.remove_prefix(end + 1);
  }
}

// The first second of this day, "2027-01-31" in UTC.
std::optional<std::int64_t> start_of_day(std::string_view text) {
  std::array<int, 3> parts{};
  const std::vector<std::string_view> pieces = split(text, '-');
  if (text.size() != 10 || pieces.size() != parts.size() || pieces[0].size() != 4 ||
      pieces[1].size() != 2)
    return std::nullopt;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const char* const end = pieces[i].data() + pieces[i].size();
    if (std::from_chars(pieces[i].data(), end, parts[i]).ptr != end || parts[i] < 0)
      return std::nullopt;
  }
  const std::chrono::year_month_day day{std::chrono::year{parts[0]},
                                        std::chrono::month{static_cast<unsigned>(parts[1])},
                                        std::chrono::day{static_cast<unsigned>(parts[2])}};
  if (!day.ok()) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::sys_days(day).time_since_epoch())
      .count();
}

// Reads what follows the hash. Returns false if it is not understood: a misspelt 'expires' that
// passed as a note would make a key that never ends.
bool read_settings(std::string_view text, Key& out) {
  const auto is_odd = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  if (std::any_of(text.begin(), text.end(), is_odd)) return false;  // such as a carriage return
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    if (word.starts_with('#')) return true;  // the rest is a note
    const std::size_t equals = word.find('=');
    if (equals == word.npos || equals + 1 == word.size()) return false;
    const std::string_view name = word.substr(0, equals), value = word.substr(equals + 1);
    if (name == "name" && out.name.empty()) {
      out.name = value;
    } else if (name == "indexes" && out.indexes.empty()) {
      for (const std::string_view index : split(value, ',')) {
        if (!is_index_name(index)) return false;
        out.indexes.emplace_back(index);
      }
    } else if (name == "expires" && !out.expires_at) {
      out.expires = value;
      out.expires_at = start_of_day(value);
      if (!out.expires_at) return false;
    } else {
      return false;
    }
  }
  return true;
}

std::optional<Key> read_key(std::string_view line, Hash& hash) {
  Key out;
  const std::size_t blank = line.find(' ');
  if (blank == line.npos) return std::nullopt;
  for (const Scope scope : kScopes)
    if (line.substr(0, blank) == name_of(scope)) out.scope = scope;
  line.remove_prefix(blank + 1);
  const auto read = read_hash(line.substr(0, line.find(' ')));
  if (out.scope == Scope::kNone || !read || !read_settings(line.substr(2 * hash.size()), out))
    return std::nullopt;
  hash = *read;
  return out;
}

}  // namespace

void check_private(const std::string& file, unsigned bits, std::string_view what) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      (status.st_mode & bits) == 0)
    return;
  throw Error(ErrorCode::kBadInput, Subject::file(file),
              fmt::format("{}: its mode is {:04o}", what, status.st_mode & 07777),
              "take that away (chmod 600)");
}

Keys Keys::read(const std::string& file) {
  std::ifstream in(file);
  if (!in)
    throw Error(ErrorCode::kNotFound, Subject::file(file),
                fmt::format("the keys cannot be read: {}", std::strerror(errno)));
  // Whoever can read the file learns which hashes to attack and which keys are worth it.
  check_private(file, S_IRWXG | S_IRWXO, "others than its owner may use it");
  Keys out;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.starts_with('#')) continue;
    Hash hash{};
    auto key = read_key(line, hash);
    if (!key)
      throw Error(ErrorCode::kBadInput, Subject::place(file, number), "this line is not a key",
                  "give read, write or admin, a blank, and the SHA-256 of the key (benzer serve " +
                      Parameter{"new_key", "SCOPE"} +
                      " prints one), and then, where wanted, name=NAME, indexes=A,B, "
                      "expires=YYYY-MM-DD and # with a note");
    out.add(hash, std::move(*key));
  }
  if (out.empty()) throw Error(ErrorCode::kBadInput, Subject::file(file), "it contains no keys");
  return out;
}

void Keys::add(Scope scope, std::string_view key) { add(hash_of(key), Key{.scope = scope}); }

void Keys::add(const Hash& hash, Key key) {
  key.id = hex(hash.data(), hash.size());
  keys_.push_back({hash, std::make_shared<const Key>(std::move(key))});
}

std::shared_ptr<const Key> Keys::find(std::string_view authorization, std::int64_t now) const {
  constexpr std::string_view kBearer = "bearer ";
  if (authorization.size() < kBearer.size()) return nullptr;
  for (std::size_t i = 0; i < kBearer.size(); ++i)
    if ((authorization[i] | 0x20) != kBearer[i]) return nullptr;
  authorization.remove_prefix(kBearer.size());
  while (authorization.starts_with(' ')) authorization.remove_prefix(1);
  const Hash hash = hash_of(authorization);
  std::shared_ptr<const Key> out;
  for (const Row& row : keys_)
    if (CRYPTO_memcmp(hash.data(), row.hash.data(), hash.size()) == 0 &&
        (!row.key->expires_at || now < *row.key->expires_at) &&
        (!out || row.key->scope > out->scope))
      out = row.key;
  return out;
}

NewKey new_key(Scope scope) {
  std::array<std::uint8_t, 24> random;
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1)
    throw Error(ErrorCode::kUnavailable, "the system gave no random bytes for a key");
  NewKey out;
  out.key = "bz_" + hex(random.data(), random.size());
  const Hash hash = hash_of(out.key);
  out.line = fmt::format("{} {}", name_of(scope), hex(hash.data(), hash.size()));
  return out;
}

}  // namespace benzer::server
