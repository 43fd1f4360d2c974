#include "dedup/buckets.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "base/test_random.h"

namespace benzer {
namespace {

constexpr int kSlots = 64;

// Documents with random keys in two bands. Of some of them the set is that of another document, and
// some take no part.
struct Documents {
  Documents(std::uint64_t seed, std::uint32_t count, std::uint64_t different_keys,
            Workspace& workspace)
      : table(2, kSlots, 0, workspace) {
    TestRandom random(seed);
    SketchRows rows;
    rows.facts.resize(count);
    rows.sets.resize(count);
    rows.keys.resize(2);
    std::vector<std::uint64_t> spread = random.numbers(different_keys);
    for (std::uint32_t document = 0; document < count; ++document) {
      for (auto& keys : rows.keys) keys.push_back(spread[random.below(different_keys)]);
      for (int slot = 0; slot < kSlots; ++slot)
        rows.cut.push_back(static_cast<std::uint8_t>(random.below(256)));
    }
    table.append(rows);
    sets.set_of.resize(count, kNoSet);
    sets.is_first.resize(count);
    for (std::uint32_t document = count; document-- > 0;) {  // last documents first
      const std::uint64_t kind = random.below(10);
      if (kind == 0) continue;
      sets.set_of[document] = sets.size();
      if (kind == 1 && sets.size() > 0) {
        sets.set_of[document] = static_cast<SetNumber>(random.below(sets.size()));
        continue;
      }
      sets.is_first[document] = true;
      sets.document.push_back(document);
    }
  }

  // Returns the sets of each key that more than one has.
  std::map<std::uint64_t, std::vector<SetNumber>> buckets(std::size_t band) const {
    std::map<std::uint64_t, std::vector<SetNumber>> out;
    auto keys = table.keys(band);
    for (SetNumber set = 0; set < sets.size(); ++set)
      out[*keys.one(sets.document[set])].push_back(set);
    std::erase_if(out, [](const auto& bucket) { return bucket.second.size() == 1; });
    return out;
  }

  SketchTable table;
  DistinctSets sets;
};

TEST(BandBuckets, GoesThroughAllBucketsInPiecesOfAnySize) {
  constexpr std::uint32_t kDocuments = 3000;
  for (const std::uint64_t different_keys : {1, 40, 2500, 1'000'000}) {
    for (const std::uint64_t limit : {0, 100'000}) {
      for (const std::size_t bytes : {1, 3000, 30'000, 10'000'000}) {
        for (const std::size_t large : {0, 60}) {
          const std::size_t small = large == 0 ? 1 : 3;
          SCOPED_TRACE(testing::Message()
                       << different_keys << " keys, limit " << limit << ", bytes " << bytes
                       << ", small " << small << ", large " << large);
          Workspace workspace(limit);
          const Documents documents(different_keys, kDocuments, different_keys, workspace);
          BandBuckets buckets(documents.table, documents.sets, bytes, small, large);
          for (const std::size_t band : {0, 1}) {
            std::map<std::uint64_t, std::vector<SetNumber>> found;
            std::size_t most = 0;
            auto signatures = documents.table.cut_signatures();
            for (buckets.start(band); buckets.next();) {
              const auto entries = buckets.entries();
              std::size_t gathered = 0;
              buckets.for_each_bucket([&](std::size_t begin, std::size_t end) {
                auto& bucket = found[entries[begin].key];
                EXPECT_TRUE(bucket.empty());
                for (std::size_t i = begin; i < end; ++i) {
                  EXPECT_EQ(entries[i].key, entries[begin].key);
                  bucket.push_back(entries[i].set);
                  if (buckets.is_small(begin, end) || buckets.is_large(begin, end)) continue;
                  ++gathered;
                  const std::uint8_t* wanted =
                      signatures.one(documents.sets.document[entries[i].set]);
                  EXPECT_TRUE(std::equal(wanted, wanted + kSlots, buckets.signature(i)));
                }
                EXPECT_EQ(buckets.is_small(begin, end), end - begin <= small);
                EXPECT_EQ(buckets.is_large(begin, end), large != 0 && end - begin > large);
              });
              most = std::max(most, gathered);
            }
            EXPECT_EQ(found, documents.buckets(band));
            // A piece with more signatures than fit is a single bucket.
            if (limit != 0 && bytes == 30'000 && different_keys == 2500) {
              EXPECT_LE(most, bytes / kSlots);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace benzer
