// Tests which requests are admitted, and how the others are refused.
#include "api.h"

#include <algorithm>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "io/io_test_util.h"
#include "routes.h"

namespace benzer::server {
namespace {

Request ask(std::string_view method, std::string_view target, std::string_view key = {}) {
  Request out;
  out.method = method;
  out.target = target;
  out.host = "localhost:80";
  out.client = "127.0.0.1";
  if (!key.empty()) out.authorization = "Bearer " + std::string(key);
  EXPECT_EQ(read_target(target, out), "");
  out.start = std::chrono::steady_clock::now();
  return out;
}

std::string header(const Response& response, std::string_view name) {
  for (const auto& [one, value] : response.headers)
    if (one == name) return value;
  return {};
}

// Returns "403 scope_too_small", or "" for a request that is admitted.
std::string refusal_of(const Admission& admission) {
  if (!admission.refused) return {};
  const std::string& body = admission.refused->body;
  const std::string_view member = "\"code\":\"";
  const std::size_t at = body.find(member) + member.size();
  return std::to_string(admission.refused->status) + " " + body.substr(at, body.find('"', at) - at);
}

class ApiTest : public testing::Test {
 protected:
  Api& api(const ApiLimits& limits = {}) {
    if (!api_) api_.emplace(indexes_, keys_, limits);
    return *api_;
  }
  std::string refusal(Request request) { return refusal_of(api().admit(request)); }
  void add_keys() {
    keys_.add(Scope::kRead, "r");
    keys_.add(Scope::kWrite, "w");
    keys_.add(Scope::kAdmin, "a");
  }

