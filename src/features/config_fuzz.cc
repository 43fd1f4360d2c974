// Fuzzes the grammar of configurations: any text must be read or refused with an Error, and what is
// read must have a spelling that reads the same.
#include <cstdint>
#include <string_view>

#include "benzer/config.h"
#include "benzer/research/register.h"

#include "base/fuzz_require.h"
#include "features/text_rules_test_util.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  benzer::register_research();
  benzer::register_test_rules();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  benzer::require_round_trip(text, benzer::Config::parse);
  benzer::require_round_trip(text, benzer::FeatureSpec::parse);
  benzer::require_round_trip(text, benzer::SketchSpec::parse);
  benzer::require_round_trip(text, benzer::parse_banding);
  return 0;
}
