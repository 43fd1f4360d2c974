#include "features/shingle_bytes.h"

#include "benzer/classics/scala.h"

namespace benzer::internal {

std::uint64_t of_djb2a(std::string_view bytes) noexcept {
  return of_four_bytes(static_cast<std::uint32_t>(classics::scala::djb2a(bytes)));
}

}  // namespace benzer::internal
