#include "datasketch_index.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "datasketch_buffer.h"

namespace nb = nanobind;

namespace benzer::python {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Copies items, reversing their bytes where the CPU is little-endian: hash values in the order of
// this machine become band keys, and band keys become hash values.
void copy_big_endian(const u8* from, std::size_t bytes, std::size_t item, u8* to) {
  if (item == 1 || std::endian::native == std::endian::big) {
    std::copy(from, from + bytes, to);
    return;
  }
  for (std::size_t i = 0; i < bytes; i += item) {
    std::reverse_copy(from + i, from + i + item, to + i);
  }
}

bool fit_in_32_bits(const u8* items, std::size_t count) {
  u64 all = 0;
  for (std::size_t i = 0; i < count; ++i) {
    u64 value = 0;
    std::memcpy(&value, items + i * sizeof(value), sizeof(value));
    all |= value;
  }
  return (all >> 32) == 0;
}

void narrow_items(const u8* from, std::size_t count, u8* to) {
  for (std::size_t i = 0; i < count; ++i) {
    u64 value = 0;
    std::memcpy(&value, from + i * sizeof(value), sizeof(value));
    const auto low = static_cast<u32>(value);
    std::memcpy(to + i * sizeof(low), &low, sizeof(low));
  }
}

void widen_items(const u8* from, std::size_t count, u8* to) {
  for (std::size_t i = 0; i < count; ++i) {
    u32 low = 0;
    std::memcpy(&low, from + i * sizeof(low), sizeof(low));
    const u64 value = low;
    std::memcpy(to + i * sizeof(value), &value, sizeof(value));
  }
}

std::string describe(std::size_t items, std::size_t item) {
  if (item == 1) return std::to_string(items) + " bytes";
  return std::to_string(items) + " values of " + std::to_string(item) + " bytes";
}

}  // namespace

DatasketchIndex::DatasketchIndex(std::size_t num_perm, std::size_t bands, std::size_t rows)
    : num_perm_(num_perm), bands_(bands), rows_(rows) {
  if (bands == 0 || rows == 0 || bands * rows > num_perm) {
    throw std::invalid_argument(std::to_string(bands) + " bands of " + std::to_string(rows) +
                                " rows need as many hash values, and there are " +
                                std::to_string(num_perm));
  }
}

// --- forms of a row ------------------------------------------------------------------------------

void DatasketchIndex::set_form(std::size_t item, std::size_t items_in_band, bool adding) {
  if (item_ == 0) {
    if (!adding) return;
    item_ = item;
    items_in_band_ = items_in_band;
    narrow_ = item == sizeof(u64);
    tables_.emplace(bands_, items_in_band * (narrow_ ? sizeof(u32) : item));
    return;
  }
  // As in datasketch, bands are equal if their bytes are, whatever type these had: two numbers of
  // four bytes are as good as one of eight.
  if (item * items_in_band != item_ * items_in_band_) {
    const char* const advice = item == 1
                                   ? "a hashfunc has to return the same number of bytes each time"
                                   : "all signatures of an index need the same type and scheme";
    throw std::invalid_argument("a band of " + describe(items_in_band, item) +
                                " was given, and this index has bands of " +
                                describe(items_in_band_, item_) + ": " + advice);
  }
}

const u8* DatasketchIndex::stored(const u8* native, std::size_t items) {
  if (item_ != sizeof(u64)) return native;
  if (narrow_ && !fit_in_32_bits(native, items)) widen();
  if (!narrow_) return native;
  scratch_.resize(items * sizeof(u32));
  narrow_items(native, items, scratch_.data());
  return scratch_.data();
}

void DatasketchIndex::widen() {
  const std::size_t items = bands_ * items_in_band_;
  tables_ = tables_->with_width(items_in_band_ * sizeof(u64),
                                [&](const u8* from, u8* to) { widen_items(from, items, to); });
  narrow_ = false;
}

const u8* DatasketchIndex::from_buffer(const Py_buffer& view, bool adding) {
  const auto item = static_cast<std::size_t>(view.itemsize);
  const auto bytes = static_cast<std::size_t>(view.len);
  if ((item != sizeof(u32) && item != sizeof(u64)) || bytes % (item * num_perm_) != 0 ||
      bytes == 0) {
    throw std::invalid_argument("hash values have " + std::to_string(bytes) +
                                " bytes in items of " + std::to_string(item) + "; needed are " +
                                std::to_string(num_perm_) + " values of 4 or 8 bytes");
  }
  set_form(item, rows_ * (bytes / item / num_perm_), adding);
  if (item_ == 0) return nullptr;
  const auto* values = static_cast<const u8*>(view.buf);
  const std::size_t items = bands_ * items_in_band_;
  if (item == item_) return stored(values, items);
  std::vector<u8> joined(items * item_);
  copy_big_endian(values, joined.size(), item, joined.data());
  native_.resize(joined.size());
  copy_big_endian(joined.data(), joined.size(), item_, native_.data());
  return stored(native_.data(), items);
}

