// Fuzzes feature extraction: for any bytes, every CPU level must yield what the definition (ICU
// over the whole text, then plain strings) yields.
//
// The first byte of the input chooses the features, the rest is the text.
#include <cstdint>
#include <string_view>
#include <vector>

#include "benzer/features.h"
#include "benzer/research/register.h"
#include "benzer/runtime.h"

#include "base/fuzz_require.h"
#include "features/stemmer.h"
#include "features/text_rules_test_util.h"

namespace {

using benzer::require;

constexpr const char* kSpecs[] = {"text:word5",
                                  "text:word1+bag",
                                  "text:word2+stop:en",
                                  "text:word3+seed:1",
                                  "text:char5",
                                  "text:char64",
                                  "text:char1+bag",
                                  "truth:w1",
                                  "truth:w3",
                                  "truth:c5",
                                  "text:shingle3+squeeze+4bytes",
                                  "text:shingle4+djb2a",
                                  "text:words2",
                                  "text:word2+stop:de+stem:de",
                                  "text:words1+bag+stem:ar",
                                  "own:ascii-words2+bag"};

// One extractor per CPU level and specification.
std::vector<std::vector<benzer::FeatureExtractor>> make_extractors() {
  benzer::register_research();
  benzer::register_test_rules();
  std::vector<std::vector<benzer::FeatureExtractor>> out;
  const benzer::CpuLevel before = benzer::active_cpu_level();
  for (const benzer::CpuLevel level : benzer::available_cpu_levels()) {
    benzer::force_cpu_level(level);
    auto& extractors = out.emplace_back();
    for (std::string_view spec : kSpecs) {
      if (!benzer::internal::has_stemming()) spec = spec.substr(0, spec.find("+stem"));
      extractors.emplace_back(benzer::FeatureSpec::parse(spec));
    }
  }
  benzer::force_cpu_level(before);
  return out;
}

// The places of words, which are found block by block, must be those of a trace.
void check_word_places(std::size_t chosen, std::string_view text) {
  static const benzer::FeatureExtractor extractors[] = {
      benzer::FeatureExtractor(benzer::FeatureSpec::parse("text:word1")),
      benzer::FeatureExtractor(benzer::FeatureSpec::parse("text:words1")),
      benzer::FeatureExtractor(benzer::FeatureSpec::parse("text:word1+stop:en"))};
  const benzer::FeatureExtractor& extractor = extractors[chosen % std::size(extractors)];
  const benzer::TextTrace trace = extractor.trace(text);
  const std::vector<benzer::TextRange> places = extractor.word_places(text);
  require(places.size() == trace.shingles.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    require(places[i].begin == trace.shingles[i].begin && places[i].end == trace.shingles[i].end);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto levels = make_extractors();
  if (size == 0) return 0;
  const std::size_t chosen = data[0] % std::size(kSpecs);
  // A copy of exactly this size, so that the address sanitizer sees reads beyond the text.
  const std::vector<char> exact(data + 1, data + size);
  const std::string_view text(exact.data(), exact.size());
  const benzer::TextTrace trace = levels[0][chosen].trace(text);
  std::size_t begin = 0, end = 0;
  for (const benzer::TextTrace::Shingle& shingle : trace.shingles) {
    require(begin <= shingle.begin && end <= shingle.end);
    require(shingle.begin <= shingle.end && shingle.end <= text.size());
    begin = shingle.begin;
    end = shingle.end;
  }
  for (const auto& extractors : levels) {
    benzer::FeatureBuffer buffer;
    extractors[chosen].extract(text, buffer);
    require(buffer.features().size() == trace.shingles.size());
    for (std::size_t i = 0; i < trace.shingles.size(); ++i) {
      require(buffer.features()[i] == trace.shingles[i].feature);
    }
    require(buffer.is_short() == trace.is_short);
    require(buffer.replaced() == trace.replaced);
    const benzer::FeatureSet set(buffer.features());
    require(set.size() <= buffer.features().size());
  }
  check_word_places(chosen, text);
  return 0;
}
