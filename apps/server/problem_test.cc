#include "problem.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace benzer::server {
namespace {

Request request_with_id(std::string id) {
  Request out;
  out.id = std::move(id);
  return out;
}

TEST(Problem, IsWrittenAsRfc9457HasIt) {
  EXPECT_EQ(Problem(404, "no_such_route", "there is no '/x' here").json(),
            R"({"type":"urn:benzer:problem:no_such_route","title":"Not found","status":404,)"
            R"("detail":"there is no '/x' here","code":"no_such_route"})");
  const Problem all =
      Problem(429, "too_many_requests", "slower").hint("Wait.").at("/limit").retry_after(7);
  EXPECT_EQ(all.json("r1"),
            R"({"type":"urn:benzer:problem:too_many_requests","title":"Too many requests",)"
            R"("status":429,"detail":"slower","code":"too_many_requests","instance":"r1",)"
            R"("hint":"Wait.","where":"/limit","retry_after_s":7})");
}

TEST(Problem, HasATitleForEachStatus) {
  const std::vector<std::pair<int, std::string_view>> rows = {
      {400, "Bad request"},
      {401, "No valid key"},
      {403, "Not allowed"},
      {404, "Not found"},
      {405, "Method not allowed"},
      {408, "Too slow"},
      {409, "Conflict"},
      {412, "Changed meanwhile"},
      {413, "Too large"},
      {415, "Wrong content type"},
      {418, "Refused"},
      {421, "Refused"},
      {422, "Cannot be carried out"},
      {428, "Condition required"},
      {429, "Too many requests"},
      {431, "Head too large"},
      {500, "Failed"},
      {501, "Failed"},
      {503, "Not now"},
      {507, "Storage failed"},
  };
  for (const auto& [status, title] : rows) {
    const std::string json = Problem(status, "c", "s").json();
    EXPECT_NE(json.find("\"title\":\"" + std::string(title) + '"'), json.npos) << json;
  }
}

TEST(Problem, IsAResponse) {
  using Headers = std::vector<std::pair<std::string, std::string>>;
  const Request request = request_with_id("r2");
  const std::vector<std::pair<Problem, Headers>> rows = {
      {Problem(422, "c", "s"), {}},
      {Problem(401, "c", "s"), {{"WWW-Authenticate", "Bearer"}}},
      {Problem(503, "c", "s").retry_after(5), {{"Retry-After", "5"}}},
  };
  for (const auto& [problem, headers] : rows) {
    const Response response = problem.response(request);
    EXPECT_EQ(response.status, problem.status());
    EXPECT_EQ(response.content_type, "application/problem+json");
    EXPECT_EQ(response.body, problem.json("r2") + "\n");
    EXPECT_EQ(response.headers, headers);
  }
}

TEST(Problem, ASentenceIsShortAndPrintable) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {std::string(500, 'a'), std::string(500, 'a')},
      {std::string(501, 'a'), std::string(500, 'a') + "..."},
      {"a\nb\r\x7F\x01", "a b   "},
      {"a\xFFz", "a\xEF\xBF\xBDz"},
  };
  for (const auto& [sentence, shown] : rows)
    EXPECT_EQ(Problem(400, "c", sentence).sentence(), shown);
}

// Requests name parameters in members.
TEST(ProblemOf, AParameterIsTheMemberOfItsName) {
  const Error error(ErrorCode::kInvalidArgument, Subject::parameter("floor"), "it is too low");
  EXPECT_EQ(problem_of(error).place(), "/floor");
  EXPECT_EQ(problem_of(Error(ErrorCode::kInvalidArgument, "it is too low")).place(), "");
}

struct ErrorRow {
  Error error;
  int status;
  std::string_view code;
  std::string detail;
};

