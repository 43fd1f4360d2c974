// Checks what the guard rails of a removal of passages count.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/passages.h"

#include "base/test_random.h"

namespace benzer {
namespace {

PassageRemoval removal_from(Corpus& corpus, std::uint32_t min_words, CutAt at = CutAt::kWord) {
  PassageRemovalOptions options;
  options.min_words = min_words;
  options.at = at;
  return remove_passages(corpus, options);
}

TEST(RemovalGuard, StopsAtPassagesAndSources) {
  using Kind = GuardRailBreach::Kind;
  MemoryCorpus corpus;
  corpus.add_text("", "a b c");
  for (int i = 1; i < 10;
       ++i)  // five have the passage once or twice, and four of these little else
    corpus.add_text("", i > 5 ? std::to_string(i) : i < 5 ? "a b c" : "a b c x a b c y z");
  const PassageRemoval removal = removal_from(corpus, 3);
  GuardRails rails = GuardRails::in_place();
  using Breaches = std::vector<GuardRailBreach>;
  EXPECT_EQ(check_guard_rails(corpus, removal), Breaches());
  EXPECT_EQ(check_guard_rails(corpus, removal, rails), Breaches({{Kind::kPassage, 1, 6, 10}}));
  rails.largest_cluster = 0.6;
  rails.largest_loss = 0.39;
  EXPECT_EQ(check_guard_rails(corpus, removal, rails), Breaches({{Kind::kSource, 0, 5, 10}}));
  rails.largest_loss = 0.5;
  EXPECT_EQ(check_guard_rails(corpus, removal, rails), Breaches());
}

// What follows a menu may make it many passages, of which each is in few documents.
TEST(RemovalGuard, CountsWhoLosesTheSameWords) {
  using Kind = GuardRailBreach::Kind;
  using Breaches = std::vector<GuardRailBreach>;
  GuardRails rails = GuardRails::in_place();
  rails.largest_cluster = 0.3;
  rails.largest_loss = 1;
  for (const CutAt at : {CutAt::kWord, CutAt::kLine}) {
    MemoryCorpus corpus;
    corpus.add_text("", "m e n u\nown");
    for (int i = 1; i < 20; ++i) {
      const std::string own = std::to_string(i), variant = std::to_string(100 + i % 5);
      // One has the menu twice, and another none.
      corpus.add_text("", i == 7    ? own
                          : i == 12 ? "m e n u\n100 x\nm e n u\n101 y"
                                    : "m e n u\n" + variant + " " + own);
    }
    const PassageRemoval removal = removal_from(corpus, 4, at);
    ASSERT_EQ(removal.cut, 18u);
    for (const DocumentCuts& document : removal.documents)
      for (const Passage& passage : document.passages) ASSERT_LT(passage.cluster_size, 6u);
    const Breaches breaches = check_guard_rails(corpus, removal, rails);
    ASSERT_EQ(breaches.size(), 1u);
    EXPECT_EQ(breaches[0].kind, Kind::kPassage);
    EXPECT_EQ(breaches[0].documents, 19u);
    EXPECT_EQ(breaches[0].total, 20u);
    // The cluster that is shown has its first place where the menu is first.
    for (const DocumentCuts& document : removal.documents)
      for (const Passage& passage : document.passages)
        if (passage.cluster == breaches[0].place) {
          EXPECT_EQ(passage.first.document, 0u);
        }
  }
}

// The numbers of the guard rail, counted word by word.
TEST(RemovalGuard, CountsAsTheDefinition) {
  TestRandom random(3);
  std::size_t breached = 0;
  for (int round = 0; round < 300; ++round) {
    MemoryCorpus corpus;
    const std::size_t different = 2 + random.below(6);
    std::vector<std::string> texts(3 + random.below(8));
    for (std::string& text : texts) {
      for (std::uint64_t left = random.below(30); left > 0; --left)
        text += std::string(1, static_cast<char>('a' + random.below(different))) + " ";
      if (&text != texts.data())
        text += texts[random.below(static_cast<std::uint64_t>(&text - texts.data()))];
      corpus.add_text("", text);
    }
    const PassageRemoval removal =
        removal_from(corpus, 1 + static_cast<std::uint32_t>(random.below(5)));
    // By the earliest place of a word: the documents that lose it.
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::set<std::uint32_t>> losers;
    const auto passage_at = [&](std::uint32_t document, std::uint64_t word) -> const Passage* {
      const auto found = std::ranges::find(removal.documents, document, &DocumentCuts::document);
      if (found == removal.documents.end()) return nullptr;
      // As check_guard_rails() covers the words: the passage that reaches furthest goes on.
      const Passage* last = nullptr;
      std::uint64_t done = 0;
      while (done <= word) {
        const Passage* best = nullptr;
        for (const Passage& each : found->passages)
          if (each.place.first_word <= done && done < each.place.first_word + each.words)
            best = &each;
        if (best) {
          last = best;
          done = best->place.first_word + best->words;
        } else {
          last = nullptr;
          ++done;
        }
      }
      return last;
    };
    for (const DocumentCuts& document : removal.documents)
      for (const PassageCut& cut : document.cuts)
        for (std::uint64_t i = 0; i < cut.words; ++i) {
          std::pair<std::uint32_t, std::uint64_t> at{document.document, cut.first_word + i};
          while (const Passage* passage = passage_at(at.first, at.second))
            at = {passage->first.document,
                  at.second - passage->place.first_word + passage->first.first_word};
          losers[at].insert(document.document);
        }
    GuardRails rails = GuardRails::in_place();
    rails.largest_cluster = 0.1 * static_cast<double>(2 + random.below(6));
    rails.largest_loss = 1;
    std::vector<std::uint64_t> expected, got;
    std::pair<std::uint32_t, std::uint64_t> before{0, 0};
    bool is_inside = false;
    for (const auto& [at, documents] : losers) {
      const std::uint64_t count = documents.size() + 1;
      const bool follows = is_inside && at.first == before.first && at.second == before.second + 1;
      is_inside = rails.is_too_large(count, texts.size());
      if (is_inside && follows)
        expected.back() = std::max(expected.back(), count);
      else if (is_inside)
        expected.push_back(count);
      before = at;
    }
    for (const GuardRailBreach& breach : check_guard_rails(corpus, removal, rails)) {
      got.push_back(breach.documents);
      EXPECT_GT(breach.place, 0u);
    }
    ASSERT_EQ(got, expected) << round;
    breached += got.size();
  }
  EXPECT_GT(breached, 100u);
}

}  // namespace
}  // namespace benzer
