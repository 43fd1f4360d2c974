#include "keys.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include "benzer/error.h"

namespace benzer::server {
namespace {

using Hash = std::array<std::uint8_t, 32>;

Hash hash_of(std::string_view key) {
  Hash out;
  SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), out.data());
  return out;
}

std::string hex(const std::uint8_t* bytes, std::size_t size) {
  std::string out;
  for (std::size_t i = 0; i < size; ++i) out += fmt::format("{:02x}", bytes[i]);
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

std::string_view name_of(Scope scope) noexcept {
  constexpr std::array<std::string_view, 4> kNames = {"none", "read", "write", "admin"};
  return kNames[static_cast<std::size_t>(scope)];
}

Keys Keys::read(const std::string& file) {
  std::ifstream in(file);
  if (!in)
    throw Error(ErrorCode::kNotFound, Subject::file(file),
                fmt::format("the keys cannot be read: {}", std::strerror(errno)));
  Keys out;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t blank = line.find(' ');
    const auto hash =
        blank == line.npos ? std::nullopt : read_hash(std::string_view(line).substr(blank + 1, 64));
    bool found = false;
    for (const Scope scope : kScopes)
      if (hash && line.substr(0, blank) == name_of(scope)) {
        out.keys_.push_back({scope, *hash});
        found = true;
      }
    if (!found)
      throw Error(ErrorCode::kBadInput, Subject::place(file, number), "this line is not a key",
                  "give read, write or admin, a blank, and the SHA-256 of the key (benzer serve " +
                      Parameter{"new_key", "SCOPE"} + " prints one)");
  }
  if (out.empty()) throw Error(ErrorCode::kBadInput, Subject::file(file), "it contains no keys");
  return out;
}

void Keys::add(Scope scope, std::string_view key) { keys_.push_back({scope, hash_of(key)}); }

Scope Keys::scope_of(std::string_view authorization) const {
  constexpr std::string_view kBearer = "bearer ";
  if (authorization.size() < kBearer.size()) return Scope::kNone;
  for (std::size_t i = 0; i < kBearer.size(); ++i)
    if ((authorization[i] | 0x20) != kBearer[i]) return Scope::kNone;
  authorization.remove_prefix(kBearer.size());
  while (authorization.starts_with(' ')) authorization.remove_prefix(1);
  const Hash hash = hash_of(authorization);
  Scope out = Scope::kNone;
  for (const Key& key : keys_)
    if (CRYPTO_memcmp(hash.data(), key.hash.data(), hash.size()) == 0)
      out = std::max(out, key.scope);
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
