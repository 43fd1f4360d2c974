#include "image/file_hash.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace benzer {
namespace {

std::uint64_t masked(std::uint64_t word) { return word & 0x1FFF'FFFF'FFFF'FFFF; }

// FIPS 180-4, example "abc": ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61
// f20015ad.
TEST(FileHash, IsSha256) {
  const FileHash hash = hash_of_file("abc");
  EXPECT_EQ(hash.words[0], masked(0xeacf018fbf1678ba));
  EXPECT_EQ(hash.words[1], masked(0x2322ae5dde404141));
  EXPECT_EQ(hash.words[2], masked(0x9c7a1796a36103b0));
  EXPECT_EQ(hash.words[3], masked(0xad1500f261ff10b4));
  EXPECT_TRUE(hash_of_file("").is_there());
  EXPECT_FALSE(FileHash().is_there());
}

TEST(FileHash, FeaturesAreReadInAnyOrder) {
  const FileHash hash = hash_of_file("abc");
  std::vector<std::uint64_t> features;
  add_file_features(hash, features);
  ASSERT_EQ(features.size(), 4u);
  EXPECT_TRUE(std::is_sorted(features.begin(), features.end()));
  std::reverse(features.begin(), features.end());
  FileHash read;
  for (const std::uint64_t feature : features) {
    EXPECT_NE(feature & kBytesMark, 0u);
    read_file_feature(feature, read);
  }
  EXPECT_EQ(read, hash);
}

}  // namespace
}  // namespace benzer
