#include "benzer/research/classics/scala.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

namespace benzer::classics::scala {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Values = std::vector<std::int32_t>;

TEST(Scala, ThirteenShingles) {
  EXPECT_THAT(shingler("sample document", 3),
              ElementsAre("sam", "amp", "mpl", "ple", "le ", "e d", " do", "doc", "ocu", "cum",
                          "ume", "men", "ent"));
  EXPECT_THAT(shingler("ab", 3), ElementsAre("ab"));  // as `sliding` does
  EXPECT_THAT(shingler("", 3), IsEmpty());
  EXPECT_THAT(shingler("ab", std::numeric_limits<std::size_t>::max()), ElementsAre("ab"));
  EXPECT_THROW(shingler("ab", 0), Error);
}

TEST(Scala, OneLetterSaysNothing) {
  const auto set1 = shingler("abcdefghijklmnopqrstuvwxyz ", 1);
  const auto set2 = shingler("the quick brown fox jumps over the lazy dog", 1);
  EXPECT_EQ(similarity(set1, set2), 1);
}

TEST(Scala, Djb2aHasSignedBytes) {
  EXPECT_EQ(djb2a("he"), 5861128);
  EXPECT_EQ(djb2a(""), 5381);
  EXPECT_EQ(djb2a("\xff"), 177573 ^ -1);
}

TEST(Scala, TheCollectionOfSeed1337) {
  const HashCollection collection(1337, 10);
  std::vector<std::string> printed;
  for (const HashFunction& hash : collection.get_hashes()) printed.push_back(hash.str());
  EXPECT_THAT(
      printed,
      ElementsAre(
          "-1460590454*X + 747279288 % 999999999989", "-1334692577*X + -539670452 % 999999999989",
          "-501340078*X + -143413999 % 999999999989", "-435906689*X + -805361287 % 999999999989",
          "749770455*X + -1541468361 % 999999999989", "-249298484*X + -338966450 % 999999999989",
          "635996137*X + 90530340 % 999999999989", "1369061647*X + -58898435 % 999999999989",
          "-803104915*X + 442009989 % 999999999989", "-1559981388*X + -486785452 % 999999999989"));
  EXPECT_THAT(collection.evaluate("he"),
              ElementsAre(480357896, 1614176836, 543325601, -1459947919, 197787375, -1314960722,
                          1201186924, 1044615541, -789411859, -145694732));
}

TEST(Scala, TheHistogramOf25Bins) {
  const HashFunction h = HashCollection(1337, 1).get_hashes()[0];
  std::map<std::int32_t, int> bins;
  for (std::int32_t item = 1; item <= 100000; ++item) ++bins[h.eval(item) % 13];
  const std::map<std::int32_t, int> printed = {
      {0, 7704},  {5, 3861},   {10, 3854},  {-7, 3840}, {-8, 3847}, {-3, 3858}, {-12, 3839},
      {1, 3839},  {6, 3839},   {-11, 3867}, {-4, 3839}, {9, 3837},  {2, 3842},  {-5, 3840},
      {12, 3840}, {-10, 3838}, {7, 3837},   {3, 3848},  {-1, 3853}, {11, 3837}, {-9, 3844},
      {8, 3858},  {-6, 3861},  {4, 3839},   {-2, 3839}};
  EXPECT_EQ(bins, printed);
}

TEST(Scala, PickBandsAsPrinted) {
  const std::vector<std::pair<double, int>> printed = {
      {.5, 23}, {.6, 18}, {.7, 14}, {.8, 10}, {.9, 6}, {.95, 4}, {.99, 2}, {.99999999999999999, 1}};
  for (const auto& [threshold, bands] : printed) EXPECT_EQ(pick_bands(threshold, 100), bands);
  for (const double threshold : {0.0, -1.0, 1.5, std::nan("")})
    EXPECT_THROW(pick_bands(threshold, 100), Error);
  EXPECT_THROW(pick_bands(.5, 0), Error);
  constexpr int kMost = std::numeric_limits<int>::max();
  const double bands = pick_bands(.5, kMost);
  EXPECT_GE(bands * std::log(bands), kMost * std::log(2));
  EXPECT_LT((bands - 1) * std::log(bands - 1), kMost * std::log(2));
  EXPECT_THROW(pick_bands(1e-300, kMost), Error);  // 6e10
}

TEST(Scala, MinHashIsTheLeastOfEach) {
  const MinHash minimum(1337, 2, 3), maximum(1337, 2, 3, Sampler::kMaximum);
  const Values he = HashCollection(1337, 3).evaluate("he"),
               el = HashCollection(1337, 3).evaluate("el");
  Values least, most;
  for (std::size_t i = 0; i < 3; ++i) {
    least.push_back(std::min(he[i], el[i]));
    most.push_back(std::max(he[i], el[i]));
  }
  EXPECT_EQ(minimum.hash("hel"), least);
  EXPECT_EQ(maximum.hash("hel"), most);
  EXPECT_EQ(minimum.get_shingles("hel").size(), 2u);
  EXPECT_THROW(minimum.hash(""), Error);
  EXPECT_THROW(MinHash(1, 0, 1), Error);
  EXPECT_THROW(MinHash(1, 1, 0), Error);
}

TEST(Scala, BucketsAreRowsJoinedByPoints) {
  const Values signature = {1, -2, 3, 4, 5};
  EXPECT_THAT(get_buckets(signature, 2), ElementsAre(djb2a("1.-2"), djb2a("3.4")));  // 5 is dropped
  EXPECT_THAT(get_buckets(signature, 5).size(), 5u);
  EXPECT_THROW(get_buckets(signature, 0), Error);
  EXPECT_THROW(get_buckets(signature, 6), Error);
}

TEST(Scala, CandidatesMeetAtTheSameOffset) {
  EXPECT_TRUE(is_pair_candidate_match(Values{1, 2}, Values{3, 2}));
  EXPECT_FALSE(is_pair_candidate_match(Values{1, 2}, Values{2, 1}));
  EXPECT_FALSE(is_pair_candidate_match({}, {}));
}

TEST(Scala, SimilaritiesExactAndEstimated) {
  const std::vector<std::string> a = {"x", "y", "y", "z"}, b = {"y", "z", "w"};
  EXPECT_DOUBLE_EQ(similarity(a, b), 0.5);
  EXPECT_EQ(similarity({}, {}), 0);
  EXPECT_DOUBLE_EQ(estimate_similarity_min_hash(Values{1, 2, 3, 4}, Values{1, 0, 3, 0}), 0.5);
  EXPECT_THROW(estimate_similarity_min_hash({}, {}), Error);
}

TEST(Scala, ClustersAreWhatSimilarPairsConnect) {
  const std::vector<std::string> documents = {
      "the quick brown fox jumps over the lazy dog near the river bank today",
      "completely different words stand in this sentence and share no long shingle",
      "the quick brown fox jumps over the lazy dog near the river bank today!",
      "the quick brown fox jumps over the lazy dog near the river bank today!!",
      "completely different words stand in this sentence and share no long shingle."};
  for (const Sampler sampler : {Sampler::kMinimum, Sampler::kMaximum}) {
    const MinHash min_hash(1337, 5, 100, sampler);
    std::vector<Values> signatures;
    for (const std::string& document : documents) signatures.push_back(min_hash.hash(document));
    EXPECT_THAT(clusters(signatures, pick_bands(.7, 100), .7),
                ElementsAre(ElementsAre(0, 2, 3), ElementsAre(1, 4)));
    EXPECT_THAT(clusters(signatures, 10, 1.1), IsEmpty());
  }
  EXPECT_THAT(clusters({}, 10, .5), IsEmpty());
}

}  // namespace
}  // namespace benzer::classics::scala
