// Checks which key may do what. The server knows only the hashes of keys.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benzer::server {

enum class Scope { kNone, kRead, kWrite, kAdmin };  // each may do what those before it may
std::string_view name_of(Scope scope) noexcept;

// What the owner of a key may do. Immutable.
struct Key {
  Scope scope = Scope::kNone;
  std::string id;                          // tells keys apart; empty if no key is needed
  std::string name;                        // for the log; empty if it has none
  std::vector<std::string> indexes;        // the only ones that it is for; empty: all
  std::optional<std::int64_t> expires_at;  // seconds since 1970 from which on it is not valid
  std::string expires;                     // as the file has it, "2027-01-31"

  bool is_for(std::string_view index) const;
};

// Threads: immutable after the last add(); share freely.
class Keys {
 public:
  // Reads lines "SCOPE SHA256 [name=NAME] [indexes=A,B] [expires=2027-01-31] [# note]", with the
  // hash of the key in hexadecimal digits. Blank lines, and lines that begin with '#', are skipped.
  // Throws Error(kBadInput), also if others than the owner may read the file, or Error(kNotFound).
  static Keys read(const std::string& file);
  // Without any key every client may do everything, so the server listens on loopback only.
  bool empty() const noexcept { return keys_.empty(); }
  void add(Scope scope, std::string_view key);

  // The key of the header "Authorization: Bearer KEY", or null if it is not valid at this time
  // (seconds since 1970). Of several lines for one key, the one with the largest scope. Takes the
  // same time for every key, so that the time does not reveal parts of a valid one.
  std::shared_ptr<const Key> find(std::string_view authorization, std::int64_t now) const;

 private:
  struct Row {
    std::array<std::uint8_t, 32> hash;
    std::shared_ptr<const Key> key;
  };
  void add(const std::array<std::uint8_t, 32>& hash, Key key);

  std::vector<Row> keys_;
};

// Throws Error(kBadInput) if the mode of the file has one of these bits: others may use it, who are
// not to know its secret. what: says so, "others may use it".
void check_private(const std::string& file, unsigned bits, std::string_view what);

// Two hexadecimal digits for each byte.
std::string hex(const std::uint8_t* bytes, std::size_t size);

struct NewKey {
  std::string key;   // for the client
  std::string line;  // for the file
};
NewKey new_key(Scope scope);

}  // namespace benzer::server
