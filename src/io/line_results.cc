#include "io/line_results.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace benzer {
namespace {

std::string too_long(std::string_view noun, std::uint64_t length, std::uint64_t limit,
                     bool in_quotes) {
  return fmt::format("the {} has {} bytes, at most {} are allowed (--max-line){}", noun, length,
                     limit, in_quotes ? "; it has a quote that is never closed" : "");
}

}  // namespace

void ParsedBlock::clear() {
  documents.clear();
  ids.clear();
  id_hashes.clear();
  problems.clear();
  lines = 0;
  bytes = 0;
  without_group = 0;
  without_number = 0;
}

void parse_block(const LineBlock& block, std::uint64_t max_line_bytes, RecordParser& parser,
                 DocumentVisitor::Block& sink, ParsedBlock& out) {
  out.clear();
  const std::string_view bytes = block.lines();
  out.lines = count_line_ends(bytes.substr(0, block.header));
  ParsedLine parsed;
  for (std::size_t at = block.header; at < bytes.size();) {
    const auto [length, lines, ends, in_quotes] = parser.extent(bytes.substr(at));
    const std::string_view record = bytes.substr(at, length - (ends ? 1 : 0));
    const std::uint64_t number = out.lines;
    const ByteRange range{block.offset + at, length};
    if (record.size() > max_line_bytes) {
      out.problems.push_back(
          {number, range, too_long(parser.noun(), record.size(), max_line_bytes, in_quotes)});
    } else {
      switch (parser.parse(record, parsed)) {
        case RecordParser::Outcome::kDocument:
          out.ids.append(parsed.id_json);
          if (!parsed.id_json.empty())
            out.id_hashes.push_back(XXH3_64bits(parsed.id_json.data(), parsed.id_json.size()));
          out.documents.push_back(
              {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(length),
               static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(out.ids.size())});
          out.bytes += length;
          out.without_group += parsed.without_group;
          out.without_number += parsed.without_number;
          sink.add(parsed.view);
          break;
        case RecordParser::Outcome::kProblem:
          out.problems.push_back({number, range, std::move(parsed.problem)});
          break;
        case RecordParser::Outcome::kBlank:
          break;
      }
    }
    at += length;
    out.lines += lines;
  }
  if (block.tail == LineBlock::Tail::kTooLong) {
    const std::uint64_t length = block.rest.length - (block.rest_ends ? 1 : 0);
    out.problems.push_back({out.lines, block.rest,
                            too_long(parser.noun(), length, max_line_bytes, block.rest_in_quotes)});
    out.lines += block.rest_lines;
  }
}

}  // namespace benzer
