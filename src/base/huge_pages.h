// Allocates a large table in huge pages, where the system gives them on request. A table that is
// read at random places would otherwise walk the page tables at nearly every read.
#pragma once

#include <cstddef>
#include <new>

#include <sys/mman.h>

namespace benzer {

// An allocator for std::vector. It takes no more memory than the standard one, since a rest that
// does not fill a huge page is in small pages.
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
    ::madvise(memory, bytes, MADV_HUGEPAGE);  // a hint; without it the table is slower
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
