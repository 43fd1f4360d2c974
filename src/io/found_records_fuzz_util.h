// For fuzz targets: collects what the parsers of records find in a file, block by block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fuzz_require.h"
#include "io/line_blocks.h"
#include "io/line_results.h"

namespace benzer {

struct FoundDocument {
  std::uint64_t offset, length, line;
  std::string text, id;
  bool replaced;
  friend bool operator==(const FoundDocument&, const FoundDocument&) = default;
};

struct FoundProblem {
  std::uint64_t offset, length, line;
  std::string what;
  friend bool operator==(const FoundProblem&, const FoundProblem&) = default;
};

class FoundRecords {
 public:
  void parse(const LineBlock& block, std::uint64_t max_line, RecordParser& parser) {
    Sink sink;
    ParsedBlock parsed;
    parse_block(block, RecordLimits(max_line), parser, sink, parsed);
    require(sink.texts.size() == parsed.documents.size());
    std::size_t id_begin = 0;
    for (std::size_t i = 0; i < parsed.documents.size(); ++i) {
      const LineEntry& entry = parsed.documents[i];
      documents.push_back({block.offset + entry.offset, entry.length, lines_ + entry.line,
                           sink.texts[i], parsed.ids.substr(id_begin, entry.id_end - id_begin),
                           sink.replaced[i]});
      id_begin = entry.id_end;
    }
    for (const LineProblem& problem : parsed.problems)
      problems.push_back(
          {problem.range.offset, problem.range.length, lines_ + problem.line, problem.what});
    lines_ += parsed.lines;
  }

  friend bool operator==(const FoundRecords& x, const FoundRecords& y) {
    return x.documents == y.documents && x.problems == y.problems;
  }

  std::vector<FoundDocument> documents;
  std::vector<FoundProblem> problems;

 private:
  struct Sink : DocumentVisitor::Block {
    void add(const DocumentView& document) override {
      texts.emplace_back(document.text);
      replaced.push_back(document.replaced);
    }
    std::vector<std::string> texts;
    std::vector<bool> replaced;
  };

  std::uint64_t lines_ = 0;  // of the earlier blocks
};

}  // namespace benzer
