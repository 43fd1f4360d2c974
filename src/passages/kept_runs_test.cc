// Tests that runs of words that were left in a work folder are used for the same words, and for no
// others.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/passages.h"

#include "base/test_random.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

// Texts that quote earlier ones.
std::vector<std::string> quoting_texts(TestRandom& random) {
  std::vector<std::vector<std::string>> texts(3 + random.below(6));
  for (std::size_t i = 0; i < texts.size(); ++i)
    while (texts[i].size() < 60) {
      if (i == 0 || random.below(3) == 0) {
        texts[i].push_back("w" + std::to_string(random.below(40)));
        continue;
      }
      const std::vector<std::string>& from = texts[random.below(i)];
      const std::size_t begin = random.below(from.size());
      texts[i].insert(texts[i].end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
                      from.end());
    }
  std::vector<std::string> out;
  for (const std::vector<std::string>& words : texts) {
    std::string& text = out.emplace_back();
    for (const std::string& word : words) text += word + " ";
  }
  return out;
}

std::string passages_of(const std::vector<std::string>& texts, const PassageOptions& options) {
  MemoryCorpus corpus;
  for (const std::string& text : texts) corpus.add_text("", text);
  std::string out;
  find_passages(corpus, options, [&](const Passage& passage) {
    for (const std::uint64_t number :
         {std::uint64_t{passage.place.document}, passage.place.begin, passage.place.end,
          std::uint64_t{passage.first.document}, passage.first.begin, passage.first.end,
          passage.equal_words, passage.cluster})
      out += std::to_string(number) + " ";
    out += "\n";
  });
  return out;
}

PassageOptions kept_in(const TestFolder& folder) {
  PassageOptions options;
  options.min_words = 6;
  options.threads = 2;
  options.work_folder = folder.path();
  options.keep_stages = true;
  return options;
}

TEST(KeptRuns, ServeTheSameRunOnly) {
  TestRandom random(40);
  const TestFolder folder;
  std::vector<std::string> texts = quoting_texts(random);
  PassageOptions options = kept_in(folder);
  std::uint64_t found = 0;
  for (int round = 0; round < 300; ++round) {
    switch (random.below(4)) {
      case 0:
        texts = quoting_texts(random);
        break;
      case 1:
        texts[random.below(texts.size())] += " w" + std::to_string(random.below(40));
        break;
      case 2:
        options.gap = static_cast<std::uint32_t>(random.below(3));
        break;
      default:
        options.min_words = static_cast<std::uint32_t>(6 + random.below(3));
    }
    PassageOptions fresh = options;
    fresh.keep_stages = false;
    const std::string expected = passages_of(texts, fresh);
    ASSERT_EQ(passages_of(texts, options), expected);
    ASSERT_EQ(passages_of(texts, options), expected);
    found += expected.size();
  }
  EXPECT_GT(found, 10'000U);
}

TEST(KeptRuns, AreWrittenOnce) {
  TestRandom random(41);
  const TestFolder folder;
  const std::vector<std::string> texts = quoting_texts(random);
  PassageOptions options = kept_in(folder);
  options.gap = 2;
  const std::string first = passages_of(texts, options);
  const std::vector<std::string> names = {"benzer-passages-equal", "benzer-passages-near",
                                          "benzer-passages-seed"};
  ASSERT_EQ(folder.names(), names);
  std::vector<std::string> bytes;
  for (const std::string& name : names) bytes.push_back(read_file(folder / name));
  EXPECT_EQ(passages_of(texts, options), first);
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(read_file(folder / names[i]), bytes[i]);
  remove_stages(options);
  EXPECT_TRUE(folder.names().empty());
}

// Whatever is damaged, the result is the same.
TEST(KeptRuns, WhatIsDamagedIsDoneAgain) {
  TestRandom random(42);
  const TestFolder folder;
  const std::vector<std::string> texts = quoting_texts(random);
  PassageOptions options = kept_in(folder);
  options.gap = 2;
  const std::string expected = passages_of(texts, options);
  for (const std::string& name : folder.names()) {
    const std::string bytes = read_file(folder / name);
    for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 40)
      for (const bool cut : {true, false}) {
        std::string damaged = cut ? bytes.substr(0, at) : bytes;
        if (!cut) damaged[at] = static_cast<char>(damaged[at] ^ 4);
        folder.write(name, damaged);
        ASSERT_EQ(passages_of(texts, options), expected);
      }
  }
}

}  // namespace
}  // namespace benzer
