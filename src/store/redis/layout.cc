#include "store/redis/layout.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>
#include <xxhash.h>

#include "benzer/error.h"

#include "base/checked_text.h"
#include "store/sampled_keys.h"

namespace benzer::redis {
namespace {

constexpr std::string_view kMetaHead = "benzer redis 1\n";
constexpr std::uint64_t kEntriesOfGroup = 16;

template <class Number>
void append(Number number, std::string& out) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// Appends the lower bytes of a number, the upper ones first, so that keys sort like numbers.
void append_upper_first(std::uint32_t number, int bytes, std::string& out) {
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(number >> (8 * i));
}

// Takes numbers and lists off bytes that somebody else may have written.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : left_(bytes) {}

  template <class Number>
  bool number(Number& out) {
    return raw(&out, sizeof out);
  }
  bool text(std::size_t size, std::string& out) {
    if (left_.size() < size) return false;
    out.assign(left_.substr(0, size));
    left_.remove_prefix(size);
    return true;
  }
  template <class Number>
  bool list(std::size_t count, std::vector<Number>& out) {
    if (left_.size() / sizeof(Number) < count) return false;
    out.resize(count);
    return raw(out.data(), count * sizeof(Number));
  }
  std::size_t left() const noexcept { return left_.size(); }

 private:
  bool raw(void* out, std::size_t size) {
    if (left_.size() < size) return false;
    if (size != 0) std::memcpy(out, left_.data(), size);
    left_.remove_prefix(size);
    return true;
  }
  std::string_view left_;
};

int rest_bytes(std::uint32_t group_bits) { return static_cast<int>(32 - group_bits + 7) / 8; }

}  // namespace

void drop_features(DocumentHashes& document) {
  for (FieldHashes& field : document.fields) field.features = {};
}

std::string Meta::str() const {
  return with_checksum(
      fmt::format("{}schema {}\ngroups {}\nseed {:016x}\n", kMetaHead, schema, group_bits, seed));
}

Meta Meta::parse(std::string_view text, const std::string& where) {
  const auto fail = [&](std::string_view problem) {
    throw Error(ErrorCode::kCorrupt, fmt::format("{}: {}", where, problem));
  };
  if (!text.starts_with(kMetaHead))
    fail(fmt::format("it does not begin with \"{}\": damaged, or of another version",
                     kMetaHead.substr(0, kMetaHead.size() - 1)));
  const auto content = without_checksum(text);
  if (!content) fail("its checksum does not fit: it is damaged");
  std::string_view left = content->substr(kMetaHead.size());
  const auto line = [&](std::string_view name) {
    const std::size_t end = left.find('\n');
    if (end == std::string_view::npos || !left.starts_with(name)) fail("a line of it is missing");
    const std::string_view out = left.substr(name.size(), end - name.size());
    left.remove_prefix(end + 1);
    return out;
  };
  const auto read = [&](std::string_view digits, auto& number, int base) {
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
    if (result.ec != std::errc() || result.ptr != digits.data() + digits.size())
      fail("it has a number that cannot be read");
  };
  Meta out;
  out.schema = line("schema ");
  read(line("groups "), out.group_bits, 10);
  read(line("seed "), out.seed, 16);
  if (out.group_bits > Layout::kMostGroupBits) fail("it has more groups than are allowed");
  return out;
}

Layout::Layout(const std::string& store, const HashLayout& hashes, const Meta& meta)
    : hashes_(hashes),
      group_bits_(meta.group_bits),
      seed_(meta.seed),
      prefix_(fmt::format("benzer:{}:", store)) {}

std::uint32_t Layout::group_bits_for(std::uint64_t documents) noexcept {
  std::uint32_t bits = 0;
  while (bits < kMostGroupBits && documents >> bits > kEntriesOfGroup * 3 / 2) ++bits;
  return bits;
}

std::string Layout::meta_key(const std::string& store) {
  return fmt::format("benzer:{}:store", store);
}

Name Layout::name_of(std::string_view id) const noexcept {
  return XXH3_64bits_withSeed(id.data(), id.size(), seed_);
}

std::string Layout::record_key(Name name) const {
  std::string out = prefix_ + 'd';
  append(name, out);
  return out;
}

std::optional<Name> Layout::read_record_key(std::string_view key) const {
  const std::string begin = prefix_ + 'd';
  Name out = 0;
  if (!key.starts_with(begin) || key.size() != begin.size() + sizeof out) return std::nullopt;
  std::memcpy(&out, key.data() + begin.size(), sizeof out);
  return out;
}

bool Layout::is_version(std::string_view bytes, Version version) noexcept {
  return bytes.size() == sizeof version && std::memcmp(bytes.data(), &version, sizeof version) == 0;
}

