// The MinHashLSH of datasketch in memory: Python objects as keys, hash values as arrays of numpy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <nanobind/nanobind.h>

#include "datasketch_bands.h"

namespace benzer::python {

// Maps keys to rows of bands. A key may be added several times, as a caller of datasketch may ask
// for; it has several rows then.
//
// Hash values are given as a buffer of num_perm items, or as the joined band keys that datasketch
// computes from it: the items of a band in big-endian, one band after the other, or what a hash
// function of the user made of them. Items of eight bytes are stored in four as long as all of them
// fit, which holds for the `legacy` scheme.
//
// The GIL protects the object; in a build without one, each function is bound with a lock on the
// object. Code of the user may call the object again or let other threads run where
//   - a key is hashed or compared,
//   - a buffer is asked for,
//   - the last reference to an object goes away,
//   - a list or a dict is made, since that may run the garbage collector before Python 3.12.
// So no function keeps a pointer into the tables, or the number of a row, across any of these: a
// result is made first, then the tables are read, then bytes, numbers and keys are added to it.
class DatasketchIndex {
 public:
  DatasketchIndex(std::size_t num_perm, std::size_t bands, std::size_t rows);
  DatasketchIndex(const DatasketchIndex&) = delete;
  DatasketchIndex& operator=(const DatasketchIndex&) = delete;

  void insert(nanobind::handle key, nanobind::handle values, bool check);
  void insert_joined(nanobind::handle key, const nanobind::bytes& joined, std::size_t item,
                     bool check);
  nanobind::list query(nanobind::handle values, std::size_t bands);
  nanobind::list query_joined(const nanobind::bytes& joined, std::size_t item, std::size_t bands);
  void remove(nanobind::handle key);

  bool contains(nanobind::handle key) const;
  std::size_t size() const;
  nanobind::list keys() const;
  // The band keys of all rows of a key, or None.
  nanobind::object band_keys(nanobind::handle key) const;
  // The distinct keys in a bucket.
  nanobind::list bucket(std::size_t band, const nanobind::bytes& band_key);
  // From each band key to the number of distinct keys in its bucket.
  nanobind::dict bucket_sizes(std::size_t band) const;
  // The bytes of an item: 1 for joined digests, 4 or 8 for hash values, 0 for an empty index.
  std::size_t item_size() const { return item_; }

  // Called by the garbage collector of Python.
  int traverse(visitproc visit, void* argument);
  void clear();

 private:
  using u8 = std::uint8_t;
  using u32 = std::uint32_t;

  // Brings items of item_ bytes into the form of the tables; the result is valid until the next
  // call.
  const u8* stored(const u8* native, std::size_t items);
  void widen();
  const u8* from_buffer(const Py_buffer& view, bool adding);
  const u8* from_joined(const nanobind::bytes& joined, std::size_t item, std::size_t bands,
                        bool adding);
  void set_form(std::size_t item, std::size_t items_in_band, bool adding);
  [[noreturn]] static void refuse(nanobind::handle key);
  // Makes a row the first one of a key that has none, and returns the first row of the key.
  u32 claim(nanobind::handle key, u32 id);
  void add(nanobind::handle key, const u8* row, bool check);
  // Replaces rows by the first ones of their keys, each once and in ascending order.
  void keep_first_rows(std::vector<u32>* ids) const;
  void append_keys(std::vector<u32>* ids, nanobind::list* result) const;
  std::vector<u8> band_key(const u8* stored_band) const;
  std::optional<u32> first_row(nanobind::handle key) const;

  std::size_t num_perm_;
  std::size_t bands_;
  std::size_t rows_;
  std::size_t item_ = 0;           // bytes of an item as the caller sees it
  std::size_t items_in_band_ = 0;  // rows_, or twice as many for a WeightedMinHash
  bool narrow_ = false;            // items of eight bytes are stored in four
  std::optional<BandTables> tables_;
  nanobind::dict ids_;   // from key to its first row
  nanobind::list keys_;  // from row to key; None for a number that is not used
  std::unordered_map<u32, std::vector<u32>> more_rows_;  // of a key with several, by its first row
  std::unordered_map<u32, u32> first_of_;                // from such a row to the first one
  std::uint64_t removals_ = 0;
  std::vector<u8> scratch_;
  std::vector<u8> native_;
};

}  // namespace benzer::python
