// Reads any bytes as a file of JSON lines. The first two bytes choose the block size and the
// longest line.
//
// Checks that nothing crashes; that every block size gives the same documents and problems; that
// each line is parsed, refused or blank, and nothing of the file is lost; that exactly the lines
// that the slow checker refuses are refused as malformed; that a document can be read again from
// its place; that a file whose first line is a document is taken for lines; that as lines of text
// every line is a document; that fields inside of others, groups and numbers can be read; and that
// equal numbers get the same name.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fuzz_require.h"
#include "base/number_text.h"
#include "io/found_records_fuzz_util.h"
#include "io/json_check.h"
#include "io/json_repair.h"
#include "io/json_shape.h"
#include "io/line_parser.h"
#include "io/plain_line_parser.h"

namespace {

using namespace benzer;

FoundRecords read(std::string_view bytes, std::size_t block_bytes, std::uint64_t max_line) {
  LineBlockReader reader(stream_memory(bytes), block_bytes, max_line);
  LineParser parser({});
  LineBlock block;
  FoundRecords found;
  while (reader.next(block)) found.parse(block, max_line, parser);
  require(reader.position() == bytes.size());
  return found;
}

// The document's line gives the document again, in a buffer with other bytes after it.
void check_reread(std::string_view bytes, const FoundDocument& document) {
  std::string line(bytes.substr(document.offset, document.length));
  line.append(kLinePadding, '"');
  LineParser parser({});
  ParsedLine parsed;
  require(parser.parse(std::string_view(line).substr(0, document.length), parsed) ==
          LineParser::Outcome::kDocument);
  require(parsed.view.text == document.text && parsed.id_json == document.id &&
          parsed.view.replaced == document.replaced);
  require(parsed.id_json.empty() || !find_json_fault(parsed.id_json));
}

void check_verdict(std::string_view bytes, std::uint64_t offset, std::uint64_t length,
                   std::string_view problem) {
  const std::string_view line = bytes.substr(offset, length);
  std::string repaired;
  const bool changed = replace_invalid_text(line, repaired);
  const bool malformed = find_json_fault(changed ? repaired : line).has_value();
  require(problem.starts_with("the line has") || malformed == problem.starts_with("malformed"));
  require(!problem.starts_with("the JSON parser"));
}

// If the first line that is not blank is a document, the shape must be lines.
void check_shape(std::string_view bytes, const FoundRecords& result) {
  const JsonShape shape = json_shape(bytes, true);
  json_shape(bytes, false);
  if (result.documents.empty()) return;
  const std::string_view before = bytes.substr(0, result.documents[0].offset);
  if (before.find_first_not_of(" \t\r\n\xEF\xBB\xBF") == before.npos)
    require(shape == JsonShape::kLines);
}

void check_plain_lines(std::string_view bytes) {
  PlainLineParser parser;
  ParsedLine parsed;
  std::size_t length = 0;
  while (length < bytes.size()) {
    const auto extent = parser.extent(bytes.substr(length));
    require(parser.parse(bytes.substr(length, extent.length), parsed) ==
            RecordParser::Outcome::kDocument);
    require(parsed.view.text.find('\n') == parsed.view.text.npos);
    require(parsed.view.replaced || parsed.view.text.size() <= extent.length);
    length += extent.length;
  }
}

void check_named_fields(std::string_view bytes, const FoundDocument& document) {
  LineFields fields;
  fields.id = "a.b";
  fields.group = "/a/0";
  fields.numbers = {"a", "b.1.c"};
  std::string line(bytes.substr(document.offset, document.length));
  line.append(kLinePadding, '"');
  LineParser parser(fields);
  ParsedLine parsed;
  require(parser.parse(std::string_view(line).substr(0, document.length), parsed) ==
          LineParser::Outcome::kDocument);
  require(parsed.view.text == document.text && parsed.view.numbers.size() == 2);
  if (parsed.id_json.empty() || parsed.id_json[0] == '"') return;
  require(json_number_length(parsed.id_json) == parsed.id_json.size());
  std::string name, again;
  append_number_name(name, parsed.id_json);
  require(json_number_length(name) == name.size());
  append_number_name(again, name);
  require(again == name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t block_bytes = 1 + data[0];
  const std::uint64_t max_line = data[1] == 0 ? 1 << 20 : 4ull * data[1];
  const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);

  const FoundRecords whole = read(bytes, bytes.size() + 1, max_line);
  require(whole == read(bytes, block_bytes, max_line));
  check_shape(bytes, whole);
  check_plain_lines(bytes);
  for (const FoundDocument& document : whole.documents) {
    check_reread(bytes, document);
    check_verdict(bytes, document.offset, document.length, {});
    check_named_fields(bytes, document);
  }
  for (const FoundProblem& problem : whole.problems)
    check_verdict(bytes, problem.offset, problem.length, problem.what);
  return 0;
}
