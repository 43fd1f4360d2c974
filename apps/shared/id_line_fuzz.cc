// Checks that any bytes as an id become one line without control characters that is read back as
// the same id, and that any bytes as a line are either refused or an id that is printed and read
// back unchanged.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "benzer/error.h"

#include "id_line.h"

namespace {

void require(bool condition) {
  if (!condition) __builtin_trap();
}

void check_round_trip(std::string_view id) {
  std::string line;
  benzer::apps::append_id_line(id, line);
  require(line.ends_with('\n'));
  line.pop_back();
  require(std::none_of(line.begin(), line.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }));
  require(benzer::apps::id_of_line(line) == id);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_round_trip(bytes);
  try {
    check_round_trip(benzer::apps::id_of_line(bytes));
  } catch (const benzer::Error&) {
    // It begins with a quote, and is not a JSON string.
  }
  return 0;
}
