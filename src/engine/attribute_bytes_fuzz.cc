// Fuzzes the reading of attributes as a store keeps them: whatever the bytes are, what is read must
// be attributes of the schema that can be written again, and no condition may be met by damage.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fuzz_require.h"
#include "engine/attributes.h"

namespace {

using benzer::require;

const benzer::Schema& schema() {
  static const benzer::Schema all = benzer::Schema::parse(
      "text=text:word1 | lang=string | price=number | seen=time | live=boolean | note=string | "
      "expires_at=time;ttl=30d");
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const benzer::AttributeCodec codec(schema());
  static const benzer::AttributeFilter filters[] = {
      benzer::AttributeFilter(schema()),
      benzer::AttributeFilter(schema(), {benzer::Condition::parse("lang in en,de"),
                                         benzer::Condition::parse("price < 10")}),
      benzer::AttributeFilter(schema(), {benzer::Condition::parse("seen >= 2026-11-01"),
                                         benzer::Condition::parse("live != false")})};
  // A copy of exactly this size, so that the address sanitizer sees reads beyond it.
  const std::vector<char> exact(data, data + size);
  const std::string_view bytes(exact.data(), exact.size());
  const std::vector<benzer::Attribute> read = codec.decode(bytes);
  std::string written;
  const std::string problem = codec.encode(read, std::nullopt, written);
  // U+FFFD takes three bytes in place of one.
  require(problem.empty() || size > benzer::kLongestAttributes / 3);
  if (!problem.empty()) return 0;
  require(codec.decode(written) == read);
  for (const benzer::AttributeFilter& filter : filters)
    require(!filter.passes(bytes) || filter.passes(written));
  std::string changed(bytes);
  if (!codec.change({{"price", "9.5"}, {"note", "new"}}, {"lang"}, changed).empty()) return 0;
  std::size_t set = 0;
  for (const benzer::Attribute& attribute : codec.decode(changed)) {
    require(attribute.name != "lang");
    set += attribute.name == "price" && attribute.value == "9.5";
    set += attribute.name == "note" && attribute.value == "new";
  }
  require(set == 2);
  return 0;
}
