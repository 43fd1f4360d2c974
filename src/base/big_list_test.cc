#include "base/big_list.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/few_open_files.h"
#include "base/test_random.h"

namespace benzer {
namespace {

using testing::ElementsAreArray;

template <class T>
std::vector<T> list_of(const BigList<T>& list) {
  std::vector<T> out;
  list.for_each([&](const T& item) { out.push_back(item); });
  return out;
}

struct Wide {
  std::uint64_t key;
  char rest[40];
  bool operator<(const Wide& other) const { return key < other.key; }
};

TEST(Sorter, SortsWhateverTheLimit) {
  TestRandom random(1);
  for (const std::size_t count : {0, 1, 2, 1023, 1024, 1025, 5000, 40000}) {
    for (const std::uint64_t range : {std::uint64_t{3}, std::uint64_t{1000}, ~std::uint64_t{0}}) {
      std::vector<std::uint64_t> items;
      for (std::size_t i = 0; i < count; ++i) items.push_back(random.below(range));
      std::vector<std::uint64_t> sorted = items;
      std::sort(sorted.begin(), sorted.end());
      const std::set<std::uint64_t> different(items.begin(), items.end());
      for (const std::uint64_t limit : {0, 1, 1 << 20}) {
        const Workspace workspace(limit);
        Sorter<std::uint64_t> all(workspace, 8192);
        Sorter<std::uint64_t> once(workspace, 8192, Sorter<std::uint64_t>::kDrop);
        for (const std::uint64_t item : items) {
          all.add(item);
          once.add(item);
        }
        EXPECT_EQ(list_of(all.finish()), sorted) << count << " " << range << " " << limit;
        EXPECT_THAT(list_of(once.finish()), ElementsAreArray(different));
      }
    }
  }
}

TEST(Sorter, ManyRepeatsTakeTheRoomOfTheDifferentOnes) {
  const Workspace workspace(1);
  Sorter<std::uint64_t> sorter(workspace, 8192, Sorter<std::uint64_t>::kDrop);
  for (std::uint64_t i = 0; i < 100000; ++i) sorter.add(i % 7);
  EXPECT_EQ(sorter.finish().size(), 7u);
}

// A sort opens few files for any number of runs. Here each run has 1024 items.
TEST(Sorter, ManyRunsTakeFewOpenFiles) {
  const FewOpenFiles few(4);
  const Workspace workspace(1);
  Sorter<std::uint64_t> sorter(workspace, 1);
  TestRandom random(2);
  std::vector<std::uint64_t> items;
  for (int i = 0; i < 300'000; ++i) items.push_back(random.below(~std::uint64_t{0}));
  for (const std::uint64_t item : items) sorter.add(item);
  std::sort(items.begin(), items.end());
  EXPECT_EQ(list_of(sorter.finish()), items);
}

TEST(BigList, IsReadFromAnyPlace) {
  const Workspace workspace(1);
  Sorter<Wide> sorter(workspace, 1);
  for (std::uint64_t i = 0; i < 5000; ++i) sorter.add({i * 7919 % 5000, {}});
  const BigList<Wide> list = sorter.finish();
  ASSERT_EQ(list.size(), 5000u);
  for (const std::size_t begin : {0, 1, 77, 4998, 4999}) {
    BigList<Wide>::Cursor cursor(list, begin, 100);
    for (std::uint64_t i = begin; i < 5000; ++i) EXPECT_EQ(cursor.next()->key, i);
    EXPECT_EQ(cursor.next(), nullptr);
  }
}

}  // namespace
}  // namespace benzer
