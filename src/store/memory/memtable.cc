#include "store/memory/memtable.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <xxhash.h>

#include "benzer/error.h"

#include "base/secret.h"
#include "base/splitmix.h"
#include "store/id_hash.h"

namespace benzer {
namespace {

// Writes the length of a text in two bytes, and the text.
void put_text(std::string_view text, char* out) noexcept {
  const auto length = static_cast<std::uint16_t>(text.size());
  std::memcpy(out, &length, 2);
  if (length > 0) std::memcpy(out + 2, text.data(), length);
}

std::uint32_t hash_of(std::string_view id) noexcept {
  return hash_of_id(id, process_secret().second);
}

// Adds a field to the hash of the fields before it. Documents with equal hashes are then compared.
std::uint64_t add_field(std::uint64_t hash, std::uint32_t field,
                        std::span<const std::uint64_t> features) noexcept {
  return XXH3_64bits_withSeed(features.data(), features.size_bytes(), hash + field);
}
std::uint32_t to_key(std::uint64_t hash) noexcept {
  return static_cast<std::uint32_t>(splitmix64(hash ^ process_secret().second) >> 32);
}
std::uint32_t hash_of(const DocumentHashes& document) noexcept {
  std::uint64_t hash = process_secret().first;
  for (const FieldHashes& hashes : document.fields)
    hash = add_field(hash, hashes.field, hashes.features);
  return to_key(hash);
}

}  // namespace

Memtable::Memtable(const HashLayout& layout, std::uint64_t most)
    : layout_(layout), most_(most), lives_(1), contents_(1), ids_(1) {
  fields_.reserve(layout.fields);
  for (std::uint32_t field = 0; field < layout.fields; ++field) fields_.emplace_back(layout);
}

// Returns a number that no document has and that nobody else gets.
DocumentNumber Memtable::free_number() {
  if (free_.empty()) {
    if (end_ >= most_)
      throw Error(ErrorCode::kStorageFailed,
                  fmt::format("{} documents are in memory, and there can be no more", end_),
                  "remove some, or keep them in an index in a folder", ": ");
    for (FieldPart& part : fields_) part.features.make(end_);
    lives_.make(end_);
    contents_.make(end_);
    ids_.make(end_);
    return end_++;
  }
  const DocumentNumber number = free_.back();
  free_.pop_back();
  return number;
}

bool Memtable::has_content(DocumentNumber content, const DocumentHashes& document) const noexcept {
  auto next = document.fields.begin();
  for (std::uint32_t field = 0; field < layout_.fields; ++field) {
    const bool is_given = next != document.fields.end() && next->field == field;
    if (has(content, field) != is_given) return false;
    if (!is_given) continue;
    if (!std::ranges::equal(features(content, field), next->features)) return false;
    ++next;
  }
  return true;
}

std::size_t Memtable::meet_first_key(const DocumentHashes& document,
                                     std::span<DocumentNumber> out) const noexcept {
  for (const FieldHashes& hashes : document.fields)
    for (std::uint32_t band = 0; band < hashes.keys.size(); ++band)
      if (layout_.is_key(hashes.keys[band]))
        return fields_[hashes.field].bands[layout_.table(band)].first(hidden_(hashes.keys[band]),
                                                                      out);
  return out.size();
}

std::optional<DocumentNumber> Memtable::find_content(std::uint32_t hash,
                                                     const DocumentHashes& document) const {
  std::optional<DocumentNumber> found;
  by_content_.for_each(hash, [&](DocumentNumber content) {
    if (has_content(content, document)) found = content;
  });
  return found;
}

void Memtable::add_hash(std::uint32_t hash, DocumentNumber content) {
  bool is_there = false;
  by_content_.for_each(hash, [&](DocumentNumber known) { is_there |= known == content; });
  if (!is_there) by_content_.add(hash, content);
}

std::uint32_t Memtable::hash_of_content(DocumentNumber content) const noexcept {
  std::uint64_t hash = process_secret().first;
  for (std::uint32_t field = 0; field < layout_.fields; ++field)
    if (has(content, field)) hash = add_field(hash, field, features(content, field));
  return to_key(hash);
}

void Memtable::add_content(const DocumentHashes& document, DocumentNumber number) {
  for (const FieldHashes& hashes : document.fields) {
    FieldPart& part = fields_[hashes.field];
    std::copy(hashes.cut.begin(), hashes.cut.end(), part.cuts.make(number));
    if (std::uint32_t* const keys = part.keys.make(number); !layout_.sampling)
      std::copy(hashes.keys.begin(), hashes.keys.end(), keys);
    const std::size_t count = hashes.features.size();
    auto features = std::make_unique_for_overwrite<std::uint64_t[]>(1 + count);
    features[0] = count;
    std::copy(hashes.features.begin(), hashes.features.end(), features.get() + 1);
    *part.features.at(number) = std::move(features);
    feature_bytes_ += (1 + count) * sizeof(std::uint64_t);
    for (std::uint32_t band = 0; band < hashes.keys.size(); ++band)
      if (layout_.is_key(hashes.keys[band]))
        part.bands[layout_.table(band)].add(hidden_(hashes.keys[band]), number);
  }
}

void Memtable::erase_content(DocumentNumber content) noexcept {
  by_content_.remove(hash_of_content(content), content);
  for (std::uint32_t field = 0; field < layout_.fields; ++field) {
    FieldPart& part = fields_[field];
    std::unique_ptr<std::uint64_t[]>& features = *part.features.at(content);
    if (features == nullptr) continue;
    for_each_key(content, field, [&](std::uint32_t band, std::uint32_t key) {
      part.bands[layout_.table(band)].remove(hidden_(key), content);
    });
    std::fill_n(part.keys.at(content), layout_.bands, 0);
    std::fill_n(part.cuts.at(content), layout_.cut_bytes(), std::uint8_t{0});
    feature_bytes_ -= (1 + features[0]) * sizeof(std::uint64_t);
    features.reset();
  }
}

void Memtable::load_places(const DocumentHashes& document) const noexcept {
  by_id_.load_to_add(hash_of(document.id));
  for (const FieldHashes& hashes : document.fields)
    for_each_place(hashes,
                   [](const BandTable& table, BandTable::Key key) { table.load_to_add(key); });
}

DocumentNumber Memtable::add(const DocumentHashes& document, Version born) {
  auto row = std::make_unique<char[]>(row_bytes(document.id, document.attributes));
  put_text(document.id, row.get());
  if (layout_.attributes) put_text(document.attributes, row.get() + 2 + document.id.size());
  // Documents without features are similar to nothing, so they are never copies.
  std::array<DocumentNumber, 2> alike{};
  const std::size_t met = document.fields.empty() ? 0 : meet_first_key(document, alike);
  std::optional<DocumentNumber> content;
  if (met == 1) content = alike[0];
  std::uint32_t hash = met == 2 ? hash_of(document) : 0;
  if (met == 2) content = find_content(hash, document);
  const bool is_known = content && (met == 2 || has_content(*content, document));
  std::vector<DocumentNumber>* copies = nullptr;
  // Full tables prepare their larger entries here, before readers have to wait for the lock.
  std::vector<std::pair<BandTable*, BandTable::Wider>> wider;
  const auto widen = [&](BandTable& table, std::size_t count) {
    if (auto more = table.wider(count)) wider.emplace_back(&table, std::move(*more));
  };
  if (!is_known)
    for (const FieldHashes& hashes : document.fields)
      for (BandTable& table : fields_[hashes.field].bands)
        widen(table, layout_.one_table ? hashes.keys.size() : 1);
  widen(by_id_, 1);
  widen(by_content_, 2);

  const std::lock_guard lock(latch_);
  for (auto& [table, more] : wider) table->take(more);
  const DocumentNumber number = free_number();
  *contents_.at(number) = number;
  *ids_.at(number) = std::move(row);
  id_bytes_ += row_bytes(document.id, document.attributes);
  try {
    by_id_.add(hash_of(document.id), number);
    if (is_known) copies = &copies_[*content];
    if (is_known && copies->size() < kMostCopies) {
      copies->insert(copies->begin() + static_cast<std::ptrdiff_t>(place_among(*copies, number)),
                     number);
      *contents_.at(number) = *content;
      ++copied_;
    } else {
      add_content(document, number);
      // The first content with this key is no longer the only one, so its hash is needed.
      if (met == 1 && !is_known) add_hash(hash_of_content(*content), *content);
      if (met > 0) {
        if (met == 1) hash = hash_of(document);
        if (is_known) by_content_.remove(hash, *content);
        add_hash(hash, number);
      }
    }
  } catch (...) {
    if (copies && copies->empty()) copies_.erase(*content);
    erase(number);  // removes the part that was added
    throw;
  }
  Life& life = *lives_.at(number);
  life.died.store(kNever, std::memory_order_release);
  life.born.store(born, std::memory_order_release);
  newest_ = std::max(newest_, born);
  ++size_;
  return number;
}

void Memtable::remove(DocumentNumber document, Version died) noexcept {
  const std::lock_guard lock(latch_);
  --size_;
  Life& life = *lives_.at(document);
  if (life.born.load(std::memory_order_relaxed) == died) return erase(document);  // nobody saw it
  life.died.store(died, std::memory_order_release);
  newest_ = std::max(newest_, died);
  try {
    removed_.push_back(document);
  } catch (const std::bad_alloc&) {
    ++forgotten_;  // its memory is freed with the table
  }
}

void Memtable::reclaim(const std::vector<Version>& earlier) {
  std::size_t at_most = kAtOnce + 2 * (removed_.size() - std::min(left_, removed_.size()));
  for (auto of = seen_.begin(); of != seen_.end();) {
    if (std::binary_search(earlier.begin(), earlier.end(), of->first)) {
      ++of;
      continue;
    }
    const std::lock_guard lock(latch_);
    removed_.reserve(removed_.size() + of->second.size());
    removed_.insert(removed_.end(), of->second.begin(), of->second.end());
    of = seen_.erase(of);
  }
  for (; !removed_.empty() && at_most > 0; --at_most) {
    const DocumentNumber document = removed_.back();
    const Life& life = *lives_.at(document);
    const auto after =
        std::lower_bound(earlier.begin(), earlier.end(), life.died.load(std::memory_order_relaxed));
    const bool is_seen =
        after != earlier.begin() && life.born.load(std::memory_order_relaxed) <= after[-1];
    const std::lock_guard lock(latch_);
    if (is_seen) seen_[after[-1]].push_back(document);
    removed_.pop_back();
    if (!is_seen) erase(document);
  }
  left_ = removed_.size();
}

void Memtable::erase(DocumentNumber document) noexcept {
  const DocumentNumber content = content_of(document);
  const auto copies = copies_.find(content);
  if (content == document) {
    if (copies == copies_.end())
      erase_content(document);
    else
      ++orphaned_;
  } else {
    std::vector<DocumentNumber>& list = copies->second;
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(place_among(list, document)));
    --copied_;
  }
  lives_.at(document)->born.store(kNever, std::memory_order_release);
  by_id_.remove(hash_of(id(document)), document);
  id_bytes_ -= row_bytes(id(document), attributes(document));
  ids_.at(document)->reset();
  if (content != document || copies == copies_.end()) release(document);
  if (copies == copies_.end() || !copies->second.empty()) return;
  copies_.erase(copies);
  if (*ids_.at(content) != nullptr) return;
  --orphaned_;
  erase_content(content);
  release(content);
}