std::string Layout::encode(Version version, const DocumentHashes& document) const {
  std::string out(sizeof(std::uint64_t), '\0');  // for the checksum
  append(version, out);
  append(static_cast<std::uint16_t>(document.id.size()), out);
  out += document.id;
  if (hashes_.attributes) {
    append(static_cast<std::uint16_t>(document.attributes.size()), out);
    out += document.attributes;
  }
  out += static_cast<char>(document.fields.size());
  for (const FieldHashes& field : document.fields) {
    out += static_cast<char>(field.field);
    append(static_cast<std::uint32_t>(field.features.size()), out);
    if (!hashes_.sampling)
      for (const std::uint32_t key : field.keys) append(key, out);
    out.append(reinterpret_cast<const char*>(field.cut.data()), field.cut.size());
  }
  for (const FieldHashes& field : document.fields)
    out.append(reinterpret_cast<const char*>(field.features.data()),
               field.features.size() * sizeof field.features[0]);
  const std::uint64_t checksum = XXH3_64bits_withSeed(
      out.data() + sizeof checksum, out.size() - sizeof checksum, name_of(document.id));
  std::memcpy(out.data(), &checksum, sizeof checksum);
  return out;
}

std::optional<Record> Layout::decode(std::string_view bytes, Name name) const {
  Cursor cursor(bytes);
  Record out;
  std::uint64_t checksum = 0;
  std::uint16_t id_size = 0;
  std::uint8_t fields = 0;
  if (!cursor.number(checksum) || !cursor.number(out.version) || !cursor.number(id_size) ||
      !cursor.text(id_size, out.document.id) || name_of(out.document.id) != name)
    return std::nullopt;
  std::uint16_t attributes_size = 0;
  if (hashes_.attributes &&
      (!cursor.number(attributes_size) || !cursor.text(attributes_size, out.document.attributes)))
    return std::nullopt;
  if (!cursor.number(fields) || fields > hashes_.fields) return std::nullopt;
  std::uint64_t features = 0;
  for (unsigned i = 0; i < fields; ++i) {
    FieldHashes field;
    std::uint8_t number = 0;
    if (!cursor.number(number) || number >= hashes_.fields ||
        (i > 0 && number <= out.document.fields.back().field) ||
        !cursor.number(out.counts.emplace_back()) || out.counts.back() == 0 ||
        !cursor.list(hashes_.bands, field.keys) || !cursor.list(hashes_.cut_bytes(), field.cut))
      return std::nullopt;
    field.field = number;
    features += out.counts.back();
    out.document.fields.push_back(std::move(field));
  }
  if (cursor.left() < features * sizeof(std::uint64_t)) return out;
  for (unsigned i = 0; i < fields; ++i) cursor.list(out.counts[i], out.document.fields[i].features);
  if (cursor.left() != 0 || checksum != XXH3_64bits_withSeed(bytes.data() + sizeof checksum,
                                                             bytes.size() - sizeof checksum, name))
    return std::nullopt;
  for (FieldHashes& field : out.document.fields) restore_keys(hashes_, field);
  out.has_features = true;
  return out;
}

std::string Layout::group_key(std::uint32_t table, std::uint32_t group) const {
  std::string out = prefix_ + 'b';
  append_upper_first(table, 3, out);
  append_upper_first(group, 3, out);
  return out;
}

std::string Layout::field_of(std::uint32_t key, const Entry& entry) const {
  std::string out;
  const int bytes = rest_bytes(group_bits_);
  append_upper_first(bytes == 4 ? key : key & ((std::uint32_t{1} << (32 - group_bits_)) - 1), bytes,
                     out);
  append(entry.name, out);
  append(entry.version, out);
  return out;
}

std::optional<Layout::Posting> Layout::read_field(std::string_view field,
                                                  std::uint32_t group) const {
  const auto bytes = static_cast<std::size_t>(rest_bytes(group_bits_));
  Posting out{};
  if (field.size() != bytes + sizeof out.entry.name + sizeof out.entry.version) return std::nullopt;
  std::uint32_t rest = 0;
  for (std::size_t i = 0; i < bytes; ++i) rest = rest << 8 | static_cast<unsigned char>(field[i]);
  out.key = group_bits_ == 0 ? rest : group << (32 - group_bits_) | rest;
  std::memcpy(&out.entry.name, field.data() + bytes, sizeof out.entry.name);
  std::memcpy(&out.entry.version, field.data() + bytes + sizeof out.entry.name,
              sizeof out.entry.version);
  return out;
}

void Layout::for_each_posting(
    const DocumentHashes& document, Name name,
    const std::function<void(std::uint32_t table, std::uint32_t key)>& visit) const {
  for (const FieldHashes& field : document.fields)
    for (std::uint32_t band = 0; band < field.keys.size(); ++band)
      if (hashes_.is_key(field.keys[band]))
        visit(field.field * hashes_.tables() + hashes_.table(band), field.keys[band]);
  visit(directory(), static_cast<std::uint32_t>(name >> 32));
}

}  // namespace benzer::redis
