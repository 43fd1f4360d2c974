#include "set_option.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

namespace benzer::apps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Options options_for(Command command) {
  Options out;
  out.command = command;
  return out;
}

std::string refusal(Command command, std::string_view parameter, OptionValue value) {
  Options options = options_for(command);
  try {
    set_option(options, parameter, std::move(value));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(error.subject().kind, Subject::Kind::kParameter);
    EXPECT_EQ(error.subject().name, parameter);
    return error.what();
  }
  return "";
}

TEST(SetOptionTest, SetsTextsFlagsAndLists) {
  Options options = options_for(kDedup);
  set_option(options, "memory_limit", "2G");
  set_option(options, "dry_run", true);
  set_option(options, "against", std::vector<std::string>{"a", "b"});
  set_option(options, "pairs", "pairs.jsonl");
  EXPECT_EQ(options.memory_limit, "2G");
  EXPECT_TRUE(options.dry_run);
  EXPECT_THAT(options.against, ElementsAre("a", "b"));
  EXPECT_EQ(options.pairs_list, "pairs.jsonl");
  set_option(options, "against", "c");
  set_option(options, "dry_run", false);
  EXPECT_THAT(options.against, ElementsAre("c"));
  EXPECT_FALSE(options.dry_run);
}

TEST(SetOptionTest, ChoosesTheOptionOfTheCommand) {
  Options files = options_for(kDedup), index = options_for(kSimilar);
  set_option(files, "id", "url");
  set_option(index, "id", "a-17");
  EXPECT_EQ(files.id, "url");
  EXPECT_EQ(files.like_id, std::nullopt);
  EXPECT_EQ(index.like_id, "a-17");
  EXPECT_EQ(index.id, std::nullopt);
}

TEST(SetOptionTest, NamesWhatThereIsForAnUnknownOption) {
  EXPECT_EQ(refusal(kList, "treshold", "0.8"),
            "'treshold' is not a parameter of 'list'; there are ca_file, timeout");
  EXPECT_THAT(refusal(kDedup, "limit", "3"), HasSubstr("there are format, id, text, values"));
  EXPECT_THAT(refusal(kDedup, "help", true), HasSubstr("'help' is not a parameter of 'dedup'"));
  // As it is spelled on the command line.
  EXPECT_NE(refusal(kDedup, "memory-limit", "2G"), "");
}

TEST(SetOptionTest, RefusesAValueOfAnotherKind) {
  EXPECT_EQ(refusal(kDedup, "dry_run", "yes"), "dry_run takes true or false");
  EXPECT_EQ(refusal(kDedup, "recall", true), "recall takes one value");
  EXPECT_EQ(refusal(kDedup, "recall", std::vector<std::string>{"0.9"}), "recall takes one value");
  EXPECT_EQ(refusal(kDedup, "against", true), "against takes a list of values");
}

TEST(SetOptionTest, EveryOptionOfEveryCommandIsFound) {
  for (const CommandRow& command : command_table()) {
    std::set<std::string> names;
    for (const OptionRow* row : options_of(command.command)) {
      const std::string name = row->parameter();
      EXPECT_TRUE(names.insert(name).second) << command.name << " has two options " << name;
      EXPECT_EQ(find_option(command.command, name), row);
    }
  }
}

}  // namespace
}  // namespace benzer::apps
