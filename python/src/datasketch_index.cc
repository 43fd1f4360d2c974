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
  if (item != item_ || items_in_band != items_in_band_) {
    const std::string message = "a band of " + std::to_string(items_in_band * item) +
                                " bytes was given, and this index has bands of " +
                                std::to_string(items_in_band_ * item_) +
                                " bytes: all signatures of an index need the same type and scheme";
    throw std::invalid_argument(message);
  }
}

const u8* DatasketchIndex::stored(const u8* native, std::size_t item, std::size_t items) {
  if (item != sizeof(u64)) return native;
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
  return stored(static_cast<const u8*>(view.buf), item, bands_ * items_in_band_);
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
  copy_big_endian(static_cast<const u8*>(joined.data()), joined.size(), item, native_.data());
  return stored(native_.data(), item, bands * items_in_band_);
}

nb::bytes DatasketchIndex::band_key(const u8* band) const {
  std::vector<u8> wide;
  if (narrow_) {
    wide.resize(items_in_band_ * sizeof(u64));
    widen_items(band, items_in_band_, wide.data());
    band = wide.data();
  }
  std::vector<u8> result(items_in_band_ * item_);
  copy_big_endian(band, result.size(), item_, result.data());
  return nb::bytes(result.data(), result.size());
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

void DatasketchIndex::refuse_known(nb::handle key) const {
  if (first_row(key)) {
    PyErr_Format(PyExc_ValueError, "the key %R is in the index already: remove it first",
                 key.ptr());
    nb::raise_python_error();
  }
}

void DatasketchIndex::add(nb::handle key, const u8* row) {
  const u32 id = tables_->add(row);
  try {
    if (id < keys_.size()) {
      keys_[id] = key;
    } else {
      keys_.append(key);
    }
    if (const std::optional<u32> first = first_row(key)) {
      more_rows_[*first].push_back(id);
      first_of_[id] = *first;
    } else {
      ids_[key] = id;
    }
  } catch (...) {
    // The key cannot be hashed or compared.
    tables_->remove(id);
    if (id < keys_.size()) keys_[id] = nb::none();
    throw;
  }
}

void DatasketchIndex::insert(nb::handle key, nb::handle values, bool check) {
  const Buffer buffer(values);
  if (check) refuse_known(key);
  add(key, from_buffer(buffer.view(), true));
}

void DatasketchIndex::insert_joined(nb::handle key, const nb::bytes& joined, std::size_t item,
                                    bool check) {
  if (check) refuse_known(key);
  add(key, from_joined(joined, item, bands_, true));
}

void DatasketchIndex::remove(nb::handle key) {
  const std::optional<u32> first = first_row(key);
  if (!first) {
    PyErr_Format(PyExc_ValueError, "the key %R is not in the index", key.ptr());
    nb::raise_python_error();
  }
  if (PyDict_DelItem(ids_.ptr(), key.ptr()) != 0) nb::raise_python_error();
  std::vector<u32> rows = {*first};
  if (const auto more = more_rows_.find(*first); more != more_rows_.end()) {
    rows.insert(rows.end(), more->second.begin(), more->second.end());
    more_rows_.erase(more);
  }
  for (const u32 id : rows) {
    first_of_.erase(id);
    // While keys were compared, another thread may have removed the key and added it again.
    if (tables_->has(id)) tables_->remove(id);
  }
  // Last, since the destructor of a key may run code of the user.
  for (const u32 id : rows) keys_[id] = nb::none();
}

bool DatasketchIndex::contains(nb::handle key) const { return first_row(key).has_value(); }

std::size_t DatasketchIndex::size() const { return ids_.size(); }

nb::list DatasketchIndex::keys() const { return ids_.keys(); }

nb::object DatasketchIndex::band_keys(nb::handle key) const {
  const std::optional<u32> first = first_row(key);
  if (!first) return nb::none();
  std::vector<u32> rows = {*first};
  if (const auto more = more_rows_.find(*first); more != more_rows_.end()) {
    rows.insert(rows.end(), more->second.begin(), more->second.end());
  }
  nb::list result;
  for (const u32 id : rows) {
    for (std::size_t band = 0; band < bands_; ++band) {
      result.append(band_key(tables_->row(id) + band * tables_->width()));
    }
  }
  return result;
}

nb::list DatasketchIndex::keys_of(std::vector<u32>* ids) const {
  if (!first_of_.empty()) {
    for (u32& id : *ids) {
      if (const auto first = first_of_.find(id); first != first_of_.end()) id = first->second;
    }
    std::sort(ids->begin(), ids->end());
    ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
  }
  nb::list result;
  for (const u32 id : *ids) {
    PyObject* key = PyList_GetItem(keys_.ptr(), static_cast<Py_ssize_t>(id));
    if (key == nullptr) nb::raise_python_error();
    result.append(nb::handle(key));
  }
  return result;
}

nb::list DatasketchIndex::find(const u8* row, std::size_t bands) {
  std::vector<u32> ids;
  if (row != nullptr) tables_->find(row, bands, &ids);
  return keys_of(&ids);
}

nb::list DatasketchIndex::query(nb::handle values, std::size_t bands) {
  const Buffer buffer(values);
  return find(from_buffer(buffer.view(), false), std::min(bands, bands_));
}

nb::list DatasketchIndex::query_joined(const nb::bytes& joined, std::size_t item,
                                       std::size_t bands) {
  bands = std::min(bands, bands_);
  return find(from_joined(joined, item, bands, false), bands);
}

nb::list DatasketchIndex::bucket(std::size_t band, const nb::bytes& key) {
  std::vector<u32> ids;
  if (band < bands_ && item_ != 0 && key.size() == items_in_band_ * item_) {
    native_.resize(key.size());
    copy_big_endian(static_cast<const u8*>(key.data()), key.size(), item_, native_.data());
    tables_->find_in_band(band, stored(native_.data(), item_, items_in_band_), &ids);
    std::sort(ids.begin(), ids.end());
  }
  return keys_of(&ids);
}

nb::dict DatasketchIndex::bucket_sizes(std::size_t band) const {
  nb::dict result;
  if (band >= bands_ || item_ == 0) return result;
  tables_->for_each_bucket(band, [&](std::vector<u32>& ids) {
    const nb::bytes key = band_key(tables_->row(ids.front()) + band * tables_->width());
    result[key] = nb::int_(keys_of(&ids).size());
  });
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
