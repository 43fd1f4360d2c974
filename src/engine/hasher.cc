#include "engine/hasher.h"

#include <algorithm>
#include <bitset>

#include "features/config_text.h"

namespace benzer {
namespace {

using internal::quoted;

// The upper halves of keys that may meet one another: each once, and the mark where there is none.
void keep_different(std::vector<std::uint64_t>& scratch, std::vector<std::uint32_t>& keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto half = static_cast<std::uint32_t>(scratch[i] >> 32);
    keys[i] = scratch[i] == kNoKey ? kNoStoreKey : std::min(half, kNoStoreKey - 1);
  }
  std::sort(keys.begin(), keys.end());
  const auto end = std::unique(keys.begin(), keys.end());
  std::fill(end, keys.end(), kNoStoreKey);
}

}  // namespace

Hasher::Hasher(const Schema& completed) : schema_(completed) {
  for (const FieldSpec& field : schema_.fields)
    parts_.push_back({FeatureExtractor(field.features), MinHasher(schema_.sketch, field.features)});
}

HashLayout Hasher::layout() const noexcept {
  const auto fields = static_cast<std::uint32_t>(schema_.fields.size());
  const auto bands = static_cast<std::uint32_t>(schema_.banding->bands);
  // Slots without positions cannot be compared cut.
  if (!schema_.sketch.has_positions()) return {fields, bands, 0, true};
  return {fields, bands, static_cast<std::uint32_t>(schema_.sketch.slots)};
}

std::string Hasher::check(const Document& document, bool needs_id) const {
  if (needs_id && document.id.empty()) return "the document has no id; each needs one of its own";
  if (document.id.size() > kLongestId)
    return fmt::format("the id {} has {} bytes; allowed are {}", quoted(document.id),
                       document.id.size(), kLongestId);
  std::bitset<Schema::kMostFields> seen;
  for (const Field& field : document.fields) {
    const std::optional<std::size_t> number = schema_.find(field.name);
    if (!number)
      return fmt::format("the document has a field {} that the schema does not have: {}",
                         quoted(field.name), schema_.str());
    if (seen[*number])
      return fmt::format("the document has the field {} twice", quoted(field.name));
    seen.set(*number);
    const bool is_text = schema_.fields[*number].features.is_text();
    if (is_text && !field.values.empty())
      return fmt::format("the field {} is a text, and the document has values there",
                         quoted(field.name));
    if (!is_text && !field.text.empty())
      return fmt::format("the field {} is a value set, and the document has a text there",
                         quoted(field.name));
  }
  return {};
}

void Hasher::hash(const Document& document, Scratch& scratch, DocumentHashes& out) const {
  out.id = document.id;
  std::size_t count = 0;  // fields of out: what the last document had is overwritten in place
  scratch.slots.resize(static_cast<std::size_t>(schema_.sketch.slots));
  scratch.keys.resize(static_cast<std::size_t>(schema_.banding->bands));
  for (const Field& field : document.fields) {
    const std::size_t number = *schema_.find(field.name);
    const FieldPart& part = parts_[number];
    if (schema_.fields[number].features.is_text()) {
      part.extractor.extract(field.text, scratch.buffer);
    } else {
      const std::vector<std::string_view> values(field.values.begin(), field.values.end());
      part.extractor.extract_values(values, scratch.buffer);
    }
    const std::span<const std::uint64_t> features = scratch.buffer.features();
    if (features.empty()) continue;
    if (count == out.fields.size()) out.fields.emplace_back();
    FieldHashes& hashes = out.fields[count++];
    hashes.field = static_cast<std::uint32_t>(number);
    const FeatureSet unique(features);
    hashes.features.assign(unique.features().begin(), unique.features().end());
    part.minhasher.sketch(features, scratch.slots);
    hashes.keys.resize(scratch.keys.size());
    if (!schema_.sketch.has_positions()) {
      value_keys(scratch.slots, scratch.keys);
      keep_different(scratch.keys, hashes.keys);
      hashes.cut.clear();
      continue;
    }
    schema_.banding->keys(scratch.slots, scratch.keys);
    std::transform(scratch.keys.begin(), scratch.keys.end(), hashes.keys.begin(),
                   [](std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); });
    hashes.cut.assign((scratch.slots.size() + 1) / 2, 0);
    for (std::size_t slot = 0; slot < scratch.slots.size(); ++slot)
      hashes.cut[slot / 2] = static_cast<std::uint8_t>(
          hashes.cut[slot / 2] | (scratch.slots[slot] & 0xF) << (slot % 2 * 4));
  }
  out.fields.resize(count);
  std::sort(out.fields.begin(), out.fields.end(),
            [](const FieldHashes& x, const FieldHashes& y) { return x.field < y.field; });
}

}  // namespace benzer
