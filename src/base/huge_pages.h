// Memory for a large table that is read all over, so that nearly every read would begin with a walk
// through the page tables: in huge pages, where the system gives them on request.
#pragma once

#include <cstddef>
#include <new>

#include <sys/mman.h>

namespace benzer {

// For std::vector. Takes no more memory than another one: what does not fill a huge page is in
// small ones.
template <class T>
struct HugePageAllocator {
  using value_type = T;
  static constexpr std::size_t kPageBytes = std::size_t{2} << 20;

  HugePageAllocator() = default;
  template <class Other>
  HugePageAllocator(const HugePageAllocator<Other>&) noexcept {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kPageBytes) return static_cast<T*>(::operator new(bytes));
    void* const memory = ::operator new(bytes, std::align_val_t{kPageBytes});
    ::madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: without it the table is slower
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (count * sizeof(T) < kPageBytes) {
      ::operator delete(memory);
    } else {
      ::operator delete(memory, std::align_val_t{kPageBytes});
    }
  }
  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }
};

}  // namespace benzer
