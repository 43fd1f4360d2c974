// Who may do what: keys, of which the server knows only hashes.
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
  // Lines "SCOPE SHA256", with the hash of the key in hexadecimal digits; blank lines, and those
  // that begin with '#', are skipped. Throws Error(kBadInput), Error(kNotFound).
  static Keys read(const std::string& file);
  // Without any key everybody may do everything: for loopback only.
  bool empty() const noexcept { return keys_.empty(); }
  void add(Scope scope, std::string_view key);

  // What the header "Authorization: Bearer KEY" allows. Takes as long for any key.
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
