#include "verify/word_index.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/test_random.h"

namespace benzer {
namespace {

// Makes images of few different words, so that they have words in common.
std::vector<std::vector<VisualWord>> random_pictures(std::uint64_t seed, std::size_t count) {
  TestRandom random(seed);
  std::vector<std::vector<VisualWord>> out;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::uint64_t> features = random.numbers(random.below(60));
    for (std::uint64_t& feature : features)
      feature = (feature & 0x001F'0007'FFFF'FFFF) | std::uint64_t{0xFFE0} << 48;
    out.push_back(read_sift_features(features));
  }
  out.emplace_back();
  out.push_back(out[0]);
  return out;
}

TEST(WordIndex, FindsWhatLookingAtAllFinds) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto pictures = random_pictures(seed, 60);
    const WordIndex index(static_cast<std::uint32_t>(pictures.size()),
                          [&](std::uint32_t picture) { return pictures[picture]; });
    WordIndex::Votes votes(index);
    std::size_t all = 0;
    for (std::uint32_t a = 0; a < pictures.size(); ++a) {
      for (const auto looked_up : {WordIndex::LookedUp::kFirst, WordIndex::LookedUp::kSecond}) {
        std::vector<std::uint32_t> found, expected;
        index.find(pictures[a], looked_up, votes, found);
        for (std::uint32_t b = 0; b < pictures.size(); ++b) {
          const int common = looked_up == WordIndex::LookedUp::kFirst
                                 ? words_in_common(pictures[a], pictures[b])
                                 : words_in_common(pictures[b], pictures[a]);
          if (enough_in_common(common, pictures[a].size(), pictures[b].size()))
            expected.push_back(b);
        }
        EXPECT_EQ(found, expected);
        all += found.size();
      }
    }
    EXPECT_GT(all, 200U);
    EXPECT_LT(all, 2 * pictures.size() * pictures.size() * 9 / 10);
  }
}

TEST(WordsInCommon, CountTogetherWhatIsTurnedAlike) {
  std::vector<VisualWord> a(20), b(20);
  for (std::size_t i = 0; i < 20; ++i) {
    a[i].number = b[i].number = static_cast<std::uint16_t>(i);
    a[i].weight = b[i].weight = 3;
    a[i].angle = static_cast<float>(i % 64) / 64;
    b[i].angle = static_cast<float>((i + 50) % 64) / 64;
  }
  EXPECT_EQ(words_in_common(a, b), 60);
  for (std::size_t i = 0; i < 10; ++i) b[i].angle = a[i].angle;
  EXPECT_EQ(words_in_common(a, b), 30);
  for (std::size_t i = 0; i < 20; ++i) b[i].side = 15;  // four bits apart
  EXPECT_EQ(words_in_common(a, b), 0);
  EXPECT_EQ(words_in_common({}, b), 0);
}

TEST(WordIndex, OfNothingFindsNothing) {
  const WordIndex index(0, [](std::uint32_t) { return std::vector<VisualWord>(); });
  WordIndex::Votes votes(index);
  std::vector<std::uint32_t> found;
  index.find(std::vector<VisualWord>(5), WordIndex::LookedUp::kFirst, votes, found);
  EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace benzer
