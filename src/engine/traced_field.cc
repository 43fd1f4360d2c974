#include "engine/traced_field.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace benzer {

TracedField trace_field(const FeatureExtractor& extractor, const Field& field,
                        std::size_t most_bytes) {
  TracedField out;
  out.is_text = extractor.spec().text() != nullptr;
  if (out.is_text) {
    out.text = extractor.readable(field.text);
    out.text.resize(std::min(out.text.size(), most_bytes));
    const TextTrace trace = extractor.trace_readable(out.text);
    out.is_short = trace.is_short;
    for (const TextTrace::Shingle& shingle : trace.shingles)
      out.pieces.push_back({shingle.feature, shingle.begin, shingle.end});
    return out;
  }
  std::vector<std::string_view> values;
  std::size_t bytes = 0;
  for (const std::string& value : field.values) {
    bytes += value.size() + 1;  // with the end of its line
    if (bytes > most_bytes) break;
    values.emplace_back(value);
  }
  TextTrace trace = extractor.trace_values(values);
  out.text = std::move(trace.readable);
  for (const TextTrace::Shingle& value : trace.shingles)
    out.pieces.push_back({value.feature, value.begin, value.end});
  return out;
}

}  // namespace benzer
