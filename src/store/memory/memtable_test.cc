#include "store/memory/memtable.h"

#include <optional>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "store/store_test_util.h"

namespace benzer {
namespace {

TEST(Memtable, TakesNoMoreDocumentsThanHaveNumbers) {
  TestRandom random(1);
  Memtable table(kLayout, 3);
  for (const char* id : {"a", "b", "c"}) table.add(some_document(id, kLayout, random), 1);
  const DocumentHashes more = some_document("more", kLayout, random);
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

// A commit frees only a part of what a long query has kept, so that its writer need not wait;
// nobody sees the rest.
TEST(Memtable, GivesBackALimitedNumberAtOnce) {
  struct State {
    Version at = 0;
  };
  constexpr std::uint32_t kCount = 4 * Memtable::kAtOnce;
  TestRandom random(2);
  Memtable table(kLayout);
  Versions<State> versions(State{1});
  const DocumentHashes document = [&] {
    DocumentHashes out = some_document("", kLayout, random);
    while (out.fields.empty()) out = some_document("", kLayout, random);
    return out;
  }();
  for (std::uint32_t i = 0; i < kCount; ++i) {
    DocumentHashes one = document;
    one.id = "d" + std::to_string(i);
    one.fields[0].features.assign({i});  // no copies
    table.add(one, 1);
  }
  std::optional<Versions<State>::Pin> pin(versions);
  Version at = 1;
  const auto commit = [&] {
    versions.publish({++at});
    table.reclaim(versions);
    std::size_t found = 0;
    table.meet(document.fields[0], at, [&](DocumentNumber) { ++found; });
    EXPECT_EQ(found, 0U);
    return table.bytes().ids;
  };
  for (std::uint32_t i = 0; i < kCount; ++i) table.remove(i, 2);
  const std::uint64_t before = commit();
  pin.reset();
  std::uint64_t last = before, steps = 0;
  for (std::uint64_t now = commit(); now < last; now = commit(), ++steps) last = now;
  EXPECT_EQ(steps, kCount / Memtable::kAtOnce);
  EXPECT_EQ(table.size(), 0U);
}

// Contents with equal hashes are all found again: 300,000 contents have hashes of 32 bits.
TEST(Memtable, FindsContentsOfTheSameHash) {
  Memtable table({1, 1, 1});
  const auto add = [&](std::uint64_t i, const char* copy) {
    return table.add({"d" + std::to_string(i) + copy, {{0, {i}, {7}, {1}}}}, 1);
  };
  for (std::uint64_t i = 0; i < 300'000; ++i) add(i, "");
  for (std::uint64_t i = 0; i < 300'000; ++i)
    ASSERT_NE(table.original(add(i, "-again"), 1), 300'000 + i);
}

}  // namespace
}  // namespace benzer
