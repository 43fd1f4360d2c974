#include "base/column_table.h"

#include <gtest/gtest.h>

#include "base/test_random.h"

namespace benzer {
namespace {

TEST(ColumnTable, GivesBackWhatWasAppendedWhereverItLies) {
  for (const std::uint64_t limit : {0, 1, 100000, 1 << 20}) {
    Workspace workspace(limit);
    ColumnTable table({8, 0, 24, 1}, workspace);
    TestRandom random(limit);
    std::uint64_t row = 0;
    for (const std::size_t rows : {0, 1, 63, 64, 65, 700, 40000, 3}) {
      std::vector<std::uint64_t> numbers, triples;
      std::vector<std::uint8_t> bytes;
      for (std::size_t i = 0; i < rows; ++i, ++row) {
        numbers.push_back(row);
        for (int k = 0; k < 3; ++k) triples.push_back(row * 3 + static_cast<unsigned>(k));
        bytes.push_back(static_cast<std::uint8_t>(row));
      }
      const void* columns[] = {numbers.data(), nullptr, triples.data(), bytes.data()};
      table.append(columns, rows);
    }
    ASSERT_EQ(table.size(), row);
    ColumnReader<std::uint64_t> numbers(table, 0), triples(table, 2);
    ColumnReader<std::uint8_t> bytes(table, 3);
    for (std::size_t i = 0; i < row; ++i) {
      ASSERT_EQ(*numbers.row(i), i) << limit;
      ASSERT_EQ(triples.row(i)[2], 3 * i + 2);
      ASSERT_EQ(*bytes.row(i), static_cast<std::uint8_t>(i));
    }
    for (int trial = 0; trial < 1000; ++trial) {
      const std::size_t i = random.below(row);
      ASSERT_EQ(*numbers.row(i), i);
      ASSERT_EQ(triples.one(i)[1], 3 * i + 1);
    }
    std::vector<char> buffer;
    EXPECT_EQ(table.resident(0, 0) == nullptr, limit == 1) << limit;
    EXPECT_NE(table.resident(row - 1, 0), nullptr);  // the last chunk
  }
}

}  // namespace
}  // namespace benzer
