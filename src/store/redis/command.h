// Encodes commands as a server reads them, and computes the slot of a cluster in which a key is.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace benzer::redis {

inline constexpr std::uint16_t kSlots = 16384;

// CRC16 (XMODEM) of the key, or of what is between its first '{' and the next '}' if that is not
// empty, modulo 16384 (Redis cluster specification, "Key distribution model").
std::uint16_t slot_of(std::string_view key) noexcept;

// Any number of commands, each about one key.
class Pipeline {
 public:
  struct Command {
    std::size_t begin, size;  // of its bytes
    std::uint16_t slot;
  };

  // The second word is the key.
  void add(std::initializer_list<std::string_view> words);
  void clear() noexcept {
    bytes_.clear();
    commands_.clear();
  }
  std::size_t size() const noexcept { return commands_.size(); }
  bool empty() const noexcept { return commands_.empty(); }
  const std::vector<Command>& commands() const noexcept { return commands_; }
  std::string_view bytes(const Command& command) const noexcept {
    return std::string_view(bytes_).substr(command.begin, command.size);
  }

 private:
  std::string bytes_;
  std::vector<Command> commands_;
};

// Appends a command as an array of strings.
void append_command(std::initializer_list<std::string_view> words, std::string& out);

}  // namespace benzer::redis
