#include "engine/hasher.h"

#include <algorithm>
#include <bitset>
#include <cerrno>

#include "benzer/runtime.h"

#include "base/file.h"
#include "base/image_file.h"
#include "base/weight.h"
#include "engine/hash_keys.h"
#include "features/config_text.h"
#include "image/decoder.h"
#include "store/sampled_keys.h"

namespace benzer {
namespace {

using internal::in_quotes;

// Reads the file. Returns why it cannot be read; empty if it was read.
std::string read_image(const std::string& path, std::string& out) {
  FileHandle file;
  // Opening a pipe must not wait for a writer; the pipe is refused below.
  if (const int error = open_to_stream(path, file)) return system_message(error);
  struct stat status{};
  if (file_system().fstat(file.get(), &status) != 0) return system_message(errno);
  if (!S_ISREG(status.st_mode)) return "it is not a regular file";
  // The size may change meanwhile: at most this many bytes are read, and fewer are accepted.
  const std::uint64_t size = identity_of(status).size;
  if (size > kMostImageFileBytes)
    return fmt::format("it has more than {} bytes, which is what is allowed", kMostImageFileBytes);
  out.resize(static_cast<std::size_t>(size));
  std::size_t got = 0;
  if (const int error = pread_fully(file.get(), out.data(), out.size(), 0, &got))
    return system_message(error);
  out.resize(got);
  return {};
}

// Returns what is wrong with the weights of a field, as a sentence; empty if nothing is.
std::string problem_of_weights(const Field& field, const FeatureSpec& features) {
  if (field.weights.empty()) return {};
  if (!features.takes_weights())
    return fmt::format("the field {} has no weights, and the document has some there",
                       in_quotes(field.name));
  if (field.weights.size() != field.values.size())
    return fmt::format("the field {} has {} values and {} weights; each value has one, or none has",
                       in_quotes(field.name), field.values.size(), field.weights.size());
  const auto fault = find_weight_fault(field.weights);
  if (!fault) return {};
  return fmt::format(
      "the {} in the field {} {}",
      fault->place ? "weight of " + in_quotes(field.values[*fault->place]) : "sum of the weights",
      in_quotes(field.name), fault->problem);
}

// Sets `keys` to the upper halves of the keys in `scratch`, ascending and each once, followed by
// kNoStoreKey in place of those that are missing.
void keep_different(std::vector<std::uint64_t>& scratch, std::vector<std::uint32_t>& keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto half = static_cast<std::uint32_t>(scratch[i] >> 32);
    keys[i] = scratch[i] == kNoKey ? kNoStoreKey : std::min(half, kNoStoreKey - 1);
  }
  std::sort(keys.begin(), keys.end());
  const auto end = std::unique(keys.begin(), keys.end());
  std::fill(end, keys.end(), kNoStoreKey);
}

// The problem of a document, which names it if it has an id.
std::string named(const Document& document, const std::string& problem) {
  return document.id.empty() ? problem : fmt::format("{}: {}", in_quotes(document.id), problem);
}

}  // namespace

Hasher::Hasher(const Schema& completed) : schema_(completed) {
  for (const FieldSpec& field : schema_.fields)
    parts_.push_back({FeatureExtractor(field.features), MinHasher(schema_.sketch, field.features)});
}

namespace {

HashLayout layout_of_fields(const Schema& schema) noexcept {
  const auto fields = static_cast<std::uint32_t>(schema.fields.size());
  if (schema.keys)
    return {.fields = fields, .bands = 0, .slots = 0, .one_table = true, .sampling = schema.keys};
  const auto bands = static_cast<std::uint32_t>(schema.banding->bands);
  if (has_hashes(schema)) {
    // A cut signature must have room for an image hash.
    constexpr std::uint32_t kSlotsOfHash = 2 * sizeof(ImageHash::words);
    const auto slots = static_cast<std::uint32_t>(schema.sketch.slots);
    return {fields, std::max(bands, hash_bands(schema)),
            has_only_hashes(schema) ? kSlotsOfHash : std::max(slots, kSlotsOfHash), false, true};
  }
  // Slots without positions cannot be compared once they are cut, so no cut signature is kept.
  if (!schema.sketch.has_positions()) return {fields, bands, 0, true};
  return {fields, bands, static_cast<std::uint32_t>(schema.sketch.slots)};
}

}  // namespace

HashLayout layout_of(const Schema& schema) noexcept {
  HashLayout out = layout_of_fields(schema);
  out.attributes = !schema.attributes.empty();
  return out;
}

std::string Hasher::check(const Document& document, bool needs_id) const {
  if (needs_id && document.id.empty()) return "the document has no id; each needs one of its own";
  if (document.id.size() > kLongestId)
    return fmt::format("the id {} has {} bytes; allowed are {}", in_quotes(document.id),
                       document.id.size(), kLongestId);
  std::bitset<Schema::kMostFields> seen;
  for (const Field& field : document.fields) {
    const std::optional<std::size_t> number = schema_.find(field.name);
    if (!number)
      return fmt::format("the document has a field {} that the schema does not have: {}",
                         in_quotes(field.name), schema_.str());
    if (seen[*number])
      return fmt::format("the document has the field {} twice", in_quotes(field.name));
    seen.set(*number);
    const FeatureSpec& features = schema_.fields[*number].features;
    if (!features.values() && !field.values.empty())
      return fmt::format("the field {} is {}, and the document has values there",
                         in_quotes(field.name), features.text() ? "a text" : "an image");
    if (std::string problem = problem_of_weights(field, features); !problem.empty()) return problem;
    if (features.values() && !field.text.empty())
      return fmt::format("the field {} is a value set, and the document has a text there",
                         in_quotes(field.name));
    if (!features.image() && !field.file.empty())
      return fmt::format("the field {} is not an image, and the document has an image file there",
                         in_quotes(field.name));
  }
  return {};
}