  TestFolder folder_;
  ServedIndexes indexes_{folder_.path()};
  Keys keys_;
  std::optional<Api> api_;
};

TEST_F(ApiTest, APreflightOfAPageThatIsNotAllowedIsRefused) {
  const auto preflight = [](std::string_view key) {
    Request out = ask("OPTIONS", "/v1/indexes", key);
    out.origin = "https://other.example";
    return out;
  };
  EXPECT_EQ(refusal(preflight("")), "403 foreign_page");
  add_keys();
  api().set_keys(keys_);
  EXPECT_EQ(refusal(preflight("")), "401 no_valid_key");
  EXPECT_EQ(refusal(preflight("r")), "405 method_not_allowed");
}

struct AdmissionRow {
  std::string_view method, target, key, refusal;
};

TEST_F(ApiTest, AKeyMayWhatItsScopeAllows) {
  add_keys();
  const std::vector<AdmissionRow> rows = {
      {"GET", "/healthz", "", ""},
      {"GET", "/healthz", "unknown", ""},
      {"GET", "/v1/indexes", "", "401 no_valid_key"},
      {"GET", "/v1/indexes", "unknown", "401 no_valid_key"},
      {"GET", "/v1/indexes", "r", ""},
      {"GET", "/v1/indexes", "a", ""},
      {"POST", "/v1/plan", "r", ""},
      {"PUT", "/v1/indexes/c/documents/1", "r", "403 scope_too_small"},
      {"PUT", "/v1/indexes/c/documents/1", "w", ""},
      {"PUT", "/v1/indexes/c", "w", "403 scope_too_small"},
      {"PUT", "/v1/indexes/c", "a", ""},
      // Without a key a client does not learn which routes exist.
      {"GET", "/nothing", "", "401 no_valid_key"},
      {"GET", "/nothing", "r", "404 no_such_route"},
      {"PATCH", "/v1/indexes", "", "401 no_valid_key"},
      {"PATCH", "/v1/indexes", "r", "405 method_not_allowed"},
      {"PATCH", "/healthz", "", "401 no_valid_key"},
      {"GET", "/v1/tasks?limit=1", "r", "422 unknown_parameter"},
      {"GET", "/v1/indexes/c/documents?limit=1&after=a", "r", ""},
      {"GET", "/v1/indexes/c/documents?limits=1", "r", "422 unknown_parameter"},
      {"GET", "/v1/indexes/c/documents?limi=1", "r", "422 unknown_parameter"},
      {"GET", "/v1/indexes/c/documents?limit:integer=1", "r", "422 unknown_parameter"},
  };
  for (const AdmissionRow& row : rows)
    EXPECT_EQ(refusal(ask(row.method, row.target, row.key)), row.refusal)
        << row.method << " " << row.target << " with the key '" << row.key << "'";
}

TEST_F(ApiTest, WithoutKeysOnlyThisMachineIsAnswered) {
  const std::vector<std::pair<std::string_view, bool>> rows = {
      {"", true},
      {"localhost", true},
      {"localhost:8080", true},
      {"127.0.0.1", true},
      {"127.1.2.3:80", true},
      {"[::1]", true},
      {"[::1]:80", true},
      {"example.org", false},
      {"localhost.example.org", false},
      {"127.example.org", false},
      {"128.0.0.1", false},
      {"[::2]", false},
  };
  for (const auto& [host, is_local] : rows) {
    Request request = ask("DELETE", "/v1/indexes/c");
    request.host = host;
    EXPECT_EQ(refusal(request), is_local ? "" : "421 wrong_host") << host;
  }
}

TEST_F(ApiTest, WithKeysAnyNameIsAnswered) {
  add_keys();
  Request request = ask("GET", "/v1/indexes", "r");
  request.host = "example.org";
  request.origin = "https://example.com";
  request.fetch_site = "cross-site";
  EXPECT_EQ(refusal(request), "");
}

TEST_F(ApiTest, WithoutKeysPagesOfOthersAreRefused) {
  struct PageRow {
    std::string_view target, origin, fetch_site, refusal;
  };
  const std::vector<PageRow> rows = {
      {"/v1/indexes", "", "", ""},
      {"/v1/indexes", "", "same-origin", ""},
      {"/v1/indexes", "", "none", ""},
      {"/v1/indexes", "", "same-site", "403 foreign_page"},
      {"/v1/indexes", "", "cross-site", "403 foreign_page"},
      {"/v1/indexes", "http://localhost:80", "", ""},
      {"/v1/indexes", "https://localhost:80", "", ""},
      {"/v1/indexes", "http://localhost:81", "", "403 foreign_page"},
      {"/v1/indexes", "http://example.org", "", "403 foreign_page"},
      {"/v1/indexes", "null", "", "403 foreign_page"},
      {"/nothing", "null", "", "403 foreign_page"},
      {"/", "http://example.org", "cross-site", ""},  // links from other pages are allowed
  };
  for (const PageRow& row : rows) {
    Request request = ask("GET", row.target);
    request.origin = row.origin;
    request.fetch_site = row.fetch_site;
    EXPECT_EQ(refusal(request), row.refusal) << row.target << " " << row.origin << row.fetch_site;
  }
}

TEST_F(ApiTest, AMethodThatAPathLacksIsToldWhichThereAre) {
  Request request = ask("PATCH", "/v1/indexes/c/decisions");
  const Admission admission = api().admit(request);
  EXPECT_EQ(refusal_of(admission), "405 method_not_allowed");
  EXPECT_EQ(header(*admission.refused, "Allow"), "GET, HEAD, POST");
}

TEST_F(ApiTest, TheRateIsThatOfAKey) {
  add_keys();
  ApiLimits limits;
  limits.requests_per_second = 0.01;
  api(limits);
  EXPECT_EQ(refusal(ask("GET", "/v1/indexes", "r")), "");
  Request again = ask("GET", "/v1/indexes", "r");
  again.client = "10.0.0.1";
  const Admission admission = api().admit(again);
  EXPECT_EQ(refusal_of(admission), "429 too_many_requests");
  EXPECT_GT(std::stoi(header(*admission.refused, "Retry-After")), 90);
  EXPECT_EQ(refusal(ask("GET", "/v1/indexes", "w")), "") << "another key";
  EXPECT_EQ(refusal(ask("GET", "/healthz", "r")), "") << "what anybody may ask is not counted";
}

TEST_F(ApiTest, WithoutKeysTheRateIsThatOfAnAddress) {
  ApiLimits limits;
  limits.requests_per_second = 0.01;
  api(limits);
  EXPECT_EQ(refusal(ask("GET", "/v1/indexes")), "");
  EXPECT_EQ(refusal(ask("GET", "/v1/indexes", "any")), "429 too_many_requests");
  Request other = ask("GET", "/v1/indexes");
  other.client = "127.0.0.2";
  EXPECT_EQ(refusal(other), "");
}

TEST_F(ApiTest, SaysHowABodyIsTakenAndWhoAnswers) {
  indexes_.create("c", Schema::parse("text=text:word2 | fss:16"), false, false);
  ApiLimits limits;
  limits.body_bytes = 10;
  limits.bulk_bytes = 20;
  api(limits);
  struct CostRow {
    std::string_view method, target;
    std::uint64_t largest_body;
    bool is_at_once, has_sink;
    std::string_view index;
  };
  const std::vector<CostRow> rows = {
      {"GET", "/healthz", 10, true, false, "/all"},
      {"GET", "/v1/indexes", 10, false, false, "/all"},
      {"POST", "/v1/indexes/c/similar", 10, false, false, "c"},
      {"POST", "/v1/indexes/c/documents", 20, false, true, "c"},
  };
  for (const CostRow& row : rows) {
    SCOPED_TRACE(row.target);
    Request request = ask(row.method, row.target);
    request.content_type = "application/x-ndjson";
    const Admission admission = api().admit(request);
    EXPECT_EQ(refusal_of(admission), "");
    EXPECT_EQ(admission.largest_body, row.largest_body);
    EXPECT_EQ(admission.is_at_once, row.is_at_once);
    EXPECT_EQ(admission.index, row.index);
    EXPECT_EQ(admission.client, "127.0.0.1");
    EXPECT_EQ(admission.sink != nullptr, row.has_sink);
    EXPECT_EQ(routes()[static_cast<std::size_t>(request.route)].method, row.method);
  }
}

TEST_F(ApiTest, OnlyAFewMayAskForWholeIndexesAtATime) {
  const auto has_turn = [&](std::vector<std::unique_ptr<Api::Turn>>& turns, const char* client) {
    Request request = ask("GET", "/");
    request.client = client;
    try {
      turns.push_back(std::make_unique<Api::Turn>(api(), request));
      return true;
    } catch (const Problem& problem) {
      EXPECT_EQ(problem.code(), "too_busy");
      return false;
    }
  };
  std::vector<std::unique_ptr<Api::Turn>> turns;
  EXPECT_TRUE(has_turn(turns, "a"));
  EXPECT_TRUE(has_turn(turns, "a"));
  EXPECT_FALSE(has_turn(turns, "a"));  // one is left for others
  EXPECT_TRUE(has_turn(turns, "b"));
  EXPECT_FALSE(has_turn(turns, "c"));
  turns.erase(turns.begin());
  EXPECT_TRUE(has_turn(turns, "c"));  // the refused requests hold no turn
}

TEST_F(ApiTest, ARequestThatWasToldToEndSaysWhy) {
  using Reason = RequestStop::Reason;
  const std::vector<std::pair<Reason, std::string_view>> rows = {
      {Reason::kOutOfTime, "\"took_too_long\""},
      {Reason::kClientGone, "\"client_gone\""},
      {Reason::kServerStops, "\"stopping\""},
  };
  const auto interrupted = []() -> Response {
    throw Error(ErrorCode::kInterrupted, "interrupted");
  };
  for (const auto& [reason, code] : rows) {
    Request request = ask("GET", "/");
    EXPECT_FALSE(request.stop->flag());
    request.stop->set(reason);
    request.stop->set(Reason::kServerStops);  // the first reason counts
    EXPECT_TRUE(request.stop->flag());
    const Response response = answer_or_problem(request, interrupted);
    EXPECT_NE(response.body.find(code), std::string::npos) << response.body;
    // What waited for a worker until its time was over is not begun.
    request.route = 0;
    EXPECT_NE(api().handle(request).body.find(code), std::string::npos);
  }
}

TEST(AnswerOrProblem, NothingIsThrown) {
  Request request;
  request.id = "r7";
  struct ThrownRow {
    std::function<Response()> work;
    int status;
    std::string_view part;
  };
  const std::vector<ThrownRow> rows = {
      {[] { return Response{201, "text/plain", "made"}; }, 201, "made"},
      {[]() -> Response { throw Problem(409, "taken", "it is there"); }, 409, "\"taken\""},
      {[]() -> Response { throw Error(ErrorCode::kBusy, "busy"); }, 503, "\"busy\""},
      {[]() -> Response { throw std::bad_alloc(); }, 503, "\"out_of_memory\""},
      {[]() -> Response { throw std::runtime_error("secret"); }, 500, "\"instance\":\"r7\""},
  };
  for (const ThrownRow& row : rows) {
    const Response response = answer_or_problem(request, row.work);
    EXPECT_EQ(response.status, row.status);
    EXPECT_NE(response.body.find(row.part), std::string::npos) << response.body;
    EXPECT_EQ(response.body.find("secret"), std::string::npos);
  }
}

TEST_F(ApiTest, WhatNeverWasARequestIsRefused) {
  const Response busy = Api::refusal(Request(), 503, "busy", "later");
  EXPECT_EQ(busy.status, 503);
  EXPECT_EQ(header(busy, "Retry-After"), "1");
  EXPECT_EQ(header(Api::refusal(Request(), 431, "head_too_large", "long"), "Retry-After"), "");
}

}  // namespace
}  // namespace benzer::server