const u8* DatasketchIndex::from_joined(const nb::bytes& joined, std::size_t item, std::size_t bands,
                                       bool adding) {
  if (joined.size() == 0 || bands == 0 || item == 0 || joined.size() % (bands * item) != 0) {
    throw std::invalid_argument(
        "band keys have " + std::to_string(joined.size()) +
        " bytes together, which is no multiple of " + std::to_string(bands) +
        " bands: a hashfunc has to return the same number of bytes each time");
  }
  set_form(item, joined.size() / bands / item, adding);
  if (item_ == 0) return nullptr;
  native_.resize(joined.size());
  copy_big_endian(static_cast<const u8*>(joined.data()), joined.size(), item_, native_.data());
  return stored(native_.data(), bands * items_in_band_);
}

std::vector<u8> DatasketchIndex::band_key(const u8* band) const {
  std::vector<u8> wide;
  if (narrow_) {
    wide.resize(items_in_band_ * sizeof(u64));
    widen_items(band, items_in_band_, wide.data());
    band = wide.data();
  }
  std::vector<u8> result(items_in_band_ * item_);
  copy_big_endian(band, result.size(), item_, result.data());
  return result;
}

// --- keys ----------------------------------------------------------------------------------------

std::optional<u32> DatasketchIndex::first_row(nb::handle key) const {
  PyObject* id = PyDict_GetItemWithError(ids_.ptr(), key.ptr());
  if (id == nullptr) {
    if (PyErr_Occurred() != nullptr) nb::raise_python_error();
    return std::nullopt;
  }
  return static_cast<u32>(PyLong_AsUnsignedLong(id));
}

void DatasketchIndex::refuse(nb::handle key) {
  PyErr_Format(PyExc_ValueError, "the key %R is in the index already: remove it first", key.ptr());
  nb::raise_python_error();
}

u32 DatasketchIndex::claim(nb::handle key, u32 id) {
  for (;;) {
    const std::uint64_t removals = removals_;
    // One call that looks the key up and adds it: between two, the key's own code, or another
    // thread while that runs, could add an equal key.
    const auto first = nb::cast<u32>(ids_.attr("setdefault")(key, id));
    // Without the GIL, another thread may have removed the row that was found.
    if (first == id || removals == removals_) return first;
  }
}

void DatasketchIndex::add(nb::handle key, const u8* row, bool check) {
  const u32 id = tables_->add(row);
  try {
    if (id < keys_.size()) {
      keys_[id] = key;
    } else {
      keys_.append(key);
    }
    if (const u32 first = claim(key, id); first != id) {
      if (check) refuse(key);
      more_rows_[first].push_back(id);
      first_of_[id] = first;
    }
  } catch (...) {
    // The key cannot be hashed or compared, or has been added meanwhile.
    tables_->remove(id);
    if (id < keys_.size()) keys_[id] = nb::none();
    throw;
  }
}

void DatasketchIndex::insert(nb::handle key, nb::handle values, bool check) {
  const Buffer buffer(values);
  // `add` checks as well; this saves adding and removing a row.
  if (check && first_row(key)) refuse(key);
  add(key, from_buffer(buffer.view(), true), check);
}

void DatasketchIndex::insert_joined(nb::handle key, const nb::bytes& joined, std::size_t item,
                                    bool check) {
  if (check && first_row(key)) refuse(key);
  add(key, from_joined(joined, item, bands_, true), check);
}

void DatasketchIndex::remove(nb::handle key) {
  // One call, as in `claim`.
  const nb::object found = ids_.attr("pop")(key, nb::none());
  if (found.is_none()) {
    PyErr_Format(PyExc_ValueError, "the key %R is not in the index", key.ptr());
    nb::raise_python_error();
  }
  const auto first = nb::cast<u32>(found);
  ++removals_;
  std::vector<u32> rows = {first};
  if (const auto more = more_rows_.find(first); more != more_rows_.end()) {
    rows.insert(rows.end(), more->second.begin(), more->second.end());
    more_rows_.erase(more);
  }
  // Destroyed last: the destructor of a key may call the index, which gives the rows to others.
  std::vector<nb::object> removed;
  for (const u32 id : rows) {
    first_of_.erase(id);
    tables_->remove(id);
    removed.push_back(nb::borrow(keys_[id]));
    keys_[id] = nb::none();
  }
}

