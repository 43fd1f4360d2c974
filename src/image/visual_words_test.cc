#include "image/visual_words.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/sanitized.h"
#include "base/test_random.h"
#include "image/word_examples.h"

namespace benzer {
namespace {

// Descriptors around 120 centres, so that there is something to learn.
std::vector<Descriptor> descriptors(std::uint64_t seed, std::size_t count) {
  TestRandom random(seed);
  std::vector<Descriptor> centres(120), out(count);
  for (Descriptor& centre : centres)
    for (std::uint8_t& value : centre) value = static_cast<std::uint8_t>(20 + random.below(150));
  for (Descriptor& one : out) {
    const Descriptor& centre = centres[random.below(centres.size())];
    for (std::size_t i = 0; i < one.size(); ++i)
      one[i] = static_cast<std::uint8_t>(centre[i] + random.below(21) - 10);
  }
  return out;
}

TEST(VisualWords, AreTheSameForWhatIsAlike) {
  const std::vector<Descriptor> examples = descriptors(1, VisualWords::kFewest);
  const VisualWords words = VisualWords::train(examples, 2);
  EXPECT_EQ(words, VisualWords::train(examples, 1));
  std::set<std::uint16_t> numbers;
  int near = 0;
  TestRandom random(2);
  for (std::size_t i = 0; i < 1000; ++i) {
    const VisualWords::Word word = words.word(examples[i]);
    numbers.insert(word.number);
    EXPECT_GE(word.weight, 1);
    EXPECT_LE(word.weight, VisualWords::kMostWeight);
    Descriptor changed = examples[i];
    for (std::uint8_t& value : changed)
      value = static_cast<std::uint8_t>(value + random.below(3) - 1);
    const VisualWords::Word other = words.word(changed);
    near += other.number == word.number &&
            std::popcount(static_cast<std::uint16_t>(other.side ^ word.side)) <= 3;
  }
  EXPECT_GT(numbers.size(), 100U);
  EXPECT_GT(near, 700);
}

TEST(VisualWords, ComeBackFromTheirFile) {
  const VisualWords& words = VisualWords::built_in();
  const std::string file = words.write();
  EXPECT_EQ(file.size(), 33368U);
  EXPECT_EQ(VisualWords::read(file, "x"), words);
}

TEST(VisualWords, RefuseWhatIsDamaged) {
  const std::string file = VisualWords::built_in().write();
  const auto refused = [](const std::string& bytes, std::string_view why) {
    try {
      VisualWords::read(bytes, "my.words");
      ADD_FAILURE() << why;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(),
                why.starts_with("not a") ? ErrorCode::kBadInput : ErrorCode::kCorrupt);
      EXPECT_THAT(error.what(), testing::StartsWith("my.words: "));
      EXPECT_THAT(error.what(), testing::HasSubstr(std::string(why)));
    }
  };
  refused("", "not a vocabulary of this version");
  refused("hello", "not a vocabulary of this version");
  refused(file.substr(0, file.size() - 1), "33367 bytes in place of 33368");
  refused(file + "x", "33369 bytes in place of 33368");
  for (std::size_t at = 0; at < file.size(); at += 997) {
    std::string flipped = file;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    refused(flipped, at < 16 ? "not a vocabulary" : "checksum");
  }
}

TEST(VisualWords, NeedSomethingToLearnFrom) {
  EXPECT_THROW(VisualWords::train(descriptors(1, VisualWords::kFewest - 1), 1), Error);
  if (kSanitized) return;
  // Equal descriptors have one centre; no descriptor is nearest to the others.
  const std::vector<Descriptor> equal(VisualWords::kFewest, Descriptor{});
  EXPECT_EQ(VisualWords::train(equal, 2).word(Descriptor{}).weight, 1);
}

TEST(WordExamples, KeepSomeOfAllPictures) {
  WordExamples examples;
  constexpr std::size_t kPictures = 9000;  // 60 or 100 points of each count: more than are kept
  for (std::size_t picture = 0; picture < kPictures; ++picture) {
    std::vector<KeyPoint> points(picture % 3 == 0 ? 60 : 150);
    for (KeyPoint& point : points) {
      point.descriptor[0] = static_cast<std::uint8_t>(picture);
      point.descriptor[1] = static_cast<std::uint8_t>(picture >> 8);
    }
    examples.add(points);
  }
  const std::vector<Descriptor>& kept = examples.descriptors();
  EXPECT_LE(kept.size(), VisualWords::kMost);
  EXPECT_GE(kept.size(), VisualWords::kMost / 2);
  std::set<int> pictures;
  for (const Descriptor& one : kept) pictures.insert(one[0] | one[1] << 8);
  int before = 0;
  for (const int picture : pictures) {
    EXPECT_EQ(picture % 4, 0);
    EXPECT_LE(picture - before, 4);
    before = picture;
  }
  EXPECT_EQ(before, 8996);
}

}  // namespace
}  // namespace benzer
