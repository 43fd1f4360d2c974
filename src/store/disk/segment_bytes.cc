#include "store/disk/segment_bytes.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include <xxhash.h>

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
  // Makes room for that many items only if they are there.
  template <class List>
  void list(List& out, std::uint64_t count) {
    constexpr std::size_t kWidth = sizeof *out.data();
    ok = ok && count <= bytes.size() / kWidth;
    if (!ok) return;
    out.resize(count);
    raw(out.data(), count, kWidth);
  }
};

}  // namespace

void write_record(std::uint64_t place, DocumentNumber number, const DocumentHashes& document,
                  std::string& out) {
  out.assign(kRecordChecksum, '\0');
  append_number(out, number);
  std::uint64_t present = 0;
  for (const FieldHashes& field : document.fields) present |= std::uint64_t{1} << field.field;
  append_number(out, present);
  for (const FieldHashes& field : document.fields) {
    append_list(out, field.keys);
    append_list(out, field.cut);
  }
  for (const FieldHashes& field : document.fields)
    append_number(out, static_cast<std::uint32_t>(field.features.size()));
  append_number(out, static_cast<std::uint16_t>(document.id.size()));
  out += document.id;
  for (const FieldHashes& field : document.fields) append_list(out, field.features);
  seal_record(place, out);
}

void write_copy(std::uint64_t place, DocumentNumber number, DocumentNumber original,
                std::string_view id, std::string& out) {
  out.assign(kRecordChecksum, '\0');
  append_number(out, number);
  append_number(out, std::uint64_t{0});
  append_number(out, std::uint16_t{0});
  append_number(out, original);
  append_number(out, static_cast<std::uint16_t>(id.size()));
  out += id;
  seal_record(place, out);
}

RecordContent content_of(std::string_view record, const HashLayout& layout) {
  std::uint64_t present = 0;
  std::memcpy(&present, record.data() + kRecordHead - sizeof present, sizeof present);
  const std::size_t field_bytes = layout.bands * sizeof(std::uint32_t) + layout.cut_bytes() + 4;
  const std::size_t at =
      kRecordHead + static_cast<std::size_t>(std::popcount(present)) * field_bytes;
  std::uint16_t length = 0;
  std::memcpy(&length, record.data() + at, sizeof length);
  constexpr std::size_t kBegin = kRecordHead - sizeof present;
  return {record.substr(kBegin, at - kBegin), record.substr(at + sizeof length + length)};
}

std::optional<ReadRecord> read_record(std::span<const std::byte> bytes, std::uint64_t place,
                                      const HashLayout& layout) {
  Left left{bytes};
  const auto checksum = left.number<std::uint64_t>();
  ReadRecord out;
  out.number = left.number<std::uint32_t>();
  const auto present = left.number<std::uint64_t>();
  // Most bytes that are not a record end here.
  if (!left.ok || (layout.fields < 64 && present >> layout.fields != 0)) return std::nullopt;
  const auto fields = static_cast<std::size_t>(std::popcount(present));
  const std::size_t field_bytes = layout.bands * sizeof(std::uint32_t) + layout.cut_bytes();
  if (left.bytes.size() < fields * (field_bytes + 4) + 2) return std::nullopt;

  // First find how long it is, then check that it is sound, and only then read what it says.
  Left sizes{left.bytes.subspan(fields * field_bytes)};
  std::uint64_t rest = 0;
  for (std::size_t i = 0; i < fields; ++i) rest += 8 * std::uint64_t{sizes.number<std::uint32_t>()};
  const auto id_length = sizes.number<std::uint16_t>();
  const bool is_copy = fields == 0 && id_length == 0;
  if (is_copy) out.original = sizes.number<DocumentNumber>();
  rest += is_copy ? sizes.number<std::uint16_t>() : id_length;
  if (!sizes.ok || rest > sizes.bytes.size()) return std::nullopt;
  out.bytes = bytes.size() - sizes.bytes.size() + rest;
  if (XXH3_64bits_withSeed(bytes.data() + kRecordChecksum, out.bytes - kRecordChecksum, place) !=
      checksum)
    return std::nullopt;

  if (is_copy) {
    Left id{bytes.subspan(kCopyHead)};
    id.list(out.document.id, out.bytes - kCopyHead);
    if (out.document.id.empty()) return std::nullopt;
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
  left.list(out.document.id, left.number<std::uint16_t>());
  for (std::size_t i = 0; i < fields; ++i) left.list(out.document.fields[i].features, counts[i]);
  for (const FieldHashes& field : out.document.fields)
    if (field.features.empty()) return std::nullopt;
  if (!left.ok || out.document.id.empty()) return std::nullopt;
  return out;
}

}  // namespace benzer::segment_bytes
