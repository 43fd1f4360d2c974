#include "io/line_index.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace benzer {
namespace {

// Blocks with 1 to 30 documents, and some without any, in up to three sources.
void fill(LineIndex& index, std::uint32_t documents) {
  std::uint64_t offset = 0, lines = 0;
  for (std::uint32_t source = 0, block = 0; index.size() < documents; ++block) {
    if (block % 40 == 39) {
      ++source;
      offset = lines = 0;
    }
    ParsedBlock parsed;
    const std::uint32_t count = std::min(documents - index.size(), block * 7 % 31);
    std::uint32_t at = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t length = 1 + (index.size() + i) * 13 % 50;
      parsed.ids += "\"" + std::to_string(index.size() + i) + "\"";
      parsed.documents.push_back(
          {at, length, 2 * i, static_cast<std::uint32_t>(parsed.ids.size())});
      at += length;
    }
    index.append(source, source == 0, offset, lines, parsed);
    offset += at + 3;
    lines += 2 * count + 1;
  }
}

bool same(const LineIndex::Place& a, const LineIndex::Place& b) {
  return a.source == b.source && a.line == b.line && a.range.offset == b.range.offset &&
         a.range.length == b.range.length;
}

RC_GTEST_PROP(LineIndex, WalksFindWhatAtFinds, (bool limited)) {
  constexpr std::uint32_t kDocuments = 3000;
  Workspace workspace(limited ? 100'000 : 0);  // the first blocks still fit into that
  LineIndex index(workspace);
  fill(index, kDocuments);
  LineIndex::Walk walk(index);
  for (std::uint32_t document = 0; document < kDocuments; ++document) {
    RC_ASSERT(same(walk.at(document), index.at(document)));
    const LineIndex::Named named = index.named(document);
    RC_ASSERT(same(named.place, index.at(document)));
    RC_ASSERT(named.id == "\"" + std::to_string(document) + "\"");
    const std::uint32_t end = index.end_of_source(document);
    RC_ASSERT(index.source(end - 1) == index.source(document));
    RC_ASSERT(end == kDocuments || index.source(end) > index.source(document));
  }
  for (const auto document :
       *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0u, kDocuments)))
    RC_ASSERT(same(walk.at(document), index.at(document)));
}

TEST(LineIndex, ADocumentWithoutAnIdIsNullWhereOthersHaveOne) {
  struct Case {
    std::vector<std::string> references, inputs;  // the ids; empty: none
    std::vector<std::string> expected;
  };
  for (const Case& each : {
           Case{{"", ""}, {""}, {"", "", ""}},
           Case{{"7", ""}, {"", ""}, {"7", "null", "", ""}},
           Case{{"", ""}, {"\"a\"", ""}, {"", "", "\"a\"", "null"}},
           Case{{"", "1"}, {"", "2"}, {"null", "1", "null", "2"}},
       })
    for (const std::size_t limit : {0, 1}) {  // in memory, and in a file
      Workspace workspace(limit);
      LineIndex index(workspace);
      for (const bool is_reference : {true, false}) {
        std::uint64_t line = 0;
        for (const std::string& id : is_reference ? each.references : each.inputs) {
          ParsedBlock parsed;
          parsed.ids = id;
          parsed.documents.push_back({0, 10, 0, static_cast<std::uint32_t>(id.size())});
          index.append(is_reference ? 0 : 1, is_reference, line * 10, line, parsed);
          ++line;
        }
      }
      for (std::uint32_t document = 0; document < index.size(); ++document)
        EXPECT_EQ(index.named(document).id, each.expected[document])
            << "document " << document << ", limit " << limit;
    }
}

}  // namespace
}  // namespace benzer
