#include "store/memory/memtable.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/secret.h"
#include "store/id_hash.h"

namespace benzer {
namespace {

std::uint32_t hash_of(std::string_view id) noexcept {
  return hash_of_id(id, process_secret().second);
}

}  // namespace

Memtable::Memtable(const HashLayout& layout, std::uint64_t most)
    : layout_(layout), most_(most), lives_(1), ids_(1) {
  fields_.reserve(layout.fields);
  for (std::uint32_t field = 0; field < layout.fields; ++field) fields_.emplace_back(layout);
}

// Of no document, and nobody else gets it.
DocumentNumber Memtable::free_number() {
  if (free_.empty()) {
    if (end_ >= most_)
      throw Error(ErrorCode::kStorageFailed,
                  fmt::format("{} documents are in memory, and there can be no more: remove some, "
                              "or keep them in a store in a folder",
                              end_));
    for (FieldPart& part : fields_) part.features.make(end_);
    lives_.make(end_);
    ids_.make(end_);
    return end_++;
  }
  const DocumentNumber number = free_.back();
  free_.pop_back();
  return number;
}

DocumentNumber Memtable::add(const DocumentHashes& document, Version born) {
  auto id = std::make_unique<char[]>(2 + document.id.size());
  const auto length = static_cast<std::uint16_t>(document.id.size());
  std::memcpy(id.get(), &length, 2);
  std::memcpy(id.get() + 2, document.id.data(), length);
  const std::lock_guard lock(latch_);
  const DocumentNumber number = free_number();
  *ids_.at(number) = std::move(id);
  id_bytes_ += 2 + document.id.size();
  try {
    by_id_.add(hash_of(document.id), number);
    for (const FieldHashes& hashes : document.fields) {
      FieldPart& part = fields_[hashes.field];
      std::copy(hashes.cut.begin(), hashes.cut.end(), part.cuts.make(number));
      std::copy(hashes.keys.begin(), hashes.keys.end(), part.keys.make(number));
      const std::size_t count = hashes.features.size();
      auto features = std::make_unique_for_overwrite<std::uint64_t[]>(1 + count);
      features[0] = count;
      std::copy(hashes.features.begin(), hashes.features.end(), features.get() + 1);
      *part.features.at(number) = std::move(features);
      feature_bytes_ += (1 + count) * sizeof(std::uint64_t);
      for (std::uint32_t band = 0; band < layout_.bands; ++band)
        part.bands[layout_.table(band)].prefetch(hidden_(hashes.keys[band]));
      for (std::uint32_t band = 0; band < layout_.bands; ++band)
        if (layout_.is_key(hashes.keys[band]))
          part.bands[layout_.table(band)].add(hidden_(hashes.keys[band]), number);
    }
  } catch (...) {
    erase(number);  // whatever of it is there
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
    // Its memory goes with the table.
  }
}

void Memtable::reclaim(const std::vector<Version>& earlier) {
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
  while (!removed_.empty()) {
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
}

void Memtable::erase(DocumentNumber document) noexcept {
  for (FieldPart& part : fields_) {
    std::unique_ptr<std::uint64_t[]>& features = *part.features.at(document);
    if (features == nullptr) continue;
    std::uint32_t* keys = part.keys.at(document);
    for (std::uint32_t band = 0; band < layout_.bands; ++band)
      if (layout_.is_key(keys[band]))
        part.bands[layout_.table(band)].remove(hidden_(keys[band]), document);
    std::fill_n(keys, layout_.bands, 0);
    std::fill_n(part.cuts.at(document), layout_.cut_bytes(), std::uint8_t{0});
    feature_bytes_ -= (1 + features[0]) * sizeof(std::uint64_t);
    features.reset();
  }
  lives_.at(document)->born.store(kNever, std::memory_order_release);
  by_id_.remove(hash_of(id(document)), document);
  id_bytes_ -= 2 + id(document).size();
  ids_.at(document)->reset();
  try {
    free_.push_back(document);
  } catch (const std::bad_alloc&) {
    // Nobody gets the number again.
  }
}

std::optional<DocumentNumber> Memtable::find(std::string_view wanted, Version at) const {
  std::optional<DocumentNumber> found;
  const std::shared_lock lock(latch_);
  by_id_.for_each(hash_of(wanted), [&](DocumentNumber number) {
    if (has_document(number, at) && id(number) == wanted) found = number;
  });
  return found;
}

std::string_view Memtable::id(DocumentNumber document) const noexcept {
  const char* const row = ids_.at(document)->get();
  std::uint16_t length = 0;
  std::memcpy(&length, row, 2);
  return {row + 2, length};
}

std::span<const std::uint64_t> Memtable::features(DocumentNumber document,
                                                  std::uint32_t field) const noexcept {
  const std::uint64_t* features = fields_[field].features.at(document)->get();
  if (features == nullptr) return {};
  return {features + 1, static_cast<std::size_t>(features[0])};
}

DocumentHashes Memtable::get_hashes(DocumentNumber document) const {
  DocumentHashes out{std::string(id(document)), {}};
  for (std::uint32_t field = 0; field < layout_.fields; ++field) {
    if (!has(document, field)) continue;
    const std::span<const std::uint64_t> of_field = features(document, field);
    const std::uint32_t* keys = fields_[field].keys.at(document);
    const std::uint8_t* cut_begin = fields_[field].cuts.at(document);
    out.fields.push_back({field,
                          {of_field.begin(), of_field.end()},
                          {keys, keys + layout_.bands},
                          {cut_begin, cut_begin + layout_.cut_bytes()}});
  }
  return out;
}

std::uint64_t Memtable::rough_bytes() const noexcept {
  constexpr std::uint64_t kEntryBytes = 11;  // at a load of three quarters
  const std::uint64_t of_field =
      layout_.bands * (kEntryBytes + sizeof(std::uint32_t)) + layout_.cut_bytes() + sizeof(void*);
  const std::uint64_t taken = end_ - free_.size();  // also by removed documents
  return feature_bytes_ + id_bytes_ +
         taken * (layout_.fields * of_field + kEntryBytes + sizeof(Life) + 24);
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
  sum.ids = id_bytes_ + ids_.bytes() + lives_.bytes() + by_id_.bytes();
  return sum;
}

}  // namespace benzer
