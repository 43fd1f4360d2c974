#include "settings.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "guard_rail_error.h"
#include "index_settings.h"

namespace benzer::apps {
namespace {

// Spells parameters as nobody does, which shows where they are marked.
class Marked final : public Spelling {
 public:
  std::string parameter(const Parameter& parameter) const override {
    return "<" + Spelling::parameter(parameter) + ">";
  }
};

template <class Call>
std::string marked_refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.sentence().spelled(Marked());
  }
  return "";
}

TEST(SettingsTest, WordsKeepTheMarksOfWhatFillsThem) {
  EXPECT_EQ(words("{} and {}, '{}'", {Parameter{"a"}, Parameter{"b", "1"}, "{}"}).spelled(Marked()),
            "<a> and <b=1>, '{}'");
  EXPECT_EQ(words("nothing", {}), ErrorText("nothing"));
}

TEST(SettingsTest, SentencesMarkTheParametersThatTheyName) {
  Options options;
  options.recall = "2";
  EXPECT_EQ(marked_refusal([&] { read_recall(options); }),
            "<recall> '2' is not allowed: give a number above 0 and below 1, such as 0.99");
  options.recall = "0.9";
  options.max_line = "none";
  EXPECT_EQ(marked_refusal([&] { read_max_line(options); }).substr(0, 31),
            "<max_line> 'none' is not allowe");
  options.max_line.reset();
  options.exact = true;
  EXPECT_EQ(marked_refusal([&] { similarity_options(options); }),
            "<recall> has no effect with <exact>, which makes no sketches");
  options.work = "no/such/folder";
  EXPECT_EQ(marked_refusal([&] { read_work_folder(options); }),
            "<work> 'no/such/folder' is not allowed: No such file or directory");
}

TEST(SettingsTest, ThreadsThatPackUseAPartOfTheLimit) {
  Options options;
  options.threads = "16";
  EXPECT_EQ(packing_threads(options), 16);
  for (const auto& [limit, threads] :
       {std::pair{"64M", 1}, {"128M", 1}, {"223M", 1}, {"224M", 2}, {"1G", 12}, {"2G", 16}}) {
    options.memory_limit = limit;
    EXPECT_EQ(packing_threads(options), threads) << limit;
  }
  options.threads = "1";
  EXPECT_EQ(packing_threads(options), 1);
}

TEST(SettingsTest, OptionsOfAnIndexAreNotForFiles) {
  Options options;
  options.inputs = {"docs.jsonl"};
  options.allow_low_recall = true;
  options.command = kPairs;
  EXPECT_EQ(marked_refusal([&] { names_index(options); }),
            "<allow_low_recall> is for an index, and 'docs.jsonl' is not an index (it has no file "
            "BENZER): leave it out");
}

TEST(SettingsTest, AGuardRailSaysHowToGoOn) {
  GuardRailBreach breach;
  breach.kind = GuardRailBreach::Kind::kCluster;
  breach.documents = 1200;
  breach.total = 2000;
  const Error error = guard_rail_error("news", {breach, breach});
  EXPECT_EQ(error.code(), ErrorCode::kGuardRail);
  EXPECT_EQ(error.sentence().spelled(Marked()),
            "stopped before any document was removed: one cluster holds 1,200 of 2,000 documents "
            "(60.0 %), and 1 more such signs. Near-copies seldom make up such a share; raise the "
            "threshold, take longer shingles, or go on with <allow_large_clusters=true> if it is "
            "right");
}

}  // namespace
}  // namespace benzer::apps
