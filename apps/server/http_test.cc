#include "http.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace benzer::server {
namespace {

using Parts = std::vector<std::string>;
using Query = std::map<std::string, std::string, std::less<>>;

struct TargetRow {
  std::string_view target;
  Parts path;
  Query query = {};
  std::string_view host = {};
};

TEST(ReadTarget, SplitsAndDecodesOnce) {
  const std::vector<TargetRow> rows = {
      {"/", {}},
      {"/v1/limits", {"v1", "limits"}},
      {"/v1/a%20b", {"v1", "a b"}},
      {"/a%2Fb/c", {"a/b", "c"}},     // an encoded '/' does not separate
      {"/a%252Fb", {"a%2Fb"}},        // decoded only once
      {"/a+b", {"a+b"}},              // only in a query it is a blank
      {"/a/", {"a", ""}},             // is not "/a"
      {"/a//b", {"a", "", "b"}},      // neither is this "/a/b"
      {"/a/../b", {"a", "..", "b"}},  // nor is this "/b"
      {"/%C3%A4", {"\xC3\xA4"}},
      {"/a?b=c", {"a"}, {{"b", "c"}}},
      {"/a?b=c%26d&e", {"a"}, {{"b", "c&d"}, {"e", ""}}},
      {"/a?b=c=d+e%2B", {"a"}, {{"b", "c=d e+"}}},
      {"/a?", {"a"}},
      {"/a?&&b=1&", {"a"}, {{"b", "1"}}},
      {"/a?=1", {"a"}},
      {"/a?b=1#c?d=2", {"a"}, {{"b", "1"}}},
      {"http://example.org:80/a?b=1", {"a"}, {{"b", "1"}}, "example.org:80"},
      {"https://example.org", {}, {}, "example.org"},
      {"http://example.org?b=1", {}, {{"b", "1"}}, "example.org"},
  };
  for (const TargetRow& row : rows) {
    SCOPED_TRACE(row.target);
    Request request;
    EXPECT_EQ(read_target(row.target, request), "");
    EXPECT_EQ(request.path, row.path);
    EXPECT_EQ(request.query, row.query);
    EXPECT_EQ(request.host, row.host);
  }
}

TEST(ReadTarget, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string_view, std::string_view>> rows = {
      {"", "begin with '/'"},          {"*", "begin with '/'"},
      {"v1", "begin with '/'"},        {"ftp://a/", "begin with '/'"},
      {"http:///a", "no host"},        {"/a%", "two hexadecimal digits"},
      {"/a%2", "two hexadecimal"},     {"/a%2g", "two hexadecimal digits"},
      {"/a%-1", "two hexadecimal"},    {"/a%00b", "%00"},
      {"/%FF", "path is not UTF-8"},   {"/%C0%AF", "path is not UTF-8"},
      {"/a?b=%", "in the query"},      {"/a?%zz=1", "in the query"},
      {"/a?b=%00", "in the query"},    {"/a?b=%FF", "query is not UTF-8"},
      {"/a?%FF=b", "query is not"},    {"/a?b=1&b=1", "'b' is given twice"},
      {"/a?b=1&%62=2", "given twice"}, {"/a?b&b", "'b' is given twice"},
  };
  for (const auto& [target, sentence] : rows) {
    Request request;
    const std::string wrong = read_target(target, request);
    EXPECT_NE(wrong.find(sentence), wrong.npos) << target << ": " << wrong;
  }
}

}  // namespace
}  // namespace benzer::server
