#include "store/memory/band_table.h"

#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace benzer {
namespace {

using Places = std::map<std::uint32_t, std::set<std::uint32_t>>;

std::vector<std::uint32_t> numbers(const BandTable& table, std::uint32_t key) {
  std::vector<std::uint32_t> out;
  table.for_each(key, [&](std::uint32_t number) { out.push_back(number); });
  return out;
}

void expect_same(const BandTable& table, const Places& model) {
  std::size_t size = 0;
  for (const auto& [key, documents] : model) {
    EXPECT_EQ(numbers(table, key), std::vector<std::uint32_t>(documents.begin(), documents.end()))
        << key;
    size += documents.size();
  }
  EXPECT_EQ(table.size(), size);
  EXPECT_TRUE(table.is_sound());
}

// Few keys, many of them equal, and the ends of the range.
std::uint32_t some_key(std::uint32_t chosen) {
  constexpr std::uint32_t kEnds[] = {0, 1, 0xFFFFFFFF, 0xFFFFFFFE, 0x80000000};
  if (chosen % 7 == 0) return kEnds[chosen / 7 % 5];
  return chosen % 3 == 0 ? 0x12345678 + chosen % 4 : chosen * 2654435761u;
}

RC_GTEST_PROP(BandTable, IsAMapOfSets, ()) {
  const auto steps = *rc::gen::container<std::vector<std::pair<std::uint32_t, bool>>>(
      rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, 400), rc::gen::arbitrary<bool>()));
  BandTable table;
  Places model;
  for (const auto& [chosen, adds] : steps) {
    const std::uint32_t key = some_key(chosen % 20);
    const std::uint32_t number = chosen / 20;
    if (adds) {
      if (model[key].insert(number).second) table.add(key, number);
    } else {
      RC_ASSERT(table.remove(key, number) == (model[key].erase(number) == 1));
    }
    RC_ASSERT(table.is_sound());
  }
  expect_same(table, model);
}

TEST(BandTable, HoldsManyKeysAndForgetsThem) {
  BandTable table;
  Places model;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const std::uint32_t key = some_key(i);
    if (model[key].insert(i).second) table.add(key, i);
  }
  expect_same(table, model);
  EXPECT_TRUE(numbers(table, 0x0BADBEEF).empty());
  for (auto& [key, documents] : model)
    for (const std::uint32_t number : documents) EXPECT_TRUE(table.remove(key, number));
  EXPECT_EQ(table.size(), 0U);
  EXPECT_TRUE(table.is_sound());
  for (const auto& [key, documents] : model) EXPECT_TRUE(numbers(table, key).empty());
}

TEST(BandTable, KeepsKeysThatCrowdTheEnd) {
  BandTable table;
  Places model;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    const std::uint32_t key = 0xFFFFFFFF - i % 1500;
    model[key].insert(i);
    table.add(key, i);
  }
  expect_same(table, model);
}

TEST(BandTable, TakesLittleMoreThanItsEntries) {
  BandTable table;
  std::uint64_t state = 1;
  constexpr std::size_t kEntries = 200'000;
  for (std::uint32_t i = 0; i < kEntries; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    table.add(static_cast<std::uint32_t>(state >> 32), i);
  }
  EXPECT_LT(table.bytes(), kEntries * 8 * 100 / 65);
  EXPECT_TRUE(table.is_sound());
}

// 23 million documents with 128 keys each in one table need that many.
TEST(BandTable, HasPlacesBeyond32Bits) {
  constexpr std::size_t kPlaces = std::size_t{3} << 32;
  EXPECT_EQ(BandTable::home(0, kPlaces), 0U);
  EXPECT_EQ(BandTable::home(0x80000000, kPlaces), kPlaces / 2);
  EXPECT_EQ(BandTable::home(0xFFFFFFFF, kPlaces), kPlaces - 3);
}

}  // namespace
}  // namespace benzer
