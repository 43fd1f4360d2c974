#include "base/huge_pages.h"

#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace benzer {
namespace {

using Numbers = std::vector<std::uint64_t, HugePageAllocator<std::uint64_t>>;
constexpr std::size_t kPageBytes = HugePageAllocator<std::uint64_t>::kPageBytes;

TEST(HugePages, BeginWhereAPageDoes) {
  for (const std::size_t bytes : {kPageBytes, kPageBytes + 8, 3 * kPageBytes - 8}) {
    const Numbers numbers(bytes / 8, 7);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers.data()) % kPageBytes, 0U) << bytes;
  }
}

TEST(HugePages, KeepWhatIsInThemAsTheyGrow) {
  Numbers numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0U);
  while (numbers.size() * 8 < 3 * kPageBytes) {  // from small to large
    const std::size_t old = numbers.size();
    numbers.resize(2 * old);
    std::iota(numbers.begin() + static_cast<std::ptrdiff_t>(old), numbers.end(), old);
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i);
  numbers.resize(10);
  numbers.shrink_to_fit();
  EXPECT_EQ(numbers, Numbers({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

}  // namespace
}  // namespace benzer
