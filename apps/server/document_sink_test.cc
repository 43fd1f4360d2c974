// Tests how an array of documents is cut; tests/serve_bodies_test.py tests what becomes of them.
#include "document_sink.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace benzer::server
