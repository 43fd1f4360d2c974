#include "features/rules_mark.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error_test_util.h"

namespace benzer::internal {
namespace {

TEST(RulesMark, IsAFixedFunctionOfTheResults) {
  // From the program xxhsum -H3.
  EXPECT_EQ(mark_of(""), "2d068005");
  EXPECT_EQ(mark_of("a\nb\n"), "293443f1");
}

TEST(RulesMark, IsTakenOffTheEndOfAName) {
  using Mark = std::optional<std::string_view>;
  struct Case {
    std::string_view name, rest;
    Mark mark;
  };
  for (const Case& c : {Case{"en", "en", std::nullopt}, Case{"en@1a2b3c4d", "en", "1a2b3c4d"},
                        Case{"5@icu72", "5", "icu72"}, Case{"en@", "en", ""}, Case{"@", "", ""},
                        Case{"a@b@c", "a@b", "c"}, Case{"", "", std::nullopt}}) {
    std::string_view name = c.name;
    EXPECT_EQ(take_mark(name), c.mark) << c.name;
    EXPECT_EQ(name, c.rest) << c.name;
  }
}

TEST(RulesMark, OfOtherRulesIsRefused) {
  check_mark(std::nullopt, "1a2b3c4d", "the rules", "whole");
  check_mark("1a2b3c4d", "1a2b3c4d", "the rules", "whole");
  for (const char* other : {"", "1a2b3c4e", "1a2b3c4", "1A2B3C4D"}) {
    const std::string sentence = error_sentence(ErrorCode::kInvalidArgument, [&] {
      check_mark(other, "1a2b3c4d", "Snowball's rules for en", "whole");
    });
    EXPECT_EQ(sentence, "features \"whole\" are of version \"" + std::string(other) +
                            "\" of Snowball's rules for en, and this program has version 1a2b3c4d: "
                            "use a program with the former, or leave out the version and make the "
                            "index, file or run again");
  }
}

}  // namespace
}  // namespace benzer::internal
