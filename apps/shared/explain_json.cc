#include "explain_json.h"

#include <unordered_map>

#include <fmt/format.h>

#include "benzer/similarity.h"

#include "json.h"
#include "match_json.h"

namespace benzer::apps {
namespace {

JsonArray values_json(const SingleText& document, const FeatureSpec& features) {
  JsonArray out;
  for (const ExplainedValue& value : explained_values(document, features)) {
    JsonObject entry;
    entry.add("value", value.value).add("times", value.times);
    if (features.is_weighted()) entry.add("weight", weight_of(value));
    out.raw(entry.add("feature", hex_number(value.feature)).str());
  }
  return out;
}

}  // namespace

std::string hex_number(std::uint64_t number) { return fmt::format("{:016x}", number); }

std::vector<ExplainedValue> explained_values(const SingleText& document,
                                             const FeatureSpec& features) {
  // A feature with a weight is the feature without it but for the lower 20 bits.
  const int weight_bits = features.is_weighted() ? 20 : 0;
  std::unordered_map<std::uint64_t, std::uint64_t> final_features;
  for (const std::uint64_t feature : document.features.features())
    final_features[feature >> weight_bits] = feature;
  std::vector<ExplainedValue> out;
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (const TextTrace::Shingle& value : document.trace.shingles) {
    const std::uint64_t key = value.feature >> weight_bits;
    const auto [place, is_new] = places.emplace(key, out.size());
    if (is_new) out.push_back({value.text, final_features.at(key)});
    ++out[place->second].times;
  }
  return out;
}

double weight_of(const ExplainedValue& value) {
  return weight_of_size(size_of({&value.feature, 1}, Weighting::kWeights));
}

double weight_of(const TextTrace::Shingle& shingle, const FeatureSpec& features) {
  return weight_of_size(features.frequencies->weight(shingle.feature));
}

std::string explain_json(const SingleText& document, const Config& config) {
  const TextTrace& trace = document.trace;
  JsonArray shingles, slots, keys;
  for (const TextTrace::Shingle& shingle : trace.shingles) {
    JsonObject entry;
    entry.add("text", shingle.text).add("feature", hex_number(shingle.feature));
    if (config.features.tf_idf) entry.add("weight", weight_of(shingle, config.features));
    shingles.raw(entry.str());
  }
  for (const std::uint64_t slot : document.signature.slots)
    slots.raw(json_string(hex_number(slot)));
  for (const std::uint64_t key : document.band_keys) keys.raw(json_string(hex_number(key)));
  JsonObject out;
  out.add("command", "explain").add("path", document.path).add("config", config.str());
  out.add("bytes", document.text.size());
  if (config.features.values()) {
    out.raw("values", values_json(document, config.features).str());
    out.add("features", document.features.size());
  } else {
    out.add("replaced", trace.replaced);
    if (config.features.reads_html()) out.add("readable", trace.readable);
    out.add("normalised", trace.normalised).add("words", std::span<const std::string>(trace.words));
    if (!trace.stems.empty()) out.add("stems", std::span<const std::string>(trace.stems));
    out.raw("shingles", shingles.str()).add("features", document.features.size());
    out.add("short", trace.is_short);
  }
  if (config.features.is_weighted())
    out.add("weight", weight_of_size(size_of(document.features.features(), Weighting::kWeights)));
  out.add("empty", document.features.empty());
  out.add("scheme", hex_number(document.signature.scheme)).raw("signature", slots.str());
  out.raw("band_keys", keys.str());
  return out.str() + "\n";
}

}  // namespace benzer::apps
