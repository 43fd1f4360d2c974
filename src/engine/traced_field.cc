#include "engine/traced_field.h"

#include <algorithm>
#include <string_view>

namespace benzer {
namespace {

constexpr std::size_t kFollowedBytes = 256 << 10;

}  // namespace

TracedField trace_field(const FeatureExtractor& extractor, const Field& field) {
  TracedField out;
  out.is_text = extractor.spec().is_text();
  if (out.is_text) {
    out.text = extractor.readable(field.text);
    out.text.resize(std::min(out.text.size(), kFollowedBytes));
    for (const TextTrace::Shingle& shingle : extractor.trace_readable(out.text).shingles)
      out.pieces.push_back({shingle.feature, shingle.begin, shingle.end});
    return out;
  }
  const std::vector<std::string_view> values(field.values.begin(), field.values.end());
  FeatureBuffer buffer;
  extractor.extract_values(values, buffer);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t begin = out.text.size();
    out.text += values[i];
    out.pieces.push_back({buffer.features()[i], begin, out.text.size()});
  }
  return out;
}

}  // namespace benzer
