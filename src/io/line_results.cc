#include "io/line_results.h"

#include <cstring>

#include <fmt/format.h>
#include <xxhash.h>

namespace benzer {
namespace {

std::string too_long(std::uint64_t length, std::uint64_t limit) {
  return fmt::format("the line has {} bytes, at most {} are allowed (--max-line)", length, limit);
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

void parse_block(const LineBlock& block, std::uint64_t max_line_bytes, LineParser& parser,
                 DocumentVisitor::Block& sink, ParsedBlock& out) {
  out.clear();
  const std::string_view lines = block.lines();
  ParsedLine parsed;
  for (std::size_t at = 0; at < lines.size();) {
    const void* line_end = std::memchr(lines.data() + at, '\n', lines.size() - at);
    const std::size_t end =
        line_end ? static_cast<std::size_t>(static_cast<const char*>(line_end) - lines.data())
                 : lines.size();
    const std::string_view line = lines.substr(at, end - at);
    const std::size_t length = line.size() + (line_end ? 1 : 0);
    const auto number = out.lines++;
    if (line.size() > max_line_bytes) {
      out.problems.push_back(
          {number, {block.offset + at, length}, too_long(line.size(), max_line_bytes)});
    } else {
      switch (parser.parse(line, parsed)) {
        case LineParser::Outcome::kDocument:
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
        case LineParser::Outcome::kProblem:
          out.problems.push_back({number, {block.offset + at, length}, std::move(parsed.problem)});
          break;
        case LineParser::Outcome::kBlank:
          break;
      }
    }
    at += length;
  }
  if (block.tail == LineBlock::Tail::kTooLong) {
    const std::uint64_t length = block.rest.length - (block.rest_ends ? 1 : 0);
    out.problems.push_back({out.lines++, block.rest, too_long(length, max_line_bytes)});
  }
}

}  // namespace benzer
