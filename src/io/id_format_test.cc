#include "io/id_format.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/arrow.h"

#include "io/arrow_test_util.h"

namespace benzer {
namespace {

std::string format_of_tokens(const std::vector<std::string>& tokens) {
  IdKinds kinds;
  for (const std::string& token : tokens) kinds.add(token);
  return kinds.format();
}

TEST(IdFormat, TokensAreIntegersIfOneTypeHoldsAll) {
  EXPECT_EQ(format_of_tokens({}), "l");
  EXPECT_EQ(format_of_tokens({"-9223372036854775808", "9223372036854775807"}), "l");
  EXPECT_EQ(format_of_tokens({"0", "18446744073709551615"}), "L");
  EXPECT_EQ(format_of_tokens({"-1", "9223372036854775808"}), "U");
  for (const char* token : {"18446744073709551616", "-9223372036854775809", "1.0", "1e3", "\"1\""})
    EXPECT_EQ(format_of_tokens({"1", token}), "U") << token;
}

TEST(IdFormat, SeveralTablesHaveATypeThatHoldsAll) {
  EXPECT_EQ(common_id_format({}), "");
  EXPECT_EQ(common_id_format({"", "d:5,2"}), "d:5,2");
  EXPECT_EQ(common_id_format({"c", "I"}), "l");
  EXPECT_EQ(common_id_format({"C", "I"}), "L");
  EXPECT_EQ(common_id_format({"c", "L"}), "U");
  EXPECT_EQ(common_id_format({"l", "g"}), "U");
  EXPECT_EQ(common_id_format({"Z", "U"}), "U");
}

TEST(IdFormat, NumbersOfDocumentsCountWhereOneListHasNoIds) {
  EXPECT_EQ(joint_id_format("", ""), "l");
  EXPECT_EQ(joint_id_format("c", ""), "l");
  EXPECT_EQ(joint_id_format("", "L"), "L");
  EXPECT_EQ(joint_id_format("g", ""), "g");
  EXPECT_EQ(joint_id_format("f", ""), "U");
  EXPECT_EQ(joint_id_format("", "Z"), "U");
  EXPECT_EQ(joint_id_format("l", "l"), "l");
}

TEST(IdFormat, BytesThatAreNotUtf8StayApart) {
  ArrowOptions options;
  options.inputs = {arrow_input(
      TestTable{{batch_of({text_column("u", "text", {"a", "b", "c"}), text_column("z", "id",
                                                                                  {"\xff"
                                                                                   "1",
                                                                                   "\xfe"
                                                                                   "1",
                                                                                   "2"})})}},
      true, "t")};
  const ScannedTables scanned(options);
  EXPECT_EQ(scanned.corpus.id_format(true), "Z");
  EXPECT_EQ(scanned.corpus.counts().duplicate_ids, 0U);
  EXPECT_EQ(scanned.corpus.label(0).id_bytes,
            "\xff"
            "1");
  EXPECT_EQ(scanned.corpus.label(0).id_json, scanned.corpus.label(1).id_json);
  EXPECT_EQ(scanned.corpus.label(2).id_bytes, "");
}

}  // namespace
}  // namespace benzer
