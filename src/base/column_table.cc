#include "base/column_table.h"

#include <algorithm>
#include <cstring>
#include <new>

#include <sys/mman.h>

namespace benzer {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kCacheLine = 64;
// The most bytes of a chunk, for any number of columns. Even a table of few rows writes to a page
// of each column.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

}  // namespace

ColumnTable::ColumnTable(std::vector<std::size_t> widths, Workspace& workspace)
    : workspace_(workspace), widths_(std::move(widths)), file_(workspace) {
  std::size_t row_bytes = 0;
  for (const std::size_t width : widths_) row_bytes += width;
  // Limits the size of a chunk, since the last chunk is always in memory, and each reader holds one
  // column of a chunk.
  while (chunk_bits_ > 6 && (row_bytes << chunk_bits_) > workspace.share(64, kMostBytes))
    --chunk_bits_;
  for (const std::size_t width : widths_) {
    begins_.push_back(chunk_bytes_);
    // Each column begins at a cache line.
    chunk_bytes_ += (width * chunk_rows() + kCacheLine - 1) / kCacheLine * kCacheLine;
  }
  // Rounding a small chunk up to whole huge pages would waste a large part of the limit.
  unit_ = workspace.limited() && chunk_bytes_ < 4 * kHugePage ? kCacheLine : kHugePage;
  chunk_memory_ = std::max((chunk_bytes_ + unit_ - 1) / unit_, std::size_t{1}) * unit_;
}

std::unique_ptr<char[], ColumnTable::Free> ColumnTable::allocate() const {
  void* memory = std::aligned_alloc(unit_, chunk_memory_);
  if (memory == nullptr) throw std::bad_alloc();
  // A hint, which the kernel may ignore.
  if (unit_ == kHugePage) madvise(memory, chunk_memory_, MADV_HUGEPAGE);
  return std::unique_ptr<char[], Free>(static_cast<char*>(memory));
}

// Called when the last chunk is full. Keeps it in memory if the workspace has room; otherwise
// writes it to the file and uses its memory for the next chunk.
void ColumnTable::close_last_chunk() {
  if (workspace_.hold(chunk_memory_)) {
    chunks_.emplace_back().memory = allocate();
    return;
  }
  Chunk& last = chunks_.back();
  last.offset = file_.append(last.memory.get(), chunk_bytes_);
  auto memory = std::move(last.memory);
  chunks_.emplace_back().memory = std::move(memory);
}

void ColumnTable::append(std::span<const void* const> columns, std::size_t rows) {
  for (std::size_t done = 0; done < rows;) {
    if (chunks_.empty()) {
      chunks_.emplace_back().memory = allocate();
    } else if (size_ == chunks_.size() * chunk_rows()) {
      close_last_chunk();
    }
    const std::size_t used = size_ - (chunks_.size() - 1) * chunk_rows();
    const std::size_t now = std::min(rows - done, chunk_rows() - used);
    char* memory = chunks_.back().memory.get();
    for (std::size_t c = 0; c < widths_.size(); ++c) {
      if (widths_[c] == 0) continue;
      std::memcpy(memory + begins_[c] + used * widths_[c],
                  static_cast<const char*>(columns[c]) + done * widths_[c], now * widths_[c]);
    }
    size_ += now;
    done += now;
  }
}

void ColumnTable::shrink(std::uint64_t most_held) {
  for (std::size_t i = chunks_.size(); i-- > 0 && workspace_.held() > most_held;) {
    Chunk& chunk = chunks_[i];
    if (!chunk.memory || i + 1 == chunks_.size()) continue;  // the last one is not held
    chunk.offset = file_.append(chunk.memory.get(), chunk_bytes_);
    chunk.memory.reset();
    workspace_.release(chunk_memory_);
  }
}

std::size_t ColumnTable::rows_of(std::size_t chunk) const noexcept {
  return std::min(chunk_rows(), size_ - chunk * chunk_rows());
}

const void* ColumnTable::chunk(std::size_t chunk, std::size_t column,
                               std::vector<char>& buffer) const {
  const Chunk& from = chunks_[chunk];
  if (from.memory) return from.memory.get() + begins_[column];
  const std::size_t bytes = rows_of(chunk) * widths_[column];
  if (buffer.size() < bytes) buffer.resize(bytes);
  file_.read(from.offset + begins_[column], buffer.data(), bytes);
  return buffer.data();
}

const void* ColumnTable::resident(std::size_t row, std::size_t column) const noexcept {
  const Chunk& from = chunks_[row >> chunk_bits_];
  if (!from.memory) return nullptr;
  return from.memory.get() + begins_[column] + (row & (chunk_rows() - 1)) * widths_[column];
}

const void* ColumnTable::value(std::size_t row, std::size_t column,
                               std::vector<char>& buffer) const {
  if (const void* here = resident(row, column)) return here;
  const std::size_t width = widths_[column];
  if (buffer.size() < width) buffer.resize(width);
  file_.read(
      chunks_[row >> chunk_bits_].offset + begins_[column] + (row & (chunk_rows() - 1)) * width,
      buffer.data(), width);
  return buffer.data();
}

}  // namespace benzer
