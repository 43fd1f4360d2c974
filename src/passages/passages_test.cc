// Compares find_passages() with its definition, worked out position by position.
#include "benzer/passages.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/features.h"

#include "base/test_random.h"
#include "passages/passages_test_util.h"

namespace benzer {
namespace {

struct Found {
  std::uint32_t document;
  std::uint64_t first_word;
  std::uint32_t in;
  std::uint64_t from_word;
  std::uint64_t words;
  friend bool operator==(const Found&, const Found&) = default;
  friend void PrintTo(const Found& found, std::ostream* out) {
    *out << found.words << " words of document " << found.document << " from " << found.first_word
         << ", in " << found.in << " from " << found.from_word;
  }
};

// The texts of a corpus as words.
struct Texts {
  std::vector<std::vector<std::string>> words;
  std::vector<std::string> groups;  // empty, or of each text
  std::uint32_t references = 0;
};

std::string joined(const std::vector<std::string>& words, const std::string& between = " ") {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : between) + word;
  return out;
}

void fill(const Texts& texts, MemoryCorpus& corpus) {
  for (std::size_t i = 0; i < texts.words.size(); ++i) {
    if (i == texts.references) corpus.end_references();
    corpus.add_text("", joined(texts.words[i]),
                    {.group = texts.groups.empty() ? "" : texts.groups[i], .numbers = {}});
  }
}

// The definition: of each word the longest run from there on that an earlier text of another group
// has (or, if there are references, one of these), unless the run of the word before contains it;
// and its earliest place.
std::vector<Found> by_definition(const Texts& texts, std::uint64_t min_words) {
  std::vector<Found> out;
  const auto may_share = [&](std::size_t a, std::size_t b) {
    return texts.groups.empty() || texts.groups[a].empty() || texts.groups[a] != texts.groups[b];
  };
  for (std::uint32_t d = texts.references; d < texts.words.size(); ++d) {
    const auto& words = texts.words[d];
    std::uint64_t last_end = 0;
    for (std::uint64_t i = 0; i < words.size(); ++i) {
      Found best{d, i, 0, 0, 0};
      const std::uint32_t others = texts.references > 0 ? texts.references : d;
      for (std::uint32_t e = 0; e < others; ++e) {
        if (!may_share(d, e)) continue;
        for (std::uint64_t j = 0; j < texts.words[e].size(); ++j) {
          const auto differ = std::mismatch(
              words.begin() + static_cast<std::ptrdiff_t>(i), words.end(),
              texts.words[e].begin() + static_cast<std::ptrdiff_t>(j), texts.words[e].end());
          const auto same = static_cast<std::uint64_t>(differ.first - words.begin()) - i;
          if (same > best.words) best = {d, i, e, j, same};
        }
      }
      if (best.words >= min_words && i + best.words > last_end) {
        out.push_back(best);
        last_end = i + best.words;
      }
    }
  }
  return out;
}

// Also checks what each passage says about its cluster.
std::vector<Found> find(Corpus& corpus, const PassageOptions& options) {
  std::vector<Found> out;
  std::map<std::uint64_t, std::uint64_t> told, counted;
  find_passages(corpus, options, [&](const Passage& passage) {
    out.push_back({passage.place.document, passage.place.first_word, passage.first.document,
                   passage.first.first_word, passage.words});
    ++counted[passage.cluster];
    told[passage.cluster] = passage.cluster_size;
  });
  EXPECT_EQ(told, counted);
  return out;
}

PassageOptions of_words(std::uint32_t min_words) {
  PassageOptions options;
  options.min_words = min_words;
  return options;
}

// Texts of few different words, so that runs repeat and overlap in every way, with passages copied
// from one text to another.
Texts random_texts(TestRandom& random) {
  Texts texts;
  const std::size_t count = 2 + random.below(7), different = 1 + random.below(6);
  const bool has_groups = random.below(3) == 0;
  for (std::size_t d = 0; d < count; ++d) {
    std::vector<std::string>& words = texts.words.emplace_back();
    const std::size_t size = random.below(60);
    while (words.size() < size) {
      if (d > 0 && random.below(4) == 0) {
        const std::vector<std::string> from = texts.words[random.below(d)];
        if (from.empty()) continue;
        const std::size_t begin = random.below(from.size());
        const std::size_t end = begin + 1 + random.below(from.size() - begin);
        words.insert(words.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
                     from.begin() + static_cast<std::ptrdiff_t>(end));
      } else {
        words.push_back(std::string(1, static_cast<char>('a' + random.below(different))));
      }
    }
    if (has_groups) texts.groups.push_back(std::string(random.below(3), 'g'));
  }
  if (!has_groups && random.below(3) == 0)
    texts.references = static_cast<std::uint32_t>(random.below(count));
  return texts;
}

TEST(Passages, AreThoseOfTheDefinition) {
  TestRandom random(27);
  std::size_t found = 0;
  for (int round = 0; round < 3000; ++round) {
    const Texts texts = random_texts(random);
    const auto min_words = static_cast<std::uint32_t>(1 + random.below(12));
    MemoryCorpus corpus;
    fill(texts, corpus);
    PassageOptions options = of_words(min_words);
    options.across_groups = !texts.groups.empty();
    options.threads = 1 + static_cast<int>(random.below(3));
    const std::vector<Found> expected = by_definition(texts, min_words);
    found += expected.size();
    const std::vector<Found> got = find(corpus, options);
    const auto [mine, wanted] =
        std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
    ASSERT_TRUE(mine == got.end() && wanted == expected.end())
        << "round " << round << ", at least " << min_words << " words: expected "
        << (wanted == expected.end() ? "no more" : testing::PrintToString(*wanted)) << ", found "
        << (mine == got.end() ? "no more" : testing::PrintToString(*mine));
  }
  EXPECT_GT(found, 10'000u);
}

// The definition again, of words as a trace shows them, with the bytes of each passage.
TEST(Passages, AreThoseOfTheDefinitionInManyScripts) {
  TestRandom random(10);
  for (const Script& script : scripts()) {
    std::size_t found = 0;
    for (int round = 0; round < 60; ++round) {
      const FeatureExtractor extractor(FeatureSpec::parse("text:word1"));
      MemoryCorpus corpus;
      Texts texts;
      std::vector<std::string> raw;
      std::vector<TextTrace> traces;
      for (int d = 0; d < 4; ++d) {
        std::string text;
        for (std::uint64_t left = 5 + random.below(30); left > 0; --left)
          text += script.words[random.below(script.words.size())] + script.between;
        if (d > 0) text += raw[random.below(raw.size())];
        corpus.add_text("", text);
        traces.push_back(extractor.trace(text));
        texts.words.push_back(traces.back().words);
        raw.push_back(std::move(text));
      }
      const auto min_words = static_cast<std::uint32_t>(3 + random.below(8));
      std::vector<Found> got;
      find_passages(corpus, of_words(min_words), [&](const Passage& passage) {
        got.push_back({passage.place.document, passage.place.first_word, passage.first.document,
                       passage.first.first_word, passage.words});
        for (const TextRun* run : {&passage.place, &passage.first}) {
          const auto& shingles = traces[run->document].shingles;
          ASSERT_EQ(run->begin, shingles[run->first_word].begin) << script.name;
          ASSERT_EQ(run->end, shingles[run->first_word + passage.words - 1].end) << script.name;
        }
        ASSERT_EQ(passage.text, raw[passage.place.document].substr(
                                    passage.place.begin, passage.place.end - passage.place.begin));
      });
      ASSERT_EQ(got, by_definition(texts, min_words)) << script.name << ", round " << round;
      found += got.size();
    }
    EXPECT_GT(found, 60u) << script.name;
  }
}

TEST(Passages, HaveCharactersAndClusters) {
  MemoryCorpus corpus;
  corpus.add_text("", "\u00e9 one two three four");
  corpus.add_text("", "\u00e9\u00e9 ONE, two three; four!");
  corpus.add_text("", "one two three four five");
  std::vector<Passage> found;
  const PassageCounts counts =
      find_passages(corpus, of_words(4), [&](const Passage& passage) { found.push_back(passage); });
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].place, (TextRun{1, 5, 25, 3, 23, 1}));
  EXPECT_EQ(found[0].first, (TextRun{0, 3, 21, 2, 20, 1}));
  EXPECT_EQ(found[1].place, (TextRun{2, 0, 18, 0, 18, 0}));
  EXPECT_EQ(found[0].cluster, 1u);
  EXPECT_EQ(found[1].cluster, 1u);
  EXPECT_EQ(found[0].cluster_size, 2u);
  EXPECT_EQ(found[1].cluster_size, 2u);
  EXPECT_EQ(found[0].document_words, 5u);
  EXPECT_EQ(counts.documents, 3u);
  EXPECT_EQ(counts.words, 15u);
  EXPECT_EQ(counts.shared_words, 8u);
  EXPECT_EQ(counts.documents_with, 2u);
  EXPECT_EQ(counts.clusters, 1u);
}

