// Checks how documents of tables are named in results if some or all of them have no id.
#include <limits>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/arrow.h"

#include "io/arrow_test_util.h"

namespace benzer {
namespace {

using testing::ElementsAre;

TEST(ArrowIds, NumberIsNameOnlyIfNoDocumentHasAnId) {
  const auto table = [](const TestColumn& ids) {
    return arrow_input(TestTable{{batch_of({text_column("u", "text", {"a", "b", "c"}), ids})}},
                       true, "t");
  };
  const auto names = [](const ArrowOptions& given) { return ScannedTables(given).labels(); };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  ArrowOptions options;
  options.inputs = {table(number_column<double>("g", "id", {7, kNan, 1}))};
  EXPECT_THAT(names(options), ElementsAre("7", "null", "1"));
  options.references = {table(null_column("id", 3))};
  EXPECT_THAT(names(options), ElementsAre("0", "1", "2", "7", "null", "1"));
  options.inputs.swap(options.references);
  EXPECT_THAT(names(options), ElementsAre("7", "null", "1", "3", "4", "5"));
  // Also if another table has the ids.
  options.inputs.push_back(table(text_column("u", "id", {"", "0", std::nullopt})));
  EXPECT_THAT(names(options),
              ElementsAre("7", "null", "1", "null", "null", "null", "\"\"", "\"0\"", "null"));
}

TEST(ArrowIds, NumbersOfTablesWithoutNamesAreRows) {
  const auto table = [](const TextCells& texts, const std::string& name) {
    return arrow_input(TestTable{{batch_of({text_column("u", "text", texts)})}}, true, name);
  };
  ArrowOptions options;
  options.references = {table({"r", "s"}, "")};
  options.inputs = {table({"a", "b", "c"}, "")};
  EXPECT_THAT(ScannedTables(options).labels(), ElementsAre("3", "4", "0", "1", "2"));
  options.references = {table({"r", "s"}, "old")};
  options.inputs = {table({"a"}, "new"), table({"b", "c"}, "newer")};
  EXPECT_THAT(ScannedTables(options).labels(), ElementsAre("0", "1", "2", "3", "4"));
}

}  // namespace
}  // namespace benzer
