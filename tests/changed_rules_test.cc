// labels: features engine store
// Tests that an index is refused whose features were made by other rules than this program has.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/index.h"

#include "base/error_test_util.h"
#include "features/stemmer.h"
#include "io/io_test_util.h"
#include "store/disk/store_folder.h"

namespace benzer {
namespace {

TEST(ChangedRules, AreRefusedWhenAnIndexIsOpened) {
  struct Case {
    std::string features, mark;
  };
  std::vector<Case> cases = {{"text:word1+stop:en", "00000000"}, {"text:words2", "icu9"}};
  if (internal::has_stemming()) cases.push_back({"text:word3+stem:de", "00000000"});
  for (const Case& c : cases) {
    SCOPED_TRACE(c.features);
    const TestFolder folder;
    const std::string place = folder.path() + "/index";
    const Schema schema = Schema::parse("text=" + c.features);
    Index::open(place, {.create_with = schema})
        .index_documents({{{"a", {Field::of_text("text", "connected")}}}});
    // The version is in the schema that is stored; a request may leave it out.
    std::string stored = StoreFolder::read_schema(place);
    EXPECT_THAT(stored, testing::HasSubstr(schema.fields[0].features.str()));
    EXPECT_EQ(Index::open(place, {.create_with = schema}).size(), 1U);

    const std::size_t mark = stored.find('@') + 1;
    stored.replace(mark, stored.find_first_of(" ;+|", mark) - mark, c.mark);
    StoreFolder::write_schema(place, stored);
    const std::string sentence =
        error_sentence(ErrorCode::kInvalidArgument, [&] { Index::open(place); });
    EXPECT_THAT(sentence, testing::HasSubstr("are of version \"" + c.mark + "\""));
    EXPECT_THAT(sentence, testing::HasSubstr("this program has version "));
  }
}

}  // namespace
}  // namespace benzer
