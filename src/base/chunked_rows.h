// A growing table of rows of equal width, in chunks that never move: no doubling, no copying, and
// memory in huge pages (fresh small pages cost more than filling them).
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include <sys/mman.h>

namespace benzer {

template <class T>
class ChunkedRows {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // width: elements per row; rows of width 0 cannot be appended.
  explicit ChunkedRows(std::size_t width = 1) : width_(width) {}

  std::size_t size() const noexcept { return size_; }
  std::size_t width() const noexcept { return width_; }

  const T* row(std::size_t i) const noexcept {
    return chunks_[i / kRows].get() + (i % kRows) * width_;
  }
  T* row(std::size_t i) noexcept { return chunks_[i / kRows].get() + (i % kRows) * width_; }

  // Appends count rows that lie one behind the other.
  void append(const T* rows, std::size_t count) {
    while (count > 0) {
      if (size_ == chunks_.size() * kRows) chunks_.push_back(allocate());
      const std::size_t room = chunks_.size() * kRows - size_;
      const std::size_t now = count < room ? count : room;
      std::memcpy(row(size_), rows, now * width_ * sizeof(T));
      size_ += now;
      rows += now * width_;
      count -= now;
    }
  }

  void clear() noexcept {
    chunks_.clear();
    size_ = 0;
  }

 private:
  static constexpr std::size_t kRows = std::size_t{1} << 15;
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;

  struct Free {
    void operator()(T* memory) const noexcept { std::free(memory); }
  };
  using Chunk = std::unique_ptr<T[], Free>;

  Chunk allocate() const {
    const std::size_t bytes = (kRows * width_ * sizeof(T) + kHugePage - 1) / kHugePage * kHugePage;
    void* memory = std::aligned_alloc(kHugePage, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    madvise(memory, bytes, MADV_HUGEPAGE);  // a wish; the kernel may refuse it
    return Chunk(static_cast<T*>(memory));
  }

  std::size_t width_;
  std::size_t size_ = 0;
  std::vector<Chunk> chunks_;
};

}  // namespace benzer
