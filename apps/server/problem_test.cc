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
      {428, "Condition wanted"},
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

struct ErrorRow {
  ErrorCode error;
  std::string sentence;
  int status;
  std::string_view code;
  std::string detail;
};

TEST(ProblemOf, GivesEachErrorAStatusAndNamesNoFolder) {
  const std::vector<ErrorRow> rows = {
      {ErrorCode::kInvalidArgument, "threshold 2 is not in (0, 1]", 422, "invalid_argument",
       "threshold 2 is not in (0, 1]"},
      {ErrorCode::kInvalidArgument, "/data/a: '/b/c' is no field", 422, "invalid_argument",
       "a: '/b/c' is no field"},
      {ErrorCode::kInvalidArgument, "'/b/c' is no field: /d/e", 422, "invalid_argument",
       "'/b/c' is no field: /d/e"},
      {ErrorCode::kInvalidArgument, "too few (--allow-low-recall)", 422, "invalid_argument",
       "too few ('allow_low_recall': true)"},
      {ErrorCode::kInvalidArgument, "take --sketch fss:64", 422, "invalid_argument",
       "take 'slots': 64"},
      {ErrorCode::kBadInput, "/data/a: line 3 is no JSON", 422, "bad_input",
       "a: line 3 is no JSON"},
      {ErrorCode::kNotFound, "/data/a: no document '/x/y'", 404, "document_not_found",
       "a: no document '/x/y'"},
      {ErrorCode::kNoStore, "there is no store in /data/a", 404, "index_not_found",
       "there is no store in a"},
      {ErrorCode::kBusy, "/data/a: another process writes", 503, "busy",
       "a: another process writes"},
      {ErrorCode::kInterrupted, "interrupted in /data/a", 503, "stopping",
       "the server is stopping"},
      {ErrorCode::kUnavailable, "'/data/socket' does not answer", 503, "unavailable",
       "'socket' does not answer"},
      {ErrorCode::kStorageFailed, "/data/a/log-1: no space left (/data/b)", 507, "storage_failed",
       "log-1: no space left (b)"},
      {ErrorCode::kCorrupt, "/data/a/segment-1: damage at 7", 500, "damaged",
       "segment-1: damage at 7"},
      {ErrorCode::kGuardRail, "more than a half would go", 409, "guard_rail",
       "more than a half would go"},
      {ErrorCode::kDenied, "\"/data/a\" takes no password", 502, "store_denied",
       "\"a\" takes no password"},
  };
  for (const ErrorRow& row : rows) {
    SCOPED_TRACE(row.sentence);
    const Problem problem = problem_of(Error(row.error, row.sentence));
    EXPECT_EQ(problem.status(), row.status);
    EXPECT_EQ(problem.code(), row.code);
    EXPECT_EQ(problem.sentence(), row.detail);
    // What may pass by itself says when to ask again.
    const std::string json = problem.json();
    EXPECT_EQ(json.find("retry_after_s") != json.npos, row.status == 503) << json;
  }
}

}  // namespace
}  // namespace benzer::server