void Hasher::check_queries(const std::vector<Document>& documents, QueryProblems& problems) const {
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::string problem = check(documents[i], false);
    if (!problem.empty()) problems.add(i, ErrorCode::kInvalidArgument, problem);
  }
}

std::string Hasher::extract(const Field& field, std::size_t number, FeatureBuffer& out) const {
  const FeatureExtractor& extractor = parts_[number].extractor;
  if (extractor.spec().values()) {
    const std::vector<std::string_view> values(field.values.begin(), field.values.end());
    extractor.extract_values(values, out, field.weights);
    return {};
  }
  std::string bytes;
  if (!field.file.empty()) {
    const std::string problem = read_image(field.file, bytes);
    if (!problem.empty())
      return fmt::format("the field {}: the image {} cannot be read: {}", in_quotes(field.name),
                         in_quotes(field.file), problem);
  }
  try {
    extractor.extract(field.file.empty() ? std::string_view(field.text) : bytes, out);
  } catch (const Error& error) {
    // The text is too long, or a rule of the user fails on it; other documents may be fine.
    if (error.code() != ErrorCode::kBadInput) throw;
    return fmt::format("the field {}: {}", in_quotes(field.name), error.what());
  }
  if (out.problem().empty()) return {};
  return fmt::format("the field {} holds no image{}: {}", in_quotes(field.name),
                     field.file.empty() ? "" : fmt::format(" ({})", in_quotes(field.file)),
                     out.problem());
}

std::string Hasher::hash(const Document& document, Scratch& scratch, DocumentHashes& out) const {
  const std::string wrong = codec_.encode(document.attributes, utc_now(), out.attributes);
  if (!wrong.empty()) return named(document, wrong);
  return hash_fields(document, scratch, out);
}

std::string Hasher::hash_query(const Document& document, Scratch& scratch,
                               DocumentHashes& out) const {
  out.attributes.clear();
  return hash_fields(document, scratch, out);
}

Hasher::Queries Hasher::hash_queries(const std::vector<Document>& documents, std::size_t begin,
                                     std::size_t end, Scratch& scratch,
                                     QueryProblems& problems) const {
  Queries out;
  for (std::size_t i = begin; i < end; ++i) {
    if (problems.has(i)) continue;
    DocumentHashes hashes;
    const std::string problem = hash_query(documents[i], scratch, hashes);
    if (!problem.empty()) {
      problems.add(i, ErrorCode::kBadInput, problem);
      continue;
    }
    out.hashes.push_back(std::move(hashes));
    out.documents.push_back(&documents[i]);
  }
  return out;
}

std::string Hasher::hash_fields(const Document& document, Scratch& scratch,
                                DocumentHashes& out) const {
  out.id = document.id;
  std::size_t count = 0;  // fields of `out` so far; those of the last document are overwritten
  scratch.slots.resize(static_cast<std::size_t>(schema_.sketch.slots));
  scratch.keys.resize(static_cast<std::size_t>(schema_.banding ? schema_.banding->bands : 0));
  const HashLayout layout = this->layout();
  for (const Field& field : document.fields) {
    throw_if_stopped(scratch.stop);
    const std::size_t number = *schema_.find(field.name);
    const FieldPart& part = parts_[number];
    const std::string problem = extract(field, number, scratch.buffer);
    if (!problem.empty()) return named(document, problem);
    const std::span<const std::uint64_t> features = scratch.buffer.features();
    if (features.empty()) continue;
    if (count == out.fields.size()) out.fields.emplace_back();
    FieldHashes& hashes = out.fields[count++];
    hashes.field = static_cast<std::uint32_t>(number);
    const FeatureSet unique(features);
    hashes.features.assign(unique.features().begin(), unique.features().end());
    if (layout.sampling) {
      restore_keys(layout, hashes);
      hashes.cut.clear();
      continue;
    }
    if (schema_.fields[number].features.comparison() == Comparison::kHashes) {
      set_hash_keys(hashes.features, layout, hashes);
      continue;
    }
    part.minhasher.sketch(unique.features(), scratch.slots, scratch.stop);
    hashes.keys.resize(scratch.keys.size());
    if (!schema_.sketch.has_positions()) {
      value_keys(scratch.slots, scratch.keys);
      keep_different(scratch.keys, hashes.keys);
      hashes.cut.clear();
      continue;
    }
    schema_.banding->keys(scratch.slots, scratch.keys);
    const std::uint32_t last = layout.gaps ? kNoStoreKey - 1 : kNoStoreKey;
    std::transform(
        scratch.keys.begin(), scratch.keys.end(), hashes.keys.begin(),
        [&](std::uint64_t key) { return std::min(static_cast<std::uint32_t>(key >> 32), last); });
    hashes.keys.resize(layout.bands, kNoStoreKey);
    hashes.cut.assign(layout.cut_bytes(), 0);
    for (std::size_t slot = 0; slot < scratch.slots.size(); ++slot)
      hashes.cut[slot / 2] = static_cast<std::uint8_t>(
          hashes.cut[slot / 2] | (scratch.slots[slot] & 0xF) << (slot % 2 * 4));
  }
  out.fields.resize(count);
  std::sort(out.fields.begin(), out.fields.end(),
            [](const FieldHashes& x, const FieldHashes& y) { return x.field < y.field; });
  return {};
}

}  // namespace benzer
