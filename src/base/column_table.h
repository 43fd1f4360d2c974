// Stores a table of rows with columns of fixed width, which grows at its end, in memory or in a
// scratch file.
//
// Rows are in chunks that never move, column by column, so that one column can be read without the
// others. A full chunk stays in memory, a large one in huge pages (fresh small pages cost more than
// filling them). It is written to the scratch file if the workspace has no room for it.
// Threads: one writer, then any number of readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "base/workspace.h"

namespace benzer {

class ColumnTable {
 public:
  // widths: bytes per row of each column. The workspace must outlive the table.
  ColumnTable(std::vector<std::size_t> widths, Workspace& workspace);

  std::size_t size() const noexcept { return size_; }
  std::size_t width(std::size_t column) const noexcept { return widths_[column]; }
  // Rows of a chunk: two to this power, so that a chunk has at most 16 MiB (or 64 rows).
  int chunk_bits() const noexcept { return chunk_bits_; }

  // Appends `rows` rows; columns[c] points to the values of column c, one after the other.
  void append(std::span<const void* const> columns, std::size_t rows);

  // Moves full chunks to the file until the workspace holds at most `most_held` bytes.
  void shrink(std::uint64_t most_held);

  // Returns the values of a column in one chunk: where they are in memory, or a copy in the buffer.
  const void* chunk(std::size_t chunk, std::size_t column, std::vector<char>& buffer) const;
  // Returns one value, or null if it is in the file.
  const void* resident(std::size_t row, std::size_t column) const noexcept;
  const void* value(std::size_t row, std::size_t column, std::vector<char>& buffer) const;

 private:
  struct Free {
    void operator()(char* memory) const noexcept { std::free(memory); }
  };
  struct Chunk {
    std::unique_ptr<char[], Free> memory;  // null: in the file
    std::uint64_t offset = 0;
  };

  std::size_t chunk_rows() const noexcept { return std::size_t{1} << chunk_bits_; }
  std::size_t rows_of(std::size_t chunk) const noexcept;
  std::unique_ptr<char[], Free> allocate() const;
  void close_last_chunk();

  Workspace& workspace_;
  std::vector<std::size_t> widths_;
  std::vector<std::size_t> begins_;  // of each column in a chunk
  int chunk_bits_ = 15;
  std::size_t chunk_bytes_ = 0;
  std::size_t unit_ = 0;          // a chunk in memory begins at a multiple of it
  std::size_t chunk_memory_ = 0;  // bytes of a chunk in memory: whole units
  std::vector<Chunk> chunks_;
  ScratchFile file_;
  std::size_t size_ = 0;
};

// Reads the values of one column. row() is cheap for rows that follow one another; one() is for
// single rows at random places. A pointer is valid until the next call. Threads: one.
template <class T>
class ColumnReader {
 public:
  ColumnReader(const ColumnTable& table, std::size_t column)
      : table_(&table),
        column_(column),
        per_row_(table.width(column) / sizeof(T)),
        chunk_bits_(table.chunk_bits()) {}

  const T* row(std::size_t row) {
    const std::size_t chunk = row >> chunk_bits_;
    if (chunk != chunk_) {
      values_ = static_cast<const T*>(table_->chunk(chunk, column_, buffer_));
      chunk_ = chunk;
    }
    return values_ + (row & ((std::size_t{1} << chunk_bits_) - 1)) * per_row_;
  }
  const T* one(std::size_t row) {
    return static_cast<const T*>(table_->value(row, column_, single_));
  }

 private:
  const ColumnTable* table_;
  std::size_t column_;
  std::size_t per_row_;
  int chunk_bits_;
  std::size_t chunk_ = ~std::size_t{0};
  const T* values_ = nullptr;
  std::vector<char> buffer_, single_;
};

}  // namespace benzer
