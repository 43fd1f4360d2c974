// Fuzzes the reading of document frequencies, which come from files and from clients: whatever the
// bytes are, what is read must be written the same again, and give weights.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <xxhash.h>

#include "benzer/error.h"
#include "benzer/features.h"

#include "base/fuzz_require.h"

namespace {

using benzer::DocumentFrequencies;
using benzer::require;

void check(const std::vector<char>& bytes) {
  try {
    const auto read = DocumentFrequencies::parse({bytes.data(), bytes.size()}, "x");
    require(read->bytes() == std::string_view(bytes.data(), bytes.size()));
    const std::string spelling = read->features() + "+tf-idf@" + read->mark();
    require(benzer::FeatureSpec::parse(spelling).frequencies == read);
    for (const std::uint64_t feature : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}}) {
      require(read->frequency(feature) >= 1 && read->frequency(feature) <= read->documents());
      require(read->weight(feature) >= 1'000'000 && read->weight(feature) <= 32'000'000);
    }
  } catch (const benzer::Error& error) {
    require(error.code() == benzer::ErrorCode::kBadInput ||
            error.code() == benzer::ErrorCode::kInvalidArgument);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A copy of exactly this size, so that the address sanitizer sees reads beyond it.
  std::vector<char> bytes(data, data + size);
  check(bytes);
  // The same with a checksum that fits, which a fuzzer does not find.
  const std::uint64_t checksum = XXH3_64bits(bytes.data(), bytes.size());
  const auto* of_checksum = reinterpret_cast<const char*>(&checksum);
  bytes.insert(bytes.end(), of_checksum, of_checksum + sizeof checksum);
  check(bytes);
  return 0;
}
