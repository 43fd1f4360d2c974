#include "benzer/internal/text.h"

#include <fmt/format.h>

namespace benzer {

std::string with_separators(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", with_separators(number), number == 1 ? one : many);
}

}  // namespace benzer
