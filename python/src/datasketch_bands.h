// The tables of an LSH index in memory: rows of bands, found again by any of their bands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace benzer::python {

// Keeps rows of `bands` bands, each of `width` bytes, under numbers that it chooses. Two rows share
// a bucket if they have the same bytes in the same band; the bytes are compared, not only their
// hashes.
//
// Memory for each row: its bytes, 4 bytes for each band (the next row of the same bucket), and for
// each bucket 10 to 15 bytes in an open hash table. A table grows by a half, since doubling would
// leave it half empty on average.
//
// Nothing here is synchronised: a caller locks the object for every call, also of const functions
// if another thread may change it.
class BandTables {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  BandTables(std::size_t bands, std::size_t width);

  std::size_t bands() const { return tables_.size(); }
  std::size_t width() const { return width_; }

  // Adds a row of bands() * width() bytes, and returns its number.
  std::uint32_t add(const std::uint8_t* row);

  // Removes a row, whose number may be given to another one afterwards. Takes constant time on
  // average: lists of buckets keep the row until as many rows are removed as are left.
  void remove(std::uint32_t id);

  // Appends the numbers of all rows that share one of the first `bands` bands with `row`, each once
  // and in ascending order.
  void find(const std::uint8_t* row, std::size_t bands, std::vector<std::uint32_t>* ids) const;

  // Appends the numbers of the rows in the bucket of these `width()` bytes, in any order.
  void find_in_band(std::size_t band, const std::uint8_t* bytes,
                    std::vector<std::uint32_t>* ids) const;

  // Calls `visit(ids)` for the numbers of the rows of each bucket that has any. `visit` must not
  // change the tables, nor call Python code that could.
  template <class Visit>
  void for_each_bucket(std::size_t band, const Visit& visit) const {
    std::vector<std::uint32_t> ids;
    for (const Slot& slot : tables_[band].slots) {
      ids.clear();
      append_bucket(band, slot.head, &ids);
      if (!ids.empty()) visit(ids);
    }
  }

  // The bytes of a row, bands() * width() of them.
  const std::uint8_t* row(std::uint32_t id) const {
    return at(id) + bands() * sizeof(std::uint32_t);
  }

  // One more than the largest number given so far.
  std::uint32_t end() const { return end_; }
  bool has(std::uint32_t id) const { return id < end_ && alive_[id] != 0; }

  // Copies the rows into tables of another width under the same numbers. `convert(from, to)` writes
  // one row.
  template <class Convert>
  BandTables with_width(std::size_t width, const Convert& convert) const {
    BandTables result(bands(), width);
    result.reserve_rows(end_);
    result.end_ = end_;
    result.alive_ = alive_;
    for (std::uint32_t id = 0; id < end_; ++id) {
      if (has(id)) convert(row(id), result.mutable_row(id));
    }
    result.link_all();
    return result;
  }

 private:
  // A bucket: 32 bits of the hash of its bytes, and the first row of its list.
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t head = kNone;
  };
  struct Table {
    std::vector<Slot> slots;
    std::size_t used = 0;
  };

  // A row is stored as the numbers of the next rows of its buckets, then its bytes.
  const std::uint8_t* at(std::uint32_t id) const {
    return chunks_[id >> chunk_bits_].get() +
           (id & ((std::uint32_t{1} << chunk_bits_) - 1)) * stride_;
  }
  std::uint8_t* at(std::uint32_t id) {
    return chunks_[id >> chunk_bits_].get() +
           (id & ((std::uint32_t{1} << chunk_bits_) - 1)) * stride_;
  }
  std::uint8_t* mutable_row(std::uint32_t id) { return at(id) + bands() * sizeof(std::uint32_t); }
  std::uint32_t next(std::uint32_t id, std::size_t band) const;
  void set_next(std::uint32_t id, std::size_t band, std::uint32_t other);

  std::uint32_t tag_of(const std::uint8_t* bytes) const;
  // The slot of a bucket, or the empty one where it belongs.
  std::size_t slot_of(std::size_t band, std::uint32_t tag, const std::uint8_t* bytes) const;
  void append_bucket(std::size_t band, std::uint32_t head, std::vector<std::uint32_t>* ids) const;
  void compute_tags(const std::uint8_t* row, std::size_t bands,
                    std::vector<std::uint32_t>* tags) const;
  void link(std::uint32_t id);
  void link_all();
  void grow(Table* table);
  void reserve_rows(std::size_t rows);

  std::size_t width_;
  std::size_t stride_;
  std::uint32_t chunk_bits_ = 0;
  std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;
  std::vector<Table> tables_;
  std::vector<std::uint8_t> alive_;
  std::vector<std::uint32_t> free_;  // numbers that no list mentions any more
  std::uint32_t end_ = 0;
  std::size_t live_ = 0;
  std::size_t removed_ = 0;  // rows that lists still mention
};

}  // namespace benzer::python