TEST(ProblemOf, GivesEachErrorAStatus) {
  const std::vector<ErrorRow> rows = {
      {{ErrorCode::kInvalidArgument, "threshold 2 is not in (0, 1]", "give 1"},
       422,
       "invalid_argument",
       "threshold 2 is not in (0, 1]; give 1"},
      {{ErrorCode::kBadInput, Subject::place("/data/a", 3), "no JSON"},
       422,
       "bad_input",
       "a:3: no JSON"},
      {{ErrorCode::kNotFound, Subject::index("/data/a/"), "no document"},
       404,
       "document_not_found",
       "a: no document"},
      {{ErrorCode::kNoIndex, "no index in " + FileName{"/data/a"}},
       404,
       "index_not_found",
       "no index in a"},
      {{ErrorCode::kBusy, Subject::index("redis://host:1/name"), "others write"},
       503,
       "busy",
       "name: others write"},
      {{ErrorCode::kInterrupted, "interrupted in " + FileName{"/data/a"}},
       503,
       "stopping",
       "the server is stopping"},
      {{ErrorCode::kUnavailable, "no answer"}, 503, "unavailable", "no answer"},
      {{ErrorCode::kStorageFailed, Subject::file("/data/a/log-1"), "no space"},
       507,
       "storage_failed",
       "log-1: no space"},
      {{ErrorCode::kCorrupt, Subject::file("/data/a/segment-1"), "damage at 7"},
       500,
       "damaged",
       "segment-1: damage at 7"},
      {{ErrorCode::kGuardRail, "more than a half would go"},
       409,
       "guard_rail",
       "more than a half would go"},
      {{ErrorCode::kDenied, "no password"}, 502, "index_denied", "no password"},
  };
  for (const ErrorRow& row : rows) {
    SCOPED_TRACE(row.error.what());
    const Problem problem = problem_of(row.error);
    EXPECT_EQ(problem.status(), row.status);
    EXPECT_EQ(problem.code(), row.code);
    EXPECT_EQ(problem.sentence(), row.detail);
    // A problem that may pass by itself says when to try again.
    const std::string json = problem.json();
    EXPECT_EQ(json.find("retry_after_s") != json.npos, row.status == 503) << json;
  }
}

// Holds for every part of an error that may name a folder, and for every code.
TEST(ProblemOf, NamesNoFolderOfTheServer) {
  const FileName file{"/secret/folder/file"};
  for (int code = 0; error_name(static_cast<ErrorCode>(code)) != "unknown"; ++code) {
    for (const Subject& subject :
         {Subject(), Subject::file(file.path), Subject::place(file.path, 7),
          Subject::index(file.path), Subject::index("/secret/"), Subject::field("text"),
          Subject::parameter("sketch")}) {
      const Error error(static_cast<ErrorCode>(code), subject, "a detail, '" + file + "'",
                        "see (" + file + ")");
      const std::string json = problem_of(error).json();
      EXPECT_EQ(json.find("/secret"), json.npos) << json;
      EXPECT_EQ(json.find("folder/"), json.npos) << json;
    }
  }
}

// Text that the client sent is quoted unchanged, even if it looks like a path or an option.
TEST(ProblemOf, LeavesOtherWordsAlone) {
  for (const char* sentence : {"'/b/c' is no field: /d/e", "/d/e: no field",
                               "\"/a/b\" --sketch fss:", "take (--allow-low-recall)"})
    for (const ErrorCode code : {ErrorCode::kInvalidArgument, ErrorCode::kNoIndex})
      EXPECT_EQ(problem_of(Error(code, sentence)).sentence(), sentence);
}

TEST(ProblemOf, NamesParametersAsMembers) {
  const ErrorText text = Parameter{"allow_low_recall", "true"} + ", " + Parameter{"slots", "64"} +
                         ", " + Parameter{"field"} + ", " + Parameter{"repair"};
  EXPECT_EQ(problem_of(Error(ErrorCode::kBadInput, text)).sentence(),
            "'allow_low_recall': true, 'slots': 64, 'field', --repair");
}

}  // namespace
}  // namespace benzer::server
