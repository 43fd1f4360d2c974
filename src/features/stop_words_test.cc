#include "features/stop_words.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "features/reference.h"
#include "features/stop_lists.h"

namespace benzer::internal {
namespace {

TEST(StopWords, ListsAreThereInFoldedForm) {
  std::string names;
  for (const StopList& list : stop_lists()) {
    const std::string language(list.language);
    names += (names.empty() ? "" : ", ") + language;
    ASSERT_TRUE(has_stop_words(language)) << language;
    const std::vector<std::string> words = stop_words(language);
    EXPECT_GT(words.size(), 100U) << language;
    // A stop word that the rules would change or split could never occur in a text.
    for (const std::string& word : words) {
      EXPECT_EQ(reference_words(word).words, std::vector<std::string>{word}) << language;
    }
  }
  EXPECT_EQ(stop_word_languages(), names);
  EXPECT_FALSE(has_stop_words("xx"));
  EXPECT_FALSE(has_stop_words(""));
  EXPECT_TRUE(stop_words("xx").empty());
}

TEST(StopWords, TheFilterFindsAllAndNothingElse) {
  for (const std::uint64_t seed : {0U, 1U, 77U}) {
    const HashKeys keys(seed);
    const StopFilter filter("fr", keys);
    EXPECT_FALSE(filter.empty());
    for (const std::string& word : stop_words("fr")) {
      EXPECT_TRUE(filter.contains(hash_unit(word, keys))) << word;
    }
    for (const char* word : {"maison", "", "\u00e9l\u00e8ve", "characterization", "x"}) {
      EXPECT_FALSE(filter.contains(hash_unit(word, keys))) << word;
    }
  }
  EXPECT_TRUE(StopFilter().empty());
}

}  // namespace
}  // namespace benzer::internal