// Long texts that differ in one word, and texts of one word: what could take quadratic time.
TEST(Passages, OfLongAndOfUniformTexts) {
  constexpr std::size_t kWords = 200'000;
  Texts texts;
  texts.words.resize(3);
  for (std::size_t i = 0; i < kWords; ++i)
    texts.words[0].push_back("w" + std::to_string(i * i % 9973 + i));
  texts.words[1] = texts.words[0];
  texts.words[1][70'000] = "other";
  texts.words[2] = texts.words[0];
  texts.words.push_back(std::vector<std::string>(kWords / 5, "same"));
  texts.words.push_back(std::vector<std::string>(kWords / 5, "same"));
  MemoryCorpus corpus;
  fill(texts, corpus);
  const std::vector<Found> expected = {{1, 0, 0, 0, 70'000},
                                       {1, 70'001, 0, 70'001, kWords - 70'001},
                                       {2, 0, 0, 0, kWords},
                                       {4, 0, 3, 0, kWords / 5}};
  EXPECT_EQ(find(corpus, of_words(50)), expected);
  EXPECT_EQ(find(corpus, of_words(2000)), expected);
}

// A menu that all pages have costs each page its own words, not those of all others.
TEST(Passages, OfAMenuNameItsFirstPage) {
  TestRandom random(300);
  const auto words = [&](std::size_t count) {
    std::vector<std::string> out;
    while (out.size() < count) out.push_back(std::to_string(random.next()));
    return out;
  };
  const std::vector<std::string> menu = words(300);
  Texts texts;
  std::vector<Found> expected;
  for (std::uint32_t d = 0; d < 3000; ++d) {
    texts.words.push_back(words(random.below(20)));
    const std::uint64_t begin = texts.words.back().size();
    texts.words.back().insert(texts.words.back().end(), menu.begin(), menu.end());
    for (std::string& word : words(20)) texts.words.back().push_back(std::move(word));
    if (d > 0) expected.push_back({d, begin, 0, expected.empty() ? 0 : expected[0].from_word, 300});
    if (d == 1) expected[0].from_word = texts.words[0].size() - 320;
  }
  MemoryCorpus corpus;
  fill(texts, corpus);
  EXPECT_EQ(find(corpus, of_words(50)), expected);
}

// A document with more passages than are located at a time, out of one reference.
TEST(Passages, OfOneDocumentMayBeThousands) {
  Texts texts;
  texts.words.resize(2);
  std::vector<Found> expected;
  for (std::uint64_t i = 0; i < 60'000; ++i) {
    texts.words[0].push_back("w" + std::to_string(i));
    texts.words[1].push_back(i % 7 == 6 ? "x" + std::to_string(i) : texts.words[0].back());
    if (i % 7 == 5) expected.push_back({1, i - 5, 0, i - 5, 6});
  }
  expected.push_back({1, 59'997, 0, 59'997, 3});
  texts.references = 1;
  MemoryCorpus corpus;
  fill(texts, corpus);
  EXPECT_EQ(find(corpus, of_words(3)), expected);
}

TEST(Passages, AreTheSameWithALimitOfMemory) {
  TestRandom random(64);
  MemoryCorpus corpus;
  std::vector<std::string> texts;
  for (int d = 0; d < 4000; ++d) {
    std::string text;
    for (int i = 0; i < 800; ++i) text += std::to_string(random.below(1'000'000)) + " ";
    if (d % 3 == 0 && d > 0)
      text += texts[random.below(texts.size())].substr(random.below(1000), 3000);
    texts.push_back(text);
    corpus.add_text("", std::move(text));
  }
  const std::vector<Found> expected = find(corpus, of_words(20));
  EXPECT_GT(expected.size(), 1000u);
  PassageOptions options = of_words(20);
  options.memory_limit = std::uint64_t{4} << 20;
  EXPECT_EQ(find(corpus, options), expected);
  options.gap = 4;
  const std::vector<Found> near = find(corpus, options);
  options.memory_limit = 0;
  EXPECT_EQ(find(corpus, options), near);
}

// Passages in which some words were changed are found over the gaps, with the words on both sides
// of them, and only with a gap that is large enough.
TEST(Passages, WithGapsAreFoundOverChangedWords) {
  TestRandom random(99);
  std::size_t found = 0, planted = 0, wrong = 0;
  for (int round = 0; round < 200; ++round) {
    const auto words = [&](std::size_t count) {
      std::vector<std::string> out;
      while (out.size() < count) out.push_back("w" + std::to_string(random.below(5000)));
      return out;
    };
    Texts texts;
    texts.words.push_back(words(400));
    const std::uint64_t from = random.below(200), length = 50 + random.below(150);
    std::vector<std::string> copy = words(random.below(100));
    const std::uint64_t begin = copy.size();
    copy.push_back("before");
    std::uint64_t equal = 0;
    for (std::uint64_t i = from; i < from + length; ++i) {
      const bool at_end = i < from + 8 || i + 8 >= from + length;
      const std::uint64_t change = at_end ? 99 : random.below(90);
      if (change == 0) copy.push_back("inserted");
      if (change == 1) copy.push_back("replaced");
      if (change == 1 || change == 2) continue;  // left out
      copy.push_back(texts.words[0][i]);
      ++equal;
    }
    const std::uint64_t end = copy.size();
    copy.push_back("after");
    for (std::string& word : words(30)) copy.push_back(std::move(word));
    texts.words.push_back(std::move(copy));
    MemoryCorpus corpus;
    fill(texts, corpus);
    PassageOptions options = of_words(50);
    options.gap = 8;
    ++planted;
    find_passages(corpus, options, [&](const Passage& passage) {
      const bool is_it = passage.place.first_word == begin + 1 &&
                         passage.place.first_word + passage.words == end &&
                         passage.first.first_word == from && passage.first_words == length;
      found += is_it;
      wrong += !is_it;
      EXPECT_LE(passage.equal_words, std::min(passage.words, passage.first_words));
      if (is_it) {
        EXPECT_LE(equal - passage.equal_words, 12u);
      }
      EXPECT_GT(passage.score(), 0.7);
    });
  }
  EXPECT_GE(found, planted * 96 / 100);
  EXPECT_LE(wrong, planted * 4 / 100);
}

TEST(Passages, NeedWords) {
  MemoryCorpus corpus;
  PassageOptions options;
  for (const char* features : {"values", "text:char5", "text:word1+bag", "text:word1+tf-idf"}) {
    options.features = FeatureSpec::parse(features);
    EXPECT_THROW(find(corpus, options), Error) << features;
  }
  options.features = FeatureSpec::parse("text:words3+html");
  EXPECT_TRUE(find(corpus, options).empty());
  options.min_words = 0;
  EXPECT_THROW(find(corpus, options), Error);
}

}  // namespace
}  // namespace benzer
