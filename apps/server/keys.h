// Checks which key may do what. The server knows only the hashes of keys.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace benzer::server {

enum class Scope { kNone, kRead, kWrite, kAdmin };  // each may do what those before it may
std::string_view name_of(Scope scope) noexcept;

class Keys {
 public:
  // Reads lines "SCOPE SHA256", with the hash of the key in hexadecimal digits. Blank lines, and
  // lines that begin with '#', are skipped. Throws Error(kBadInput) or Error(kNotFound).
  static Keys read(const std::string& file);
  // Without any key every client may do everything, so the server listens on loopback only.
  bool empty() const noexcept { return keys_.empty(); }
  void add(Scope scope, std::string_view key);

  // What the header "Authorization: Bearer KEY" allows. Takes the same time for every key, so that
  // the time does not reveal parts of a valid one.
  Scope scope_of(std::string_view authorization) const;

 private:
  struct Key {
    Scope scope;
    std::array<std::uint8_t, 32> hash;
  };
  std::vector<Key> keys_;
};

struct NewKey {
  std::string key;   // for the client
  std::string line;  // for the file
};
NewKey new_key(Scope scope);

}  // namespace benzer::server