void Memtable::release(DocumentNumber number) noexcept {
  try {
    free_.push_back(number);
  } catch (const std::bad_alloc&) {
    // The number is never given out again.
  }
}

// Returns the place where the document is among the copies, or would be. Two documents with the
// same id, of which each reader sees one, are in the order of their numbers.
std::size_t Memtable::place_among(const std::vector<DocumentNumber>& copies,
                                  DocumentNumber document) const noexcept {
  const auto place = std::lower_bound(copies.begin(), copies.end(), document,
                                      [&](DocumentNumber a, DocumentNumber b) {
                                        const int order = id(a).compare(id(b));
                                        return order < 0 || (order == 0 && a < b);
                                      });
  return static_cast<std::size_t>(place - copies.begin());
}

std::optional<DocumentNumber> Memtable::seen_of(DocumentNumber content, Version at) const {
  if (has_document(content, at)) return content;
  if (const auto copies = copies_.find(content); copies != copies_.end())
    for (const DocumentNumber copy : copies->second)
      if (has_document(copy, at)) return copy;
  return std::nullopt;
}

std::vector<DocumentNumber> Memtable::first_copies(DocumentNumber original, std::size_t most,
                                                   Version at) const {
  std::vector<DocumentNumber> out;
  const DocumentNumber content = content_of(original);
  const std::shared_lock lock(latch_);
  const auto copies = copies_.find(content);
  if (copies == copies_.end()) return out;
  for (const DocumentNumber copy : copies->second) {
    if (out.size() == most) break;
    if (copy != original && has_document(copy, at)) out.push_back(copy);
  }
  return out;
}

