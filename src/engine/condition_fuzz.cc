// Fuzzes the grammar of attributes, conditions on them and times to live: any text must be read or
// refused with an Error, and what is read must have a spelling that reads the same.
#include <cstdint>
#include <string_view>

#include "benzer/attributes.h"

#include "base/fuzz_require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  benzer::require_round_trip(text, benzer::Condition::parse);
  benzer::require_round_trip(text, benzer::AttributeSpec::parse);
  try {
    benzer::require(benzer::parse_ttl(text) > 0);
  } catch (const benzer::Error& error) {
    benzer::require(error.code() == benzer::ErrorCode::kInvalidArgument);
  }
  return 0;
}
