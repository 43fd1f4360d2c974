#include "benzer/error.h"

#include <atomic>

#include <gtest/gtest.h>

#include "benzer/runtime.h"

namespace benzer {
namespace {

TEST(Error, NamesAndExitCodesAreTheDocumentedOnes) {
  const struct {
    ErrorCode code;
    std::string_view name;
    int exit_code;
  } table[] = {
      {ErrorCode::kInvalidArgument, "invalid_argument", 2},
      {ErrorCode::kBadInput, "bad_input", 2},
      {ErrorCode::kNotFound, "not_found", 2},
      {ErrorCode::kCorrupt, "corrupt", 4},
      {ErrorCode::kStorageFailed, "storage_failed", 5},
      {ErrorCode::kInterrupted, "interrupted", 130},
      {ErrorCode::kNoIndex, "no_index", 10},
      {ErrorCode::kBusy, "busy", 11},
      {ErrorCode::kGuardRail, "guard_rail", 7},
      {ErrorCode::kUnavailable, "unavailable", 12},
      {ErrorCode::kDenied, "denied", 13},
  };
  for (const auto& row : table) {
    EXPECT_EQ(error_name(row.code), row.name);
    EXPECT_EQ(exit_code(row.code), row.exit_code);
  }
}

// Spells names in a way of its own, as a front end does: files without their folders.
class Requests : public Spelling {
 public:
  std::string file(const std::string& path) const override {
    return path.substr(path.rfind('/') + 1);
  }
  std::string parameter(const Parameter& parameter) const override {
    return "'" + parameter.name + "': " + parameter.value;
  }
};

TEST(Error, IsOneSentenceOfItsParts) {
  const struct {
    Error error;
    std::string sentence;
  } table[] = {
      {Error(ErrorCode::kBadInput, "it is bad"), "it is bad"},
      {Error(ErrorCode::kBadInput, "it is bad", "mend it"), "it is bad; mend it"},
      {Error(ErrorCode::kBadInput, "it is bad", "mend it", ": "), "it is bad: mend it"},
      {Error(ErrorCode::kNotFound, Subject::file("/a/b"), "it is gone"), "/a/b: it is gone"},
      {Error(ErrorCode::kNoIndex, Subject::index("redis://h/s"), "it is gone"),
       "redis://h/s: it is gone"},
      {Error(ErrorCode::kBadInput, Subject::place("a.jsonl", 7), "it is bad", "mend it"),
       "a.jsonl:7: it is bad; mend it"},
      {Error(ErrorCode::kInvalidArgument, Subject::parameter("sketch"), "the sketch is none"),
       "the sketch is none"},
      {Error(ErrorCode::kBadInput, Subject::field("text"), "the field is none"),
       "the field is none"},
  };
  for (const auto& row : table) EXPECT_EQ(row.error.what(), row.sentence);
}

TEST(Error, HasItsPartsAlsoInACopy) {
  const Error error = [] {
    return Error(ErrorCode::kBusy, Subject::place("/a/b", 7), "it is " + FileName{"/c/d"},
                 "give " + Parameter{"slots", "64"} + " or more");
  }();
  EXPECT_EQ(error.code(), ErrorCode::kBusy);
  EXPECT_EQ(error.subject().kind, Subject::Kind::kPlace);
  EXPECT_EQ(error.subject().name, "/a/b");
  EXPECT_EQ(error.subject().line, 7u);
  EXPECT_EQ(error.detail(), "it is " + FileName{"/c/d"});
  EXPECT_EQ(error.hint().spelled(), "give slots=64 or more");
  EXPECT_STREQ(error.what(), "/a/b:7: it is /c/d; give slots=64 or more");
}

TEST(Error, EachFrontEndSpellsWhatItNames) {
  const Error error(ErrorCode::kNotFound, Subject::file("/secret/folder/file"),
                    "/not/a/file '" + FileName{"/secret/other"} + "'",
                    "give " + Parameter{"slots", "64"});
  EXPECT_EQ(error.sentence().spelled(Requests()), "file: /not/a/file 'other'; give 'slots': 64");
}

TEST(Error, APathIsOnOneLine) {
  const ErrorText text = FileName{"a\nb"} + " " + FileName{"\xFF"} + " " + FileName{"\xC3\xA9"};
  EXPECT_EQ(text.spelled(), "\"a\\nb\" \uFFFD \u00E9");
}

TEST(Error, AParameterMayHaveNoValue) {
  EXPECT_EQ(ErrorText(Parameter{"stage"}).spelled(), "stage");
  EXPECT_TRUE(ErrorText("").empty());
  EXPECT_FALSE(ErrorText(Parameter{"stage"}).empty());
}

TEST(Error, EqualTextsAreEqualHoweverTheyWerePutTogether) {
  EXPECT_EQ(ErrorText("a") + "b" + "" + "c", ErrorText("abc"));
  EXPECT_EQ("a" + (FileName{"f"} + "b") + "c", "a" + FileName{"f"} + "bc");
  EXPECT_NE(ErrorText(FileName{"f"}), ErrorText("f"));
}

TEST(Stop, AFlagThatIsUpIsInterrupted) {
  std::atomic<bool> flag{false};
  EXPECT_NO_THROW(throw_if_stopped(nullptr));
  EXPECT_NO_THROW(throw_if_stopped(&flag));
  flag = true;
  try {
    throw_if_stopped(&flag);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
    EXPECT_STREQ(error.what(), "interrupted");
  }
}

}  // namespace
}  // namespace benzer
