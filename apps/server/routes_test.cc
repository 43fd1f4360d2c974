#include "routes.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace benzer::server {
namespace {

Request asked(std::string_view method, std::string_view target) {
  Request out;
  out.method = method;
  out.target = target;
  EXPECT_EQ(read_target(target, out), "") << target;
  return out;
}

std::string spelled(const std::vector<const Route*>& routes) {
  std::string out;
  for (const Route* one : routes)
    out += (out.empty() ? "" : ", ") + std::string(one->method) + " " + std::string(one->path);
  return out;
}

struct PathRow {
  std::string_view method, target;
  std::string_view routes;  // those of the method, the one with the most literal parts first
};

TEST(Routes, AreFoundByMethodAndPath) {
  const std::vector<PathRow> rows = {
      {"GET", "/", "GET /"},
      {"HEAD", "/healthz", "GET /healthz"},
      {"GET", "/ui/", "GET /ui/"},
      {"GET", "/ui", ""},
      {"GET", "/ui/app.js", "GET /ui/{file}"},
      {"GET", "/v1/indexes/a", "GET /v1/indexes/{name}"},
      {"PUT", "/v1/indexes/a", "PUT /v1/indexes/{name}"},
      {"PATCH", "/v1/indexes/a", ""},
      {"get", "/v1/indexes/a", ""},
      {"GET", "/v1/indexes/", ""},  // a parameter must not be empty
      {"GET", "/v1/indexes/a/", ""},
      {"GET", "/v1/indexes//documents", ""},
      {"GET", "/v1/Indexes/a", ""},
      {"GET", "/v2/indexes/a", ""},
      {"GET", "/v1/indexes/a/stats", "GET /v1/indexes/{name}/stats"},
      {"GET", "/v1/indexes/stats", "GET /v1/indexes/{name}"},
      {"GET", "/v1/indexes/a/documents/b%2Fc", "GET /v1/indexes/{name}/documents/{id}"},
      {"GET", "/v1/indexes/a/documents/b/c", ""},
      {"POST", "/v1/indexes/a/documents/delete", "POST /v1/indexes/{name}/documents/delete"},
      {"PUT", "/v1/indexes/a/documents/delete", "PUT /v1/indexes/{name}/documents/{id}"},
      {"POST", "/v1/indexes/a/documents/get", "POST /v1/indexes/{name}/documents/get"},
      {"GET", "/v1/indexes/a/documents/get", "GET /v1/indexes/{name}/documents/{id}"},
      {"POST", "/v1/indexes/a/documents/list", "POST /v1/indexes/{name}/documents/list"},
      {"PATCH", "/v1/indexes/a/documents", "PATCH /v1/indexes/{name}/documents"},
      {"GET", "/v1/tasks/1/events", "GET /v1/tasks/{task}/events"},
      {"GET", "/nothing", ""},
  };
  for (const PathRow& row : rows)
    EXPECT_EQ(spelled(routes_of(asked(row.method, row.target), false)), row.routes)
        << row.method << " " << row.target;
}

TEST(Routes, OfAnyMethodBeginWithTheClosest) {
  EXPECT_EQ(spelled(routes_of(asked("POST", "/v1/indexes/a/documents/delete"), true)),
            "POST /v1/indexes/{name}/documents/delete, "
            "PUT /v1/indexes/{name}/documents/{id}, "
            "GET /v1/indexes/{name}/documents/{id}, "
            "PATCH /v1/indexes/{name}/documents/{id}, "
            "DELETE /v1/indexes/{name}/documents/{id}");
  EXPECT_EQ(spelled(routes_of(asked("PATCH", "/v1/tasks"), true)), "GET /v1/tasks");
}

TEST(Routes, EachIsReachedByItsOwnPath) {
  std::set<std::string> spellings;
  std::set<std::string_view> names;
  for (const Route& route : routes()) {
    std::string target(route.path);
    for (std::size_t at; (at = target.find('{')) != target.npos;)
      target.replace(at, target.find('}') - at + 1, "x");
    const auto found = routes_of(asked(route.method, target), false);
    ASSERT_FALSE(found.empty()) << target;
    EXPECT_EQ(found.front(), &route) << target << " is another one";
    EXPECT_TRUE(spellings.insert(spelled({&route})).second) << target << " is there twice";
    EXPECT_TRUE(names.insert(route.name).second) << route.name << " is there twice";
    EXPECT_EQ(route.run == nullptr, route.cost == Route::Cost::kBulk) << target;
  }
}

TEST(Routes, WhoMayOnlyReadChangesNothing) {
  // Questions use POST, because their documents or ids are too long for a target.
  const std::set<std::string> questions = {"POST /v1/indexes/{name}/documents/get",
                                           "POST /v1/indexes/{name}/documents/list",
                                           "POST /v1/indexes/{name}/similar",
                                           "POST /v1/indexes/{name}/similar/batch",
                                           "POST /v1/indexes/{name}/passages",
                                           "POST /v1/indexes/{name}/compare",
                                           "POST /v1/indexes/{name}/pairs",
                                           "POST /v1/indexes/{name}/clusters",
                                           "POST /v1/plan"};
  const std::set<std::string> for_anybody = {"GET /",    "GET /healthz",      "GET /readyz",
                                             "GET /ui/", "GET /openapi.json", "GET /ui/{file}"};
  for (const Route& route : routes()) {
    const std::string spelling = spelled({&route});
    const bool reads = route.method == "GET" || questions.contains(spelling);
    EXPECT_EQ(route.scope == Scope::kNone, for_anybody.contains(spelling)) << spelling;
    if (route.scope == Scope::kNone) continue;
    EXPECT_EQ(route.scope == Scope::kRead, reads) << spelling;
  }
}

}  // namespace
}  // namespace benzer::server
