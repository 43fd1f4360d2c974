#include "io/line_results.h"

#include <limits>

#include <fmt/format.h>
#include <xxhash.h>

namespace benzer {
namespace {

// A record may take one part in so many of the limit. The rest has room for its features and for
// the other records that are worked on at the same time.
constexpr std::uint64_t kRecordPart = 64;

}  // namespace

RecordLimits::RecordLimits(std::uint64_t longest, std::uint64_t memory_limit) noexcept
    : allowed(longest),
      room(memory_limit == 0 ? ~std::uint64_t{0} : memory_limit / kRecordPart),
      memory(memory_limit) {}

std::string RecordLimits::too_long(std::string_view noun, std::uint64_t bytes) const {
  if (bytes > allowed)
    return fmt::format("the {} has {} bytes, at most {} are allowed", noun, bytes, allowed);
  return has_no_room(noun, bytes) + ", or have longer ones skipped";
}

std::string RecordLimits::has_no_room(std::string_view noun, std::uint64_t bytes) const {
  return fmt::format(
      "the {} has {} bytes, and a memory limit of {} MiB has room for {} of a {}; allow {} MiB",
      noun, bytes, memory >> 20, room, noun, (bytes * kRecordPart >> 20) + 1);
}

ErrorText in_brackets_max_line() { return " (" + Parameter{"max_line"} + ")"; }

ErrorText LineProblem::text() const {
  return is_too_long ? what + in_brackets_max_line() + more : what;
}

void ParsedBlock::add(LineEntry document, std::string_view id_json) {
  if (id_json.size() > std::numeric_limits<std::uint32_t>::max() - ids.size())
    throw Error(ErrorCode::kBadInput,
                fmt::format("the ids of {} documents take more than 4 GiB", documents.size() + 1));
  ids += id_json;
  if (!id_json.empty()) id_hashes.push_back(XXH3_64bits(id_json.data(), id_json.size()));
  document.id_end = static_cast<std::uint32_t>(ids.size());
  documents.push_back(document);
}

void ParsedBlock::clear() {
  documents.clear();
  ids.clear();
  id_hashes.clear();
  problems.clear();
  refused.reset();
  annotated.reset();
  lines = 0;
  bytes = 0;
  without_group = 0;
  without_number = 0;
  fields_found = 0;
}

std::uint64_t ParsedBlock::held_bytes() const noexcept {
  return documents.capacity() * sizeof(LineEntry) + ids.capacity() +
         id_hashes.capacity() * sizeof(std::uint64_t) + problems.capacity() * sizeof(LineProblem);
}

void parse_block(const LineBlock& block, const RecordLimits& limits, RecordParser& parser,
                 DocumentVisitor::Block& sink, ParsedBlock& out) {
  out.clear();
  const std::string_view bytes = block.lines();
  out.lines = count_line_ends(bytes.substr(0, block.header));
  ParsedLine parsed;
  const auto too_long = [&](std::uint64_t line, ByteRange range, std::uint64_t length,
                            bool in_quotes) {
    LineProblem problem{line, range, limits.too_long(parser.noun(), length), true, {}};
    if (in_quotes) problem.more = "; it has a quote that is never closed";
    if (length > limits.allowed)
      out.problems.push_back(std::move(problem));
    else if (!out.refused)
      out.refused = std::move(problem);
  };
  for (std::size_t at = block.header; at < bytes.size();) {
    const auto [length, lines, ends, in_quotes] = parser.extent(bytes.substr(at));
    const std::string_view record = bytes.substr(at, length - (ends ? 1 : 0));
    const std::uint64_t number = out.lines;
    const ByteRange range{block.offset + at, length};
    if (record.size() > limits.held()) {
      too_long(number, range, record.size(), in_quotes);
    } else {
      switch (parser.parse(record, parsed)) {
        case RecordParser::Outcome::kDocument:
          out.add({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(length),
                   static_cast<std::uint32_t>(number)},
                  parsed.id_json);
          out.bytes += length;
          out.without_group += parsed.without_group;
          out.without_number += parsed.without_number;
          out.fields_found |= parsed.fields_found;
          if (!parsed.has_added.empty() && !out.annotated)
            out.annotated.emplace(number, parsed.has_added);
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
    too_long(out.lines, block.rest, length, block.rest_in_quotes);
    out.lines += block.rest_lines;
  }
}

}  // namespace benzer