std::optional<DocumentNumber> Memtable::find(std::string_view wanted, Version at) const {
  std::optional<DocumentNumber> found;
  const std::shared_lock lock(latch_);
  by_id_.for_each(hash_of(wanted), [&](DocumentNumber number) {
    if (has_document(number, at) && id(number) == wanted) found = number;
  });
  return found;
}

std::span<const std::uint64_t> Memtable::features(DocumentNumber document,
                                                  std::uint32_t field) const noexcept {
  const std::uint64_t* features = fields_[field].features.at(document)->get();
  if (features == nullptr) features = fields_[field].features.at(content_of(document))->get();
  if (features == nullptr) return {};
  return {features + 1, static_cast<std::size_t>(features[0])};
}

DocumentHashes Memtable::get_hashes(DocumentNumber document) const {
  DocumentHashes out{std::string(id(document)), {}, std::string(attributes(document))};
  const DocumentNumber content = content_of(document);
  for (std::uint32_t field = 0; field < layout_.fields; ++field) {
    if (!has(content, field)) continue;
    const std::span<const std::uint64_t> of_field = features(content, field);
    const std::uint32_t* keys = fields_[field].keys.at(content);
    const std::uint8_t* cut_begin = fields_[field].cuts.at(content);
    out.fields.push_back({field,
                          {of_field.begin(), of_field.end()},
                          {keys, keys + layout_.bands},
                          {cut_begin, cut_begin + layout_.cut_bytes()}});
    restore_keys(layout_, out.fields.back());
  }
  return out;
}

