#include "store/disk/segment_bytes.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include <xxhash.h>

#include "store/sampled_keys.h"

namespace benzer::segment_bytes {
namespace {

template <class Number>
void append_number(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class Item>
void append_list(std::string& out, const std::vector<Item>& items) {
  static_assert(std::has_unique_object_representations_v<Item>);
  out.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(Item));
}

void append_text(std::string& out, std::string_view text) {
  append_number(out, static_cast<std::uint16_t>(text.size()));
  out += text;
}

void append_names(std::string& out, const DocumentHashes& document, const HashLayout& layout) {
  append_text(out, document.id);
  if (layout.attributes) append_text(out, document.attributes);
}

// Returns the place after a text that begins at `at`.
std::size_t end_of_text(std::string_view record, std::size_t at) {
  std::uint16_t length = 0;
  std::memcpy(&length, record.data() + at, sizeof length);
  return at + sizeof length + length;
}

void seal_record(std::uint64_t place, std::string& out) {
  const std::uint64_t checksum =
      XXH3_64bits_withSeed(out.data() + kRecordChecksum, out.size() - kRecordChecksum, place);
  std::memcpy(out.data(), &checksum, sizeof checksum);
}

// Takes numbers and lists off the front of the bytes.
struct Left {
  std::span<const std::byte> bytes;
  bool ok = true;

