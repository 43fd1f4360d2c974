// Fuzzes the grammar of configurations: any text must be read or refused with an Error, and what is
// read must have a spelling that reads the same.
#include <cstdint>
#include <string_view>

#include "benzer/config.h"
#include "benzer/error.h"
#include "benzer/research/register.h"

#include "base/fuzz_require.h"

namespace {

using benzer::require;

// Parses the text, and checks that the spelling of the result parses to the same.
template <class Parse>
void round_trip(std::string_view text, Parse parse) {
  try {
    const auto value = parse(text);
    require(parse(value.str()) == value);
  } catch (const benzer::Error& error) {
    require(error.code() == benzer::ErrorCode::kInvalidArgument);
    const std::string_view sentence = error.what();
    require(!sentence.empty() &&
            !sentence.ends_with('.'));  // the program prints it after "benzer: "
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  benzer::register_research();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  round_trip(text, benzer::Config::parse);
  round_trip(text, benzer::FeatureSpec::parse);
  round_trip(text, benzer::SketchSpec::parse);
  round_trip(text, benzer::parse_banding);
  return 0;
}