bool DatasketchIndex::contains(nb::handle key) const { return first_row(key).has_value(); }

std::size_t DatasketchIndex::size() const { return ids_.size(); }

nb::list DatasketchIndex::keys() const { return ids_.keys(); }

nb::object DatasketchIndex::band_keys(nb::handle key) const {
  nb::list result;
  const std::optional<u32> first = first_row(key);
  if (!first) return nb::none();
  std::vector<u32> rows = {*first};
  if (const auto more = more_rows_.find(*first); more != more_rows_.end()) {
    rows.insert(rows.end(), more->second.begin(), more->second.end());
  }
  for (const u32 id : rows) {
    for (std::size_t band = 0; band < bands_; ++band) {
      const std::vector<u8> bytes = band_key(tables_->row(id) + band * tables_->width());
      result.append(nb::bytes(bytes.data(), bytes.size()));
    }
  }
  return result;
}

void DatasketchIndex::keep_first_rows(std::vector<u32>* ids) const {
  if (first_of_.empty()) return;
  for (u32& id : *ids) {
    if (const auto first = first_of_.find(id); first != first_of_.end()) id = first->second;
  }
  std::sort(ids->begin(), ids->end());
  ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
}

void DatasketchIndex::append_keys(std::vector<u32>* ids, nb::list* result) const {
  keep_first_rows(ids);
  for (const u32 id : *ids) {
    PyObject* key = PyList_GetItem(keys_.ptr(), static_cast<Py_ssize_t>(id));
    if (key == nullptr) nb::raise_python_error();
    result->append(nb::handle(key));
  }
}

nb::list DatasketchIndex::query(nb::handle values, std::size_t bands) {
  nb::list result;
  const Buffer buffer(values);
  std::vector<u32> ids;
  const u8* row = from_buffer(buffer.view(), false);
  if (row != nullptr) tables_->find(row, std::min(bands, bands_), &ids);
  append_keys(&ids, &result);
  return result;
}

nb::list DatasketchIndex::query_joined(const nb::bytes& joined, std::size_t item,
                                       std::size_t bands) {
  nb::list result;
  bands = std::min(bands, bands_);
  std::vector<u32> ids;
  const u8* row = from_joined(joined, item, bands, false);
  if (row != nullptr) tables_->find(row, bands, &ids);
  append_keys(&ids, &result);
  return result;
}

nb::list DatasketchIndex::bucket(std::size_t band, const nb::bytes& key) {
  nb::list result;
  std::vector<u32> ids;
  if (band < bands_ && item_ != 0 && key.size() == items_in_band_ * item_) {
    native_.resize(key.size());
    copy_big_endian(static_cast<const u8*>(key.data()), key.size(), item_, native_.data());
    tables_->find_in_band(band, stored(native_.data(), items_in_band_), &ids);
    std::sort(ids.begin(), ids.end());
  }
  append_keys(&ids, &result);
  return result;
}

nb::dict DatasketchIndex::bucket_sizes(std::size_t band) const {
  nb::dict result;
  if (band >= bands_ || item_ == 0) return result;
  std::vector<u8> joined;
  std::vector<std::size_t> sizes;
  tables_->for_each_bucket(band, [&](std::vector<u32>& ids) {
    const std::vector<u8> key = band_key(tables_->row(ids.front()) + band * tables_->width());
    joined.insert(joined.end(), key.begin(), key.end());
    keep_first_rows(&ids);
    sizes.push_back(ids.size());
  });
  const std::size_t bytes = items_in_band_ * item_;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    result[nb::bytes(joined.data() + i * bytes, bytes)] = nb::int_(sizes[i]);
  }
  return result;
}

// --- garbage collection --------------------------------------------------------------------------

int DatasketchIndex::traverse(visitproc visit, void* arg) {
  Py_VISIT(ids_.ptr());
  Py_VISIT(keys_.ptr());
  return 0;
}

void DatasketchIndex::clear() {
  // The objects may have been given back already.
  nb::dict no_ids;
  nb::list no_keys;
  std::swap(ids_, no_ids);
  std::swap(keys_, no_keys);
  tables_.reset();
  item_ = 0;
  more_rows_.clear();
  first_of_.clear();
}

}  // namespace benzer::python
