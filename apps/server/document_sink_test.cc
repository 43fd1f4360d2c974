// Tests how an array of documents is cut, and what is answered if a load breaks off;
// tests/serve_bodies_test.py tests what becomes of the documents.
#include "document_sink.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api.h"
#include "io/io_test_util.h"
#include "problem.h"

namespace benzer::server {
namespace {

// Cuts the text, which comes in pieces of this size. The last row is the problem, if there is one.
std::vector<std::string> cut(std::string_view text, std::size_t size) {
  ArrayCutter cutter;
  std::vector<std::string> out;
  std::string element;
  try {
    for (std::size_t at = 0; at < text.size(); at += size) {
      std::string_view piece = text.substr(at, size);
      while (!piece.empty())
        if (cutter.take(piece, element)) out.push_back(std::exchange(element, {}));
    }
    cutter.finish();
  } catch (const Problem& problem) {
    out.push_back(problem.sentence());
  }
  return out;
}

TEST(ArrayCutter, CutsAnArrayIntoItsElements) {
  using Rows = std::vector<std::string>;
  const std::string wrong = "the body is not an array of documents: ";
  const std::vector<std::pair<std::string_view, Rows>> rows = {
      {"[]", {}},
      {" [ \n ] \r\n", {}},
      {"[{}]", {"{}"}},
      {R"([{"a":1},{"b":[2,{"c":"]"}]} , {"d":"},{\\"}])",
       {R"({"a":1})", R"({"b":[2,{"c":"]"}]} )", R"({"d":"},{\\"})"}},
      {R"(["\"",1, null])", {R"("\"")", "1", "null"}},
      {"[}]", {"}"}},  // its reader refuses it
      {"", {wrong + "it is empty"}},
      {"  ", {wrong + "it is empty"}},
      {"{}", {wrong + "it does not begin with '['"}},
      {"[1", {wrong + "it ends before its ']'"}},
      {"[1,", {"1", wrong + "it ends before its ']'"}},
      {"[1]]", {"1", wrong + "something follows its ']'"}},
      {"[,1]", {wrong + "a document is missing between two commas"}},
      {"[1,]", {"1", wrong + "a document is missing between two commas"}},
      {"[1,,2]", {"1", wrong + "a document is missing between two commas"}},
  };
  for (const auto& [text, expected] : rows)
    for (const std::size_t size : {1U, 2U, 3U, 7U, 100U})
      EXPECT_EQ(cut(text, size), expected) << text << " in pieces of " << size;
}

class DocumentSinkTest : public testing::Test {
 protected:
  DocumentSinkTest() {
    indexes_.create("docs", Schema::parse("text=text:word2 | min:0.5"), false, false);
  }
  std::unique_ptr<BodySink> sink(std::string_view target, std::string_view type) {
    Request request;
    request.method = "POST";
    request.host = "localhost";
    request.client = "127.0.0.1";
    request.content_type = type;
    EXPECT_EQ(read_target(target, request), "");
    request.start = std::chrono::steady_clock::now();
    Admission admission = api_.admit(request);
    EXPECT_FALSE(admission.refused);
    return std::move(admission.sink);
  }

  TestFolder folder_;
  ServedIndexes indexes_{folder_.path()};
  Api api_{indexes_, Keys(), ApiLimits()};
};

constexpr std::string_view kDocuments = "/v1/indexes/docs/documents";

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

TEST_F(DocumentSinkTest, ALoadThatBreaksOffSaysHowManyLinesWereStored) {
  const auto lines = sink(kDocuments, "application/x-ndjson");
  for (int i = 0; i < 2500; ++i)
    ASSERT_TRUE(lines->take(fmt::format("{{\"id\":\"{}\",\"text\":\"one two {}\"}}\n", i, i)));
  const Response answer = lines->refuse(408, "too_slow", "the request did not come in time");
  EXPECT_EQ(answer.status, 408);
  EXPECT_TRUE(has(answer.body, "\"code\":\"too_slow\"")) << answer.body;
  EXPECT_TRUE(has(answer.body,
                  "The first 2000 lines were carried out: 2000 documents inserted, 0 replaced, 0 "
                  "refused. What was sent may be sent again."))
      << answer.body;
}

TEST_F(DocumentSinkTest, DocumentsWithoutIdsMustNotBeSentAgain) {
  const auto array = sink(std::string(kDocuments) + "?make_ids=true", "application/json");
  ASSERT_TRUE(array->take(R"([{"text":"one two"})"));
  const Response answer = array->refuse(400, "bad_request", "the request is not valid");
  EXPECT_TRUE(has(answer.body, "The first 0 documents were carried out")) << answer.body;
  EXPECT_TRUE(has(answer.body, "Send only the rest")) << answer.body;
}

TEST_F(DocumentSinkTest, AShortAnswerHasTheRefusedLinesAlone) {
  const std::string refused =
      R"("outcome":"refused","problem":{"type":"urn:benzer:problem:bad_input",)";
  const auto lines = sink(kDocuments, "application/x-ndjson");
  ASSERT_TRUE(lines->take("{\"id\":\"a\",\"text\":\"one two\"}\n{\"id\":\"b\",\"text\":7}\n"));
  const Response answer = lines->finish();
  EXPECT_EQ(answer.status, 207);
  EXPECT_TRUE(has(answer.body, "{\"line\":1,\"id\":\"a\",\"outcome\":\"inserted\"}\n"))
      << answer.body;
  EXPECT_FALSE(has(answer.body, "left_out")) << answer.body;
  ASSERT_TRUE(answer.short_body);
  EXPECT_TRUE(answer.short_body->starts_with("{\"line\":2," + refused)) << *answer.short_body;
  EXPECT_TRUE(has(*answer.short_body,
                  "{\"summary\":{\"documents\":2,\"inserted\":1,\"replaced\":0,\"refused\":1,"
                  "\"left_out\":1,"))
      << *answer.short_body;

  const auto array = sink(kDocuments, "application/json");
  ASSERT_TRUE(array->take(R"([{"id":"a","text":"one two"}])"));
  const Response all = array->finish();
  EXPECT_EQ(all.status, 200);
  EXPECT_TRUE(all.body.starts_with(R"({"results":[{"line":1,"id":"a","outcome":"replaced"}],)"))
      << all.body;
  ASSERT_TRUE(all.short_body);
  EXPECT_TRUE(all.short_body->starts_with(R"({"results":[],"summary":{"documents":1,)"))
      << *all.short_body;
}

}  // namespace
}  // namespace benzer::server
