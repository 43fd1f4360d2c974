// Tests a build without stemming.
#include <string>

#include <gtest/gtest.h>

#include "benzer/config.h"

#include "base/error_test_util.h"
#include "features/stemmer.h"

namespace benzer::internal {
namespace {

TEST(NoStemmer, SaysWhatToInstall) {
  EXPECT_EQ(
      error_sentence(ErrorCode::kInvalidArgument, [] { FeatureSpec::parse("text:word5+stem:en"); }),
      "features \"text:word5+stem:en\" need stemming, which this build does not have: leave "
      "out +stem, or build Benzer where libstemmer is installed (libstemmer-dev on Debian)");
  EXPECT_FALSE(has_stemming());
  EXPECT_EQ(stem_mark("en"), "");
}

}  // namespace
}  // namespace benzer::internal
