#include "store/memory/memtable.h"

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "store/store_test_util.h"

namespace benzer {
namespace {

using testing::some_document;

TEST(Memtable, TakesNoMoreDocumentsThanHaveNumbers) {
  TestRandom random(1);
  Memtable table(testing::kLayout, 3);
  for (const char* id : {"a", "b", "c"}) table.add(some_document(id, testing::kLayout, random), 1);
  const DocumentHashes more = some_document("more", testing::kLayout, random);
  const std::uint64_t bytes = table.rough_bytes();
  EXPECT_THROW(table.add(more, 2), Error);
  EXPECT_EQ(table.size(), 3U);
  EXPECT_EQ(table.end(), 3U);
  EXPECT_EQ(table.rough_bytes(), bytes);
  EXPECT_FALSE(table.find("more", 2));
  table.remove(*table.find("b", 1), 1);
  table.add(more, 2);
  EXPECT_EQ(table.get_hashes(*table.find("more", 2)), more);
  EXPECT_EQ(table.end(), 3U);
}

}  // namespace
}  // namespace benzer
