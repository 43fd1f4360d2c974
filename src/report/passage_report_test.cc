// Tests which documents and passages people are shown, and which words of near ones are marked.
#include "benzer/passage_report.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/passages.h"

#include "base/test_random.h"
#include "report/passage_choice.h"
#include "report/passage_evidence.h"

namespace benzer::report {
namespace {

using Words = std::vector<std::uint64_t>;

TEST(OwnWords, AreThoseThatTheOtherRunDoesNotHave) {
  struct Case {
    Words a, b;
    std::uint64_t gap;
    std::vector<bool> own_a, own_b;
  };
  const bool o = false, x = true;
  const Case cases[] = {
      {{1, 2, 3}, {1, 2, 3}, 0, {o, o, o}, {o, o, o}},
      {{1, 9, 2, 3, 4}, {1, 2, 3, 4}, 1, {o, x, o, o, o}, {o, o, o, o}},
      {{1, 9, 2, 3, 4}, {1, 8, 7, 2, 3, 4}, 2, {o, x, o, o, o}, {o, x, x, o, o, o}},
      // Too far apart, and too few equal words after it.
      {{1, 9, 9, 2, 3, 4}, {1, 2, 3, 4}, 1, {o, x, x, x, x, x}, {o, x, x, x}},
      {{1, 9, 2, 3}, {1, 2, 3}, 1, {o, x, x, x}, {o, x, x}},
      {{}, {}, 5, {}, {}},
  };
  for (const Case& each : cases) {
    const OwnWords own = own_words(each.a, each.b, each.gap);
    EXPECT_EQ(own.a, each.own_a);
    EXPECT_EQ(own.b, each.own_b);
  }
}

TEST(TextCutter, EndsWordsAtAnyWhiteSpace) {
  PassageOptions options;
  options.features = FeatureSpec::parse("text:word1");
  const TextCutter cutter(options);
  for (const char blank : {' ', '\t', '\n', '\v', '\f', '\r'}) {
    const std::string text = std::string("(one),") + blank + "(two)." + blank + "three";
    EXPECT_EQ(cutter.read(text).run(0, 1), "(one),") << int{blank};
    EXPECT_EQ(cutter.read(text).run(1, 2), "(two).") << int{blank};
  }
}

// Texts that quote earlier ones.
void fill(MemoryCorpus& corpus, TestRandom& random) {
  std::vector<std::vector<std::string>> texts;
  const std::size_t count = 2 + random.below(60);
  while (texts.size() < count) {
    std::vector<std::string> words;
    for (std::uint64_t parts = random.below(6); parts > 0; --parts) {
      if (!texts.empty() && random.below(2) == 0) {
        const auto& from = texts[random.below(texts.size())];
        const std::size_t begin = random.below(from.size() + 1);
        const std::size_t size = std::min<std::size_t>(random.below(20), from.size() - begin);
        words.insert(words.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
                     from.begin() + static_cast<std::ptrdiff_t>(begin + size));
      } else {
        for (std::uint64_t i = random.below(10); i > 0; --i)
          words.push_back("w" + std::to_string(random.below(500)));
      }
    }
    std::string text;
    for (const std::string& word : words) text += word + " ";
    corpus.add_text("", text);
    texts.push_back(std::move(words));
  }
}

TEST(PassageChoice, AgreesWithAListOfAll) {
  TestRandom random(2028);
  std::size_t found = 0;
  for (int round = 0; round < 200; ++round) {
    MemoryCorpus corpus;
    fill(corpus, random);
    PassageOptions options;
    options.min_words = 4;
    PassageChoice choice;
    std::vector<Passage> all;
    find_passages(corpus, options, [&](const Passage& passage) {
      choice.add(passage);
      all.push_back(passage);
    });
    choice.finish();
    found += all.size();

    struct Document {
      std::set<std::uint64_t> shared;
      std::uint64_t words = 0, longest = 0, passages = 0;
    };
    std::map<std::uint32_t, Document> documents;
    std::map<std::uint32_t, std::set<std::uint32_t>> origins;
    std::map<std::uint64_t, std::uint64_t> clusters;
    for (const Passage& passage : all) {
      Document& document = documents[passage.place.document];
      document.words = passage.document_words;
      document.longest = std::max(document.longest, passage.words);
      ++document.passages;
      for (std::uint64_t i = 0; i < passage.words; ++i)
        document.shared.insert(passage.place.first_word + i);
      origins[passage.first.document].insert(passage.place.document);
      ++clusters[passage.cluster];
    }
    const std::size_t shown = std::min(kShownDocuments, documents.size());
    ASSERT_EQ(choice.by_share.size(), shown);
    ASSERT_EQ(choice.by_length.size(), shown);
    const auto check = [&](const ChosenDocument& chosen) {
      const Document& document = documents.at(chosen.number);
      EXPECT_EQ(chosen.words, document.words);
      EXPECT_EQ(chosen.shared_words, document.shared.size());
      EXPECT_EQ(chosen.longest, document.longest);
      EXPECT_EQ(chosen.passages, document.passages);
    };
    std::set<std::uint32_t> chosen;
    for (const auto* list : {&choice.by_share, &choice.by_length, &choice.sample})
      for (const ChosenDocument& document : *list) {
        check(document);
        chosen.insert(document.number);
      }
    EXPECT_GE(chosen.size(), std::min(documents.size(), 3 * kShownDocuments) / 3);
    if (shown > 0) {
      std::uint64_t longest = 0;
      double share = 0;
      for (const auto& [number, document] : documents) {
        longest = std::max(longest, document.longest);
        share = std::max(share, static_cast<double>(document.shared.size()) /
                                    static_cast<double>(document.words));
      }
      EXPECT_EQ(choice.by_length[0].longest, longest);
      EXPECT_EQ(static_cast<double>(choice.by_share[0].shared_words) /
                    static_cast<double>(choice.by_share[0].words),
                share);
    }
    std::uint64_t of_all = 0;
    const std::vector<Origin> shown_origins = choice.origins(of_all);
    EXPECT_EQ(of_all, origins.size());
    for (const Origin& origin : shown_origins)
      EXPECT_EQ(origin.documents, origins.at(origin.number).size());
    std::uint64_t most = 0;
    for (const auto& [cluster, size] : clusters) most = std::max(most, size);
    const std::vector<FrequentPassage> frequent = choice.frequent();
    if (most < 2) {
      EXPECT_TRUE(frequent.empty());
    } else {
      ASSERT_FALSE(frequent.empty());
      EXPECT_EQ(frequent[0].places, most);
    }
  }
  EXPECT_GT(found, 2'000u);
}

// Marks what the score counts: a word that is not marked is equal in both.
TEST(OwnWords, AgreeWithTheScore) {
  TestRandom random(2029);
  std::size_t near = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> a, b;
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t word = random.below(1000);
      if (random.below(12) != 0) a.push_back(word);
      if (random.below(12) != 0) b.push_back(word);
    }
    const auto text_of = [](const Words& words) {
      std::string text;
      for (const std::uint64_t word : words) text += "w" + std::to_string(word) + " ";
      return text;
    };
    MemoryCorpus corpus;
    corpus.add_text("", text_of(a));
    corpus.add_text("", text_of(b));
    PassageOptions options;
    options.min_words = 20;
    options.gap = 3;
    find_passages(corpus, options, [&](const Passage& passage) {
      const auto part = [](const Words& words, const TextRun& run, std::uint64_t size) {
        const auto begin = words.begin() + static_cast<std::ptrdiff_t>(run.first_word);
        return Words(begin, begin + static_cast<std::ptrdiff_t>(size));
      };
      const OwnWords own = own_words(part(b, passage.place, passage.words),
                                     part(a, passage.first, passage.first_words), options.gap);
      const auto equal = std::count(own.a.begin(), own.a.end(), false);
      EXPECT_EQ(equal, std::count(own.b.begin(), own.b.end(), false));
      near += passage.equal_words < passage.words;
      EXPECT_EQ(static_cast<std::uint64_t>(equal), passage.equal_words);
    });
  }
  EXPECT_GT(near, 50u);
}

}  // namespace
}  // namespace benzer::report