std::uint64_t Memtable::rough_bytes() const noexcept {
  constexpr std::uint64_t kEntryBytes = 11;  // at a load of three quarters
  const std::uint64_t of_field =
      layout_.bands * (kEntryBytes + sizeof(std::uint32_t)) + layout_.cut_bytes() + sizeof(void*);
  const std::uint64_t taken = end_ - free_.size();  // also by removed documents
  std::uint64_t sampled = 0;                        // entries of keys that are not in rows
  if (layout_.sampling)
    for (const FieldPart& part : fields_) sampled += part.bands[0].size();
  return feature_bytes_ + id_bytes_ + sampled * kEntryBytes +
         (taken - copied_) * (layout_.fields * of_field + kEntryBytes) +
         taken * (kEntryBytes + sizeof(Life) + 24);
}

StoreBytes Memtable::bytes() const noexcept {
  const std::shared_lock lock(latch_);
  StoreBytes sum;
  for (const FieldPart& part : fields_) {
    for (const BandTable& band : part.bands) sum.tables += band.bytes();
    sum.keys += part.keys.bytes();
    sum.cuts += part.cuts.bytes();
    sum.features += part.features.bytes();
  }
  sum.features += feature_bytes_;
  sum.ids = id_bytes_ + ids_.bytes() + lives_.bytes() + contents_.bytes() + by_id_.bytes() +
            by_content_.bytes();
  return sum;
}

}  // namespace benzer
