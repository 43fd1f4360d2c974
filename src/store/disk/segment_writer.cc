#include "store/disk/segment_writer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <ips4o/ips4o.hpp>
#include <xxhash.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "base/secret.h"
#include "store/disk/segment_bytes.h"
#include "store/id_hash.h"

namespace benzer {
namespace {

using namespace segment_bytes;

constexpr std::size_t kEntriesAtOnce = 8192;
constexpr std::uint64_t kBlocksAtOnce = 1024;

std::uint64_t entry_of(std::uint32_t key, DocumentNumber document) {
  return std::uint64_t{key} << 32 | document;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// Hashes everything but the features themselves.
std::uint64_t brief_hash(const DocumentHashes& document) noexcept {
  std::uint64_t hash = process_secret().first;
  for (const FieldHashes& hashes : document.fields) {
    hash = XXH3_64bits_withSeed(hashes.keys.data(), hashes.keys.size() * sizeof hashes.keys[0],
                                hash + hashes.field);
    hash =
        XXH3_64bits_withSeed(hashes.cut.data(), hashes.cut.size(), hash + hashes.features.size());
  }
  return hash;
}

}  // namespace

SegmentWriter::SegmentWriter(const std::string& path, const HashLayout& layout,
                             std::uint64_t fingerprint, std::uint64_t id_seed,
                             std::uint64_t key_memory)
    : layout_(layout),
      fingerprint_(fingerprint),
      id_seed_(id_seed),
      file_(path),
      workspace_(key_memory, folder_of(path), 1) {
  for (std::uint32_t field = 0; field < layout.fields; ++field) {
    std::vector<std::size_t> widths(1 + key_columns(), sizeof(std::uint32_t));
    fields_.push_back({std::make_unique<ColumnTable>(std::move(widths), workspace_),
                       std::vector<const void*>(1 + key_columns())});
  }
  file_.append(kSegmentMagic.data(), kSegmentMagic.size());
  file_.align(kAlignment);
  records_ = file_.size();
}

DocumentNumber SegmentWriter::add(const DocumentHashes& document) {
  const DocumentNumber number = documents_;
  if (number + 1 == kNoDocument)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("a segment holds {} documents at most", number));
  ++documents_;
  starts_.push_back(file_.size());
  ids_.push_back(entry_of(hash_of_id(document.id, id_seed_), number));
  const std::uint64_t brief = brief_hash(document);
  equal_.prefetch(brief);
  write_record(file_.size(), number, document, layout_, record_);
  // Documents without features are similar to nothing, so they are never copies.
  if (!document.fields.empty()) {
    if (const std::optional<DocumentNumber> original = find_original(number, brief)) {
      write_copy(file_.size(), number, *original, document, layout_, record_);
      file_.append(record_.data(), record_.size());
      copies_.push_back(entry_of(*original, number));
      return number;
    }
  }
  file_.append(record_.data(), record_.size());
  for (const FieldHashes& hashes : document.fields) {
    Field& field = fields_[hashes.field];
    field.row[0] = &number;
    for (std::size_t key = 0; key < hashes.keys.size(); key += key_columns()) {
      for (std::uint32_t column = 0; column < key_columns(); ++column)
        field.row[1 + column] = &hashes.keys[key + column];
      field.keys->append(field.row, 1);
    }
  }
  return number;
}

// brief: brief_hash() of the document. Hardly any different documents have the same one; only those
// that do are hashed with their features.
std::optional<DocumentNumber> SegmentWriter::find_original(DocumentNumber number,
                                                           std::uint64_t brief) {
  // If somebody made two documents with the same hashes, copies of one of them would not be found,
  // and that is all.
  EqualDocuments::Entry* known = equal_.find(brief);
  if (!known) {
    equal_.add(brief, number);
    return std::nullopt;
  }
  const RecordContent content = content_of(record_, layout_);
  const auto is_equal = [&] {
    return content == content_of(read_back(known->document, earlier_), layout_);
  };
  if (!is_equal()) {
    const std::uint64_t hash =
        XXH3_64bits_withSeed(content.behind.data(), content.behind.size(), brief);
    known = equal_.find(hash);
    if (!known) {
      equal_.add(hash, number);
      return std::nullopt;
    }
    if (!is_equal()) return std::nullopt;
  }
  if (known->copies == kMostCopies) {
    known->document = number;
    known->copies = 0;
    return std::nullopt;
  }
  ++known->copies;
  return known->document;
}

std::string_view SegmentWriter::read_back(DocumentNumber document, std::string& buffer) const {
  const std::uint64_t begin = starts_[document];
  file_.read(begin, static_cast<std::size_t>(starts_[document + 1] - begin), buffer);
  return buffer;
}

void SegmentWriter::seal(const SegmentOrigin& origin, const std::atomic<bool>* stop) {
  equal_ = EqualDocuments(0);
  starts_.push_back(file_.size());
  write_starts();
  throw_if_stopped(stop);
  write_ids();
  write_copies(stop);
  starts_ = {};
  for (const Field& field : fields_) {
    for (std::uint32_t table = 0; table < layout_.tables(); ++table) {
      throw_if_stopped(stop);
      write_table(*field.keys, table);
    }
  }
  // The table of contents. Its end has a fixed size, so a reader begins there.
  file_.align(kAlignment);
  for (const std::uint64_t number : origin.merged) append_number(number);
  for (const std::uint64_t number : contents_) append_number(number);
  append_number(copies_begin_);
  append_number(copies_.size());
  append_number(origin.number);
  append_number(id_seed_);
  for (const std::uint64_t number :
       {kVersion, fingerprint_, std::uint64_t{layout_.fields}, std::uint64_t{layout_.bands},
        std::uint64_t{layout_.slots}, std::uint64_t{documents_}, records_, starts_begin_,
        ids_begin_, origin.newest, origin.log, origin.first_record,
        std::uint64_t{origin.merged.size()}})
    append_number(number);
  file_.seal();
}

void SegmentWriter::write_starts() {
  file_.align(kAlignment);
  starts_begin_ = file_.size();
  file_.append(starts_.data(), starts_.size() * sizeof starts_[0]);
}

void SegmentWriter::write_ids() {
  file_.align(kAlignment);
  ids_begin_ = file_.size();
  ips4o::sort(ids_.begin(), ids_.end());
  file_.append(ids_.data(), ids_.size() * sizeof ids_[0]);
  ids_ = {};
}

void SegmentWriter::write_copies(const std::atomic<bool>* stop) {
  ips4o::sort(copies_.begin(), copies_.end());
  std::vector<std::pair<std::string, std::uint64_t>> by_id;  // of one original
  const auto end = copies_.end();
  for (auto begin = copies_.begin(); begin != end;) {
    throw_if_stopped(stop);
    const auto next =
        std::find_if(begin, end, [&](std::uint64_t entry) { return entry >> 32 != *begin >> 32; });
    by_id.clear();
    for (auto at = begin; at != next; ++at)
      by_id.emplace_back(id_of_copy(read_back(static_cast<DocumentNumber>(*at), record_)), *at);
    std::sort(by_id.begin(), by_id.end());
    for (const auto& [id, entry] : by_id) *begin++ = entry;
  }
  file_.align(kAlignment);
  copies_begin_ = file_.size();
  file_.append(copies_.data(), copies_.size() * sizeof copies_[0]);
}

void SegmentWriter::write_table(const ColumnTable& keys, std::uint32_t table) {
  Sorter<std::uint64_t> sorter(workspace_, workspace_.share(1));
  for (std::uint32_t band = 0; band < key_columns(); ++band) {
    if (layout_.table(band) != table) continue;
    ColumnReader<DocumentNumber> numbers(keys, 0);
    ColumnReader<std::uint32_t> of_band(keys, 1 + band);
    for (std::size_t row = 0; row < keys.size(); ++row)
      if (layout_.is_key(*of_band.row(row)))
        sorter.add(entry_of(*of_band.row(row), *numbers.row(row)));
  }
  const BigList<std::uint64_t> entries = sorter.finish();
  file_.align(kAlignment);
  contents_.push_back(file_.size());
  contents_.push_back(entries.size());
  std::vector<std::uint64_t> some;
  const auto append_some = [&] {
    file_.append(some.data(), some.size() * sizeof some[0]);
    some.clear();
  };
  entries.for_each([&](std::uint64_t entry) {
    some.push_back(entry);
    if (some.size() == kEntriesAtOnce) append_some();
  });
  append_some();
  write_filter(entries);
}

// Entries ascend by key, and so do the blocks of their keys: a part of them is made at a time.
void SegmentWriter::write_filter(const BigList<std::uint64_t>& entries) {
  const std::uint64_t blocks = entries.size() / kKeysPerBlock + 1;
  file_.align(kAlignment);
  contents_.push_back(file_.size());
  contents_.push_back(blocks);
  std::uint64_t begin = 0, end = 0;  // the blocks that are made
  std::vector<std::uint8_t> made;
  const auto next_part = [&] {
    file_.append(made.data(), made.size());
    begin = end;
    end = std::min(blocks, begin + kBlocksAtOnce);
    made.assign((end - begin) * kFilterBlock, 0);
  };
  entries.for_each([&](std::uint64_t entry) {
    const auto key = static_cast<std::uint32_t>(entry >> 32);
    const std::uint64_t of_key = key * blocks >> 32;
    while (of_key >= end) next_part();
    std::uint8_t* block = made.data() + (of_key - begin) * kFilterBlock;
    const FilterBits bits(key);
    for (int i = 0; i < kFilterBits; ++i)
      block[bits.bit(i) / 8] =
          static_cast<std::uint8_t>(block[bits.bit(i) / 8] | 1 << bits.bit(i) % 8);
  });
  while (end < blocks) next_part();
  next_part();  // there is none: appends the last ones
}

}  // namespace benzer
