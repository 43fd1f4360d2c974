#include "datasketch_bands.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <xxhash.h>

namespace benzer::python {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Rows are allocated in chunks, so that a large index does not copy them when it grows.
constexpr std::size_t kChunkBytes = std::size_t{64} << 10;

// Lists of removed rows are cleaned when there are as many as live ones, and at least this many.
constexpr std::size_t kFewRemoved = 64;

constexpr std::size_t kFirstSlots = 8;

// Position of a hash in a table of any size. It keeps the order of the hashes, so that neighbours
// before growing are neighbours afterwards.
std::size_t position(u32 tag, std::size_t slots) { return (u64{tag} * slots) >> 32; }

}  // namespace

BandTables::BandTables(std::size_t bands, std::size_t width)
    : width_(width), stride_(bands * (sizeof(u32) + width)), tables_(bands) {
  // The numbers of next rows are read in place, so each row begins at a multiple of their size.
  stride_ = (stride_ + sizeof(u32) - 1) / sizeof(u32) * sizeof(u32);
  while ((stride_ << (chunk_bits_ + 1)) <= kChunkBytes) ++chunk_bits_;
}

u32 BandTables::next(u32 id, std::size_t band) const {
  u32 result = 0;
  std::memcpy(&result, at(id) + band * sizeof(u32), sizeof(u32));
  return result;
}

void BandTables::set_next(u32 id, std::size_t band, u32 other) {
  std::memcpy(at(id) + band * sizeof(u32), &other, sizeof(u32));
}

u32 BandTables::tag_of(const u8* bytes) const {
  return static_cast<u32>(XXH3_64bits(bytes, width_) >> 32);
}

std::size_t BandTables::slot_of(std::size_t band, u32 tag, const u8* bytes) const {
  const std::vector<Slot>& slots = tables_[band].slots;
  std::size_t i = position(tag, slots.size());
  while (slots[i].head != kNone) {
    if (slots[i].tag == tag &&
        std::memcmp(row(slots[i].head) + band * width_, bytes, width_) == 0) {
      break;
    }
    if (++i == slots.size()) i = 0;
  }
  return i;
}

void BandTables::compute_tags(const u8* row, std::size_t bands, std::vector<u32>* tags) const {
  tags->resize(bands);
  for (std::size_t band = 0; band < bands; ++band) {
    const u32 tag = tag_of(row + band * width_);
    (*tags)[band] = tag;
    // The slots are in as many places of memory as there are bands: ask for all of them now.
    const std::vector<Slot>& slots = tables_[band].slots;
    if (!slots.empty()) __builtin_prefetch(&slots[position(tag, slots.size())]);
  }
}

u32 BandTables::add(const u8* row) {
  u32 id = end_;
  if (!free_.empty()) {
    id = free_.back();
    free_.pop_back();
  } else {
    if (end_ == kNone) throw std::length_error("an index holds at most 4294967295 rows");
    reserve_rows(std::size_t{end_} + 1);
    alive_.push_back(0);
    ++end_;
  }
  std::memcpy(mutable_row(id), row, bands() * width_);
  alive_[id] = 1;
  ++live_;
  link(id);
  return id;
}

void BandTables::remove(u32 id) {
  alive_[id] = 0;
  --live_;
  ++removed_;
  if (removed_ >= std::max(kFewRemoved, live_)) link_all();
}

void BandTables::find(const u8* row, std::size_t bands, std::vector<u32>* ids) const {
  if (end_ == 0) return;
  thread_local std::vector<u32> tags;
  compute_tags(row, bands, &tags);
  const std::size_t first = ids->size();
  for (std::size_t band = 0; band < bands; ++band) {
    const std::size_t slot = slot_of(band, tags[band], row + band * width_);
    append_bucket(band, tables_[band].slots[slot].head, ids);
  }
  const auto begin = ids->begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, ids->end());
  ids->erase(std::unique(begin, ids->end()), ids->end());
}

void BandTables::find_in_band(std::size_t band, const u8* bytes, std::vector<u32>* ids) const {
  if (end_ == 0) return;
  append_bucket(band, tables_[band].slots[slot_of(band, tag_of(bytes), bytes)].head, ids);
}

void BandTables::append_bucket(std::size_t band, u32 head, std::vector<u32>* ids) const {
  for (u32 id = head; id != kNone; id = next(id, band)) {
    if (alive_[id] != 0) ids->push_back(id);
  }
}

void BandTables::link(u32 id) {
  thread_local std::vector<u32> tags;
  compute_tags(row(id), bands(), &tags);
  for (std::size_t band = 0; band < bands(); ++band) {
    Table& table = tables_[band];
    // At most four fifths of the slots are used, so that searches end soon.
    if (table.slots.empty() || table.used * 5 >= table.slots.size() * 4) grow(&table);
    Slot& slot = table.slots[slot_of(band, tags[band], row(id) + band * width_)];
    if (slot.head == kNone) {
      ++table.used;
      slot.tag = tags[band];
    }
    set_next(id, band, slot.head);
    slot.head = id;
  }
}

void BandTables::link_all() {
  for (Table& table : tables_) {
    // Tables keep their size if they will be filled again, and shrink after most rows were removed.
    const std::size_t wanted = std::max(kFirstSlots, live_ + live_ / 2);
    std::vector<Slot> slots(std::min(wanted, std::max(kFirstSlots, table.slots.size())));
    table.slots = std::move(slots);
    table.used = 0;
  }
  free_.clear();
  removed_ = 0;
  live_ = 0;
  for (u32 id = 0; id < end_; ++id) {
    if (has(id)) {
      link(id);
      ++live_;
    }
  }
  // The lowest numbers are given first.
  for (u32 id = end_; id > 0; --id) {
    if (!has(id - 1)) free_.push_back(id - 1);
  }
}

void BandTables::grow(Table* table) {
  std::vector<Slot> old = std::move(table->slots);
  table->slots = std::vector<Slot>(old.empty() ? kFirstSlots : old.size() + old.size() / 2);
  for (const Slot& slot : old) {
    if (slot.head == kNone) continue;
    std::size_t i = position(slot.tag, table->slots.size());
    while (table->slots[i].head != kNone) {
      if (++i == table->slots.size()) i = 0;
    }
    table->slots[i] = slot;
  }
}

void BandTables::reserve_rows(std::size_t rows) {
  const std::size_t in_chunk = std::size_t{1} << chunk_bits_;
  while (chunks_.size() * in_chunk < rows) {
    // Not set to zero: memory that no row uses yet stays with the system.
    chunks_.push_back(std::make_unique_for_overwrite<u8[]>(in_chunk * stride_));
  }
}

}  // namespace benzer::python
