#include "verify/hash_index.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/similarity.h"

#include "base/test_random.h"
#include "verify/feature_comparison.h"

namespace benzer {
namespace {

ImageHash random_hash(TestRandom& random, int bits) {
  ImageHash hash;
  for (int word = 0; word < bits / 64; ++word)
    hash.words[static_cast<std::size_t>(word)] = random.next();
  return hash;
}

// Returns the hash with `distance` random bits changed.
ImageHash changed(ImageHash hash, int bits, int distance, TestRandom& random) {
  std::vector<int> order(static_cast<std::size_t>(bits));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(distance); ++i) {
    std::swap(order[i], order[i + random.below(order.size() - i)]);
    hash.words[static_cast<std::size_t>(order[i]) / 64] ^= std::uint64_t{1} << order[i] % 64;
  }
  return hash;
}

TEST(ChunkRadius, SumsToJustEnough) {
  for (const int chunks : {4, 16})
    for (int most = 0; most < chunks * 4; ++most) {
      // A hash that no look-up finds differs in at least one bit more than the radius of each
      // chunk.
      int least_missed = 0;
      for (int place = 0; place < chunks; ++place)
        least_missed += chunk_radius(chunks, place, most) + 1;
      EXPECT_EQ(least_missed, most + 1) << chunks << " chunks, distance " << most;
    }
}

TEST(ChunkFlips, AreAllPatternsOfSoManyBits) {
  EXPECT_EQ(chunk_flips(-1).size(), 0U);
  EXPECT_EQ(chunk_flips(0).size(), 1U);
  EXPECT_EQ(chunk_flips(1).size(), 17U);
  EXPECT_EQ(chunk_flips(2).size(), 137U);
  EXPECT_EQ(chunk_flips(3).size(), 697U);
  EXPECT_EQ(chunk_flips(4).size(), 2517U);
}

class HashIndexTest : public testing::TestWithParam<int> {};

// A small index is scanned, and a large one looks up chunks; neither may miss any hash.
TEST_P(HashIndexTest, FindsWhatLookingAtAllFinds) {
  const int bits = GetParam();
  TestRandom random(0x5EED + static_cast<std::uint64_t>(bits));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{20'000}}) {
    std::vector<ImageHash> hashes;
    const ImageHash centre = random_hash(random, bits);
    for (std::size_t i = 0; i < size; ++i) {
      const bool is_near = i % 4 == 0;
      hashes.push_back(
          is_near ? changed(centre, bits,
                            static_cast<int>(random.below(static_cast<std::uint64_t>(bits) / 3)),
                            random)
                  : random_hash(random, bits));
    }
    const HashIndex index(hashes, bits);
    for (const int most : {0, 1, 3, 4, 10, 15, 16, 31, 32, 47, 63, 64, 100}) {
      if (most >= bits / 2) continue;
      for (int query = 0; query < 4; ++query) {
        const ImageHash asked = changed(centre, bits, query * 3, random);
        std::vector<std::uint32_t> expected, found{7};  // find() must append to this
        expected.push_back(7);
        for (std::uint32_t i = 0; i < hashes.size(); ++i)
          if (distance(asked, hashes[i]) <= most) expected.push_back(i);
        index.find(asked, most, found);
        ASSERT_EQ(found, expected) << size << " hashes, distance " << most;
      }
    }
  }
}

// So many random hashes that few share a chunk: the tables are used, and not the scan.
TEST_P(HashIndexTest, MissesNoneAtAnyPlaceOfTheDifferences) {
  const int bits = GetParam();
  TestRandom random(11);
  std::vector<ImageHash> hashes;
  for (int i = 0; i < 200'000; ++i) hashes.push_back(random_hash(random, bits));
  const int most = bits == 256 ? 31 : 7;
  std::vector<std::pair<ImageHash, std::uint32_t>> planted;
  for (int i = 0; i < 300; ++i) {
    const auto place = static_cast<std::uint32_t>(random.below(hashes.size()));
    planted.emplace_back(hashes[place], place);
  }
  const HashIndex index(hashes, bits);
  for (const auto& [hash, place] : planted) {
    std::vector<std::uint32_t> found;
    index.find(changed(hash, bits, most, random), most, found);
    EXPECT_TRUE(std::binary_search(found.begin(), found.end(), place));
  }
}

INSTANTIATE_TEST_SUITE_P(Bits, HashIndexTest, testing::Values(64, 256));

std::vector<std::uint64_t> features_of(const ImageHash& hash, int bits, int orientation = 0) {
  std::vector<std::uint64_t> out;
  add_hash_features(hash, bits, orientation, out);
  return out;
}

TEST(HashFeatures, AreReadBackInAnyOrder) {
  TestRandom random(3);
  for (const int bits : {64, 256}) {
    const ImageHash as_it_is = random_hash(random, bits), turned = random_hash(random, bits);
    std::vector<std::uint64_t> features = features_of(as_it_is, bits);
    for (const std::uint64_t feature : features_of(turned, bits, 3)) features.push_back(feature);
    std::reverse(features.begin(), features.end());
    const HashesOfPicture found = read_hash_features(features);
    EXPECT_EQ(found.count, 4);
    EXPECT_EQ(found.hashes[0].words, as_it_is.words);
    EXPECT_EQ(found.hashes[3].words, turned.words);
  }
  EXPECT_EQ(read_hash_features({}).count, 0);
  EXPECT_EQ(read_hash_features(std::vector{kBytesMark | 5}).count, 0);
}

TEST(FeatureComparison, OfHashesCountsBits) {
  TestRandom random(5);
  const FeatureSpec pdq = FeatureSpec::parse("image:pdq");
  FeatureComparison comparison(pdq);
  const ImageHash a = random_hash(random, 256);
  comparison.load(features_of(a, 256));
  for (const int bits : {0, 1, 31, 32, 127, 128, 200}) {
    const ImageHash b = changed(a, 256, bits, random);
    const Overlap overlap = comparison.compare(features_of(b, 256));
    EXPECT_EQ(overlap, (Overlap{bits < 128 ? 256 - 2 * static_cast<std::uint64_t>(bits) : 0, 256}));
    EXPECT_EQ(distance_of_score(pdq, overlap.jaccard()),
              bits < 128 ? std::optional<int>(bits) : std::nullopt);
    EXPECT_EQ(comparison.compare(features_of(b, 256), threshold_of_distance(pdq, 31)).has_value(),
              bits <= 31);
  }
}

TEST(FeatureComparison, TakesTheNearestOrientationEitherWay) {
  TestRandom random(6);
  const ImageHash a = random_hash(random, 256), b = random_hash(random, 256);
  std::vector<std::uint64_t> with_b = features_of(a, 256);
  for (const std::uint64_t feature : features_of(changed(b, 256, 9, random), 256, 5))
    with_b.push_back(feature);
  const std::vector<std::uint64_t> only_b = features_of(b, 256);
  FeatureComparison comparison(FeatureSpec::parse("image:pdq+turned"));
  comparison.load(with_b);
  EXPECT_EQ(comparison.compare(only_b), (Overlap{256 - 18, 256}));
  comparison.load(only_b);
  EXPECT_EQ(comparison.compare(with_b), (Overlap{256 - 18, 256}));
}

// Images without detail are similar to equal ones only.
TEST(FeatureComparison, OfPicturesWithoutAHash) {
  TestRandom random(7);
  const std::vector<std::uint64_t> grey{kBytesMark | 1}, white{kBytesMark | 2};
  const std::vector<std::uint64_t> photo = features_of(random_hash(random, 64), 64);
  FeatureComparison comparison(FeatureSpec::parse("image:dhash"));
  comparison.load(grey);
  EXPECT_EQ(comparison.compare(grey).jaccard(), 1);
  EXPECT_EQ(comparison.compare(white).jaccard(), 0);
  EXPECT_EQ(comparison.compare(photo).jaccard(), 0);
  // One feature of several may have been made equal.
  comparison.load(std::vector{kBytesMark | 1, kBytesMark | 2});
  EXPECT_EQ(comparison.compare(grey).jaccard(), 0);
  comparison.load(photo);
  EXPECT_EQ(comparison.compare(grey).jaccard(), 0);
}

TEST(ImageDistance, AndThresholdSayTheSame) {
  for (const char* name : {"image:pdq", "image:dhash", "image:phash+turned"}) {
    const FeatureSpec features = FeatureSpec::parse(name);
    for (int distance = 0; distance <= largest_distance(features); ++distance) {
      const Threshold threshold = threshold_of_distance(features, distance);
      EXPECT_EQ(distance_of_threshold(features, threshold), distance);
      EXPECT_EQ(distance_of_score(features, threshold.value()), distance);
    }
    EXPECT_THROW(threshold_of_distance(features, -1), Error);
    EXPECT_THROW(threshold_of_distance(features, largest_distance(features) + 1), Error);
  }
  EXPECT_EQ(threshold_of_distance(FeatureSpec::parse("image:pdq"), 31).str(), "0.7578125");
  EXPECT_EQ(distance_of_threshold(FeatureSpec::parse("image:pdq"), Threshold::parse("0.8")), 25);
  EXPECT_THROW(threshold_of_distance(FeatureSpec::parse("image:grid16"), 3), Error);
  EXPECT_THROW(threshold_of_distance(FeatureSpec(), 3), Error);
}

}  // namespace
}  // namespace benzer