  void raw(void* out, std::uint64_t count, std::size_t width) {
    ok = ok && count <= bytes.size() / width;
    if (!ok || count == 0) return;
    std::memcpy(out, bytes.data(), count * width);
    bytes = bytes.subspan(count * width);
  }
  template <class Number>
  Number number() {
    Number value{};
    raw(&value, 1, sizeof value);
    return value;
  }
  void skip(std::size_t count) {
    ok = ok && count <= bytes.size();
    if (ok) bytes = bytes.subspan(count);
  }
  // Makes room for that many items only if they are there.
  template <class List>
  void list(List& out, std::uint64_t count) {
    constexpr std::size_t kWidth = sizeof *out.data();
    ok = ok && count <= bytes.size() / kWidth;
    if (!ok) return;
    out.resize(count);
    raw(out.data(), count, kWidth);
  }
  void names(DocumentHashes& out, const HashLayout& layout) {
    list(out.id, number<std::uint16_t>());
    if (layout.attributes) list(out.attributes, number<std::uint16_t>());
  }
};

}  // namespace

void write_record(std::uint64_t place, DocumentNumber number, const DocumentHashes& document,
                  const HashLayout& layout, std::string& out) {
  out.assign(kRecordChecksum, '\0');
  append_number(out, number);
  std::uint64_t present = 0;
  for (const FieldHashes& field : document.fields) present |= std::uint64_t{1} << field.field;
  append_number(out, present);
  for (const FieldHashes& field : document.fields) {
    if (!layout.sampling) append_list(out, field.keys);
    append_list(out, field.cut);
  }
  for (const FieldHashes& field : document.fields)
    append_number(out, static_cast<std::uint32_t>(field.features.size()));
  append_names(out, document, layout);
  for (const FieldHashes& field : document.fields) append_list(out, field.features);
  seal_record(place, out);
}

void write_copy(std::uint64_t place, DocumentNumber number, DocumentNumber original,
                const DocumentHashes& document, const HashLayout& layout, std::string& out) {
  out.assign(kRecordChecksum, '\0');
  append_number(out, number);
  append_number(out, std::uint64_t{0});
  append_number(out, std::uint16_t{0});
  append_number(out, original);
  append_names(out, document, layout);
  seal_record(place, out);
}

std::string_view id_of_copy(std::string_view record) {
  return record.substr(kCopyHead,
                       end_of_text(record, kCopyHead - sizeof(std::uint16_t)) - kCopyHead);
}

RecordContent content_of(std::string_view record, const HashLayout& layout) {
  std::uint64_t present = 0;
  std::memcpy(&present, record.data() + kRecordHead - sizeof present, sizeof present);
  const std::size_t field_bytes = layout.bands * sizeof(std::uint32_t) + layout.cut_bytes() + 4;
  const std::size_t at =
      kRecordHead + static_cast<std::size_t>(std::popcount(present)) * field_bytes;
  std::size_t behind = end_of_text(record, at);
  if (layout.attributes) behind = end_of_text(record, behind);
  constexpr std::size_t kBegin = kRecordHead - sizeof present;
  return {record.substr(kBegin, at - kBegin), record.substr(behind)};
}

std::uint64_t length_of_record(std::span<const std::byte> bytes, const HashLayout& layout) {
  Left left{bytes};
  left.skip(kRecordChecksum + sizeof(DocumentNumber));
  const auto present = left.number<std::uint64_t>();
  // Most bytes that are not a record end here.
  if (!left.ok || (layout.fields < 64 && present >> layout.fields != 0)) return 0;
  const auto fields = static_cast<std::size_t>(std::popcount(present));
  const std::size_t field_bytes = layout.bands * sizeof(std::uint32_t) + layout.cut_bytes();
  if (left.bytes.size() < fields * (field_bytes + 4) + 2) return 0;

  Left sizes{left.bytes.subspan(fields * field_bytes)};
  std::uint64_t rest = 0;
  for (std::size_t i = 0; i < fields; ++i) rest += 8 * std::uint64_t{sizes.number<std::uint32_t>()};
  auto id_length = sizes.number<std::uint16_t>();
  if (fields == 0 && id_length == 0) {  // a copy
    sizes.skip(sizeof(DocumentNumber));
    id_length = sizes.number<std::uint16_t>();
  }
  sizes.skip(id_length);
  if (layout.attributes) sizes.skip(sizes.number<std::uint16_t>());
  if (!sizes.ok || rest > sizes.bytes.size()) return 0;
  return bytes.size() - sizes.bytes.size() + rest;
}

std::optional<ReadRecord> read_record(std::span<const std::byte> bytes, std::uint64_t place,
                                      const HashLayout& layout) {
  // First find how long it is, then check that it is sound, and only then read what it says.
  ReadRecord out;
  out.bytes = length_of_record(bytes, layout);
  if (out.bytes == 0) return std::nullopt;
  Left left{bytes};
  const auto checksum = left.number<std::uint64_t>();
  if (XXH3_64bits_withSeed(bytes.data() + kRecordChecksum, out.bytes - kRecordChecksum, place) !=
      checksum)
    return std::nullopt;

  out.number = left.number<std::uint32_t>();
  const auto present = left.number<std::uint64_t>();
  const auto fields = static_cast<std::size_t>(std::popcount(present));
  if (Left copy = left; fields == 0 && copy.number<std::uint16_t>() == 0) {
    out.original = copy.number<DocumentNumber>();
    copy.names(out.document, layout);
    if (!copy.ok || out.document.id.empty()) return std::nullopt;
    return out;
  }
  for (std::uint32_t field = 0; field < layout.fields; ++field) {
    if ((present >> field & 1) == 0) continue;
    FieldHashes& hashes = out.document.fields.emplace_back();
    hashes.field = field;
    left.list(hashes.keys, layout.bands);
    left.list(hashes.cut, layout.cut_bytes());
  }
  std::vector<std::uint32_t> counts;
  left.list(counts, fields);
  if (!left.ok) return std::nullopt;  // its page has become unreadable
  left.names(out.document, layout);
  for (std::size_t i = 0; i < fields; ++i) left.list(out.document.fields[i].features, counts[i]);
  for (FieldHashes& field : out.document.fields) {
    if (field.features.empty()) return std::nullopt;
    restore_keys(layout, field);
  }
  if (!left.ok || out.document.id.empty()) return std::nullopt;
  return out;
}

}  // namespace benzer::segment_bytes
