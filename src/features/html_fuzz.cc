// Fuzzes the removal of markup: any bytes must become a text that is not longer, and the features
// of the page must be those of that text.
//
// The first byte of the input chooses the features, the rest is the page.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/features.h"

#include "base/fuzz_require.h"
#include "features/unicode.h"

namespace {

using benzer::require;

std::uint64_t invalid_sequences(std::string_view text) {
  std::uint64_t replaced = 0;
  for (std::size_t at = 0; at < text.size();) benzer::internal::next_code_point(text, at, replaced);
  return replaced;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using benzer::FeatureExtractor;
  using benzer::FeatureSpec;
  static const FeatureExtractor pages[] = {FeatureExtractor(FeatureSpec::parse("text:word2+html")),
                                           FeatureExtractor(FeatureSpec::parse("text:char3+html"))};
  static const FeatureExtractor texts[] = {FeatureExtractor(FeatureSpec::parse("text:word2")),
                                           FeatureExtractor(FeatureSpec::parse("text:char3"))};
  if (size == 0) return 0;
  const std::size_t chosen = data[0] % std::size(pages);
  // A copy of exactly this size, so that the address sanitizer sees reads beyond the text.
  const std::vector<char> exact(data + 1, data + size);
  const std::string_view page(exact.data(), exact.size());

  const std::string text = pages[chosen].readable(page);
  require(text.size() <= page.size());
  if (invalid_sequences(page) == 0) require(invalid_sequences(text) == 0);
  for (const char c : text) require(c != '\t' && c != '\r' && c != '\f');
  require(text.find("  ") == std::string::npos && text.find("\n\n") == std::string::npos);
  require(text.empty() || (text.front() != ' ' && text.back() != ' ' && text.back() != '\n'));

  benzer::FeatureBuffer of_page, of_text;
  pages[chosen].extract(page, of_page);
  texts[chosen].extract(text, of_text);
  require(std::ranges::equal(of_page.features(), of_text.features()));
  require(of_page.is_short() == of_text.is_short() && of_page.replaced() == of_text.replaced());
  const benzer::TextTrace trace = pages[chosen].trace(page);
  require(trace.readable == text && trace.shingles.size() == of_page.features().size());
  return 0;
}
