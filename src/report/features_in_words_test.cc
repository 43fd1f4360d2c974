// Tests the sentence of a report that says how documents were compared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/config.h"

#include "features/text_rules_test_util.h"
#include "report/words.h"

namespace benzer::report {
namespace {

TEST(FeaturesInWordsTest, NamesWhatIsCompared) {
  register_test_rules();
  const struct {
    const char *features, *words;
  } cases[] = {
      {"text:word5", "Texts are compared by all runs of 5 words; case"},
      {"text:char9+html", "Texts are compared by all runs of 9 characters; case"},
      {"own:ascii-words", "Texts are compared by the pieces of the rule ascii-words"},
      {"own:ascii-words4+html",
       "Texts are compared by all runs of 4 pieces of the rule ascii-words; the texts are HTML, of "
       "which only what people read counts"},
      {"own:ascii-words+drop-common:0.1",
       "Texts are compared by the pieces of the rule ascii-words; what very many documents"},
      {"values", "Documents are compared by their values"},
  };
  for (const auto& c : cases)
    EXPECT_THAT(features_in_words(FeatureSpec::parse(c.features)), testing::StartsWith(c.words));
}

}  // namespace
}  // namespace benzer::report
