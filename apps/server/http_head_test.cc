#include "http_head.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace benzer::server {
namespace {

namespace http = boost::beast::http;
using Lines = std::vector<std::pair<std::string, std::string>>;

http::request_header<> head_of(const Lines& lines, std::string_view method = "GET",
                               std::string_view target = "/", unsigned version = 11) {
  http::request_header<> out;
  out.version(version);
  out.method_string({method.data(), method.size()});
  out.target({target.data(), target.size()});
  for (const auto& [name, value] : lines) out.insert(name, value);
  return out;
}

Request request_of(const Lines& lines, std::string_view target = "/") {
  Request out;
  const auto refusal = read_head(head_of(lines, "GET", target), HttpOptions(), out);
  EXPECT_FALSE(refusal) << refusal->sentence;
  return out;
}

struct HeadRow {
  std::string_view what;
  Lines lines;
  int status = 0;  // 0: accepted
  std::string_view code = {};
  std::string_view method = "GET", target = "/";
  unsigned version = 11;
};

TEST(HttpHead, RefusesWhatNoRequestMaySay) {
  const std::pair<std::string, std::string> host = {"Host", "localhost"};
  const std::vector<HeadRow> rows = {
      {"a plain request", {host}},
      {"HTTP/1.0 without a host", {}, 0, {}, "GET", "/", 10},
      {"HTTP/1.1 without a host", {}, 400, "bad_request"},
      {"HTTP/2.0", {host}, 505, "bad_version", "GET", "/", 20},
      {"HTTP/0.9", {host}, 505, "bad_version", "GET", "/", 9},
      {"a method that nobody knows", {host}, 501, "unknown_method", "BREW"},
      {"two hosts", {host, host}, 400, "bad_request"},
      {"two hosts in HTTP/1.0", {host, host}, 400, "bad_request", "GET", "/", 10},
      {"one key", {host, {"Authorization", "Bearer a"}}},
      {"two keys",
       {host, {"Authorization", "Bearer a"}, {"Authorization", "Bearer b"}},
       400,
       "bad_request"},
      {"one length", {host, {"Content-Length", "3"}}},
      {"two lengths", {host, {"Content-Length", "3"}, {"Content-Length", "3"}}, 400, "bad_request"},
      {"two lengths in a line", {host, {"Content-Length", "3, 3"}}, 400, "bad_request"},
      {"chunked", {host, {"Transfer-Encoding", "chunked"}}},
      {"chunked, in capitals and with a blank", {host, {"Transfer-Encoding", "Chunked "}}},
      {"another encoding",
       {host, {"Transfer-Encoding", "gzip, chunked"}},
       501,
       "bad_transfer_encoding"},
      {"chunked twice",
       {host, {"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}},
       501,
       "bad_transfer_encoding"},
      {"chunked in HTTP/1.0",
       {host, {"Transfer-Encoding", "chunked"}},
       400,
       "bad_request",
       "GET",
       "/",
       10},
      {"a target without a path", {host}, 400, "bad_request", "GET", "v1"},
  };
  for (const HeadRow& row : rows) {
    SCOPED_TRACE(row.what);
    Request request;
    const auto refusal =
        read_head(head_of(row.lines, row.method, row.target, row.version), HttpOptions(), request);
    EXPECT_EQ(refusal ? refusal->status : 0, row.status);
    EXPECT_EQ(refusal ? refusal->code : std::string_view(), row.code);
    EXPECT_EQ(refusal && refusal->sentence.empty(), false);
  }
}

TEST(HttpHead, KnowsAHostByItsLetters) {
  const std::vector<std::pair<std::string, bool>> rows = {
      {"localhost", true}, {"localhost:8080", true}, {"10.0.0.1:80", true}, {"[::1]", true},
      {"[::1]:80", true},  {"a-b_c~d%41.e", true},   {"localhost:", true},  {"localhost:8o", false},
      {"a b", false},      {"a,b", false},           {"user@host", false},  {"a/b", false},
      {"[::1", false},     {"::1]", false},          {"[a/b]", false},      {"[::1]x", false},
  };
  for (const auto& [host, is_host] : rows) {
    Request request;
    const auto refusal = read_head(head_of({{"Host", host}}), HttpOptions(), request);
    EXPECT_EQ(!refusal, is_host) << host;
  }
}

TEST(HttpHead, LimitsLinesAndBytes) {
  HttpOptions options;
  options.header_lines = 2;
  Request request;
  const Lines two = {{"Host", "a"}, {"X-One", "1"}};
  EXPECT_FALSE(read_head(head_of(two), options, request));
  const auto lines =
      read_head(head_of({{"Host", "a"}, {"X-One", "1"}, {"X-Two", "2"}}), options, request);
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->status, 431);
  EXPECT_EQ(lines->sentence, "the request has more than 2 header lines");

  // "GET / HTTP/1.1\r\n" is 16 bytes, "Host: a\r\n" 9, "X-One: 1\r\n" 10, and then "\r\n".
  options.head_bytes = 16 + 9 + 10 + 2;
  EXPECT_FALSE(read_head(head_of(two), options, request));
  const auto bytes = read_head(head_of(two, "GET", "/a"), options, request);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->status, 431);
  EXPECT_EQ(bytes->code, "head_too_large");
  EXPECT_EQ(bytes->sentence, head_too_long(options).sentence);
}

TEST(HttpHead, FillsInTheRequest) {
  const Request request = request_of({{"Host", "LocalHost:80"},
                                      {"Authorization", "Bearer Key"},
                                      {"Content-Type", "Application/JSON ; charset=utf-8"},
                                      {"Accept", "Text/HTML"},
                                      {"If-Match", "\"Tag\""},
                                      {"Origin", "HTTP://Example.org"},
                                      {"Sec-Fetch-Site", "Cross-Site"}},
                                     "/v1/a?limit=3");
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/v1/a?limit=3");
  EXPECT_EQ(request.path, (std::vector<std::string>{"v1", "a"}));
  EXPECT_EQ(request.query.at("limit"), "3");
  EXPECT_EQ(request.host, "localhost:80");
  EXPECT_EQ(request.authorization, "Bearer Key");
  EXPECT_EQ(request.content_type, "application/json");
  EXPECT_EQ(request.accept, "Text/HTML");
  EXPECT_EQ(request.if_match, "\"Tag\"");
  EXPECT_EQ(request.origin, "http://example.org");
  EXPECT_EQ(request.fetch_site, "cross-site");
}

TEST(HttpHead, TakesAnIdThatIsSafeInALog) {
  const std::vector<std::pair<std::string, bool>> rows = {
      {"a-Z_09", true},
      {std::string(64, 'a'), true},
      {std::string(65, 'a'), false},
      {"", false},
      {"a b", false},
      {"a\"b", false},
      {"\xC3\xA4", false},
  };
  for (const auto& [id, is_taken] : rows)
    EXPECT_EQ(request_of({{"Host", "a"}, {"X-Request-Id", id}}).id, is_taken ? id : "") << id;
}

TEST(HttpHead, KnowsWhoWaitsBeforeTheBody) {
  EXPECT_TRUE(expects_to_go_on(head_of({{"Expect", "100-Continue"}})));
  EXPECT_FALSE(expects_to_go_on(head_of({{"Expect", "200-ok"}})));
  EXPECT_FALSE(expects_to_go_on(head_of({})));
}

}  // namespace
}  // namespace benzer::server
