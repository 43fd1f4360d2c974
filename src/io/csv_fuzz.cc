// Reads any bytes as a CSV file. The first two bytes choose the block size and the longest record.
// If the third is odd, a header is put in front of the others; its second bit chooses the
// delimiter.
//
// Checks that nothing crashes; that every block size gives the same documents and problems; that a
// record to which the plain reader gives as many fields as the header has is a document with that
// text, and any other record a problem; that a document can be read again from its place; and that
// added fields follow the others.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/internal/json.h"
#include "benzer/internal/text.h"

#include "base/fuzz_require.h"
#include "io/csv_annotation.h"
#include "io/csv_header.h"
#include "io/csv_test_util.h"
#include "io/found_records_fuzz_util.h"

namespace {

using namespace benzer;

struct Result {
  FoundRecords records;
  std::string refusal;
};

InputOptions options(std::uint64_t max_line) {
  InputOptions options;
  options.max_line_bytes = max_line;
  return options;
}

// The record gives the document again, in a buffer with other bytes after it.
void check_reread(RecordParser& parser, std::string_view bytes, const FoundDocument& document) {
  std::string again(bytes.substr(document.offset, document.length));
  again.append(kLinePadding, '"');
  ParsedLine line;
  require(parser.parse(std::string_view(again).substr(0, document.length), line) ==
          RecordParser::Outcome::kDocument);
  require(line.view.text == document.text && line.id_json == document.id);
}

Result read(std::string_view bytes, char delimiter, std::size_t block_bytes,
            std::uint64_t max_line) {
  CsvHeader header(options(max_line), delimiter);
  const auto parser = header.parser();
  LineBlockReader reader(stream_memory(bytes), block_bytes, max_line, header.ends());
  LineBlock block;
  Result result;
  for (bool begins = true; reader.next(block); begins = false) {
    const std::optional<Error> refusal = header.find({"file"}, begins, block);
    result.refusal = refusal ? refusal->what() : "";
    if (!result.refusal.empty()) return result;
    result.records.parse(block, max_line, *parser);
  }
  require(reader.position() == bytes.size());
  for (const FoundDocument& document : result.records.documents)
    check_reread(*parser, bytes, document);
  return result;
}

void check_annotation(std::string_view record, const PlainRecord& plain, char delimiter) {
  std::string annotated(record);
  add_csv_fields(annotated, std::vector<std::string>{"null", "\"a,\\\"b\\n\\t\""}, delimiter);
  const auto again = split_csv_plainly(annotated, delimiter);
  require(again.size() == 1 && again[0].fault == CsvFields::Fault::kNone);
  std::vector<std::string> fields = plain.fields;
  fields.insert(fields.end(), {"", "a,\"b\n\t"});
  require(again[0].fields == fields);
}

// Compares the result with what the plain reader finds.
void check(const FoundRecords& records, std::string_view all, char delimiter,
           std::uint64_t max_line) {
  const std::size_t mark = all.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::string_view bytes = all.substr(mark);
  auto document = records.documents.begin();
  auto problem = records.problems.begin();
  std::size_t columns = 0;
  std::size_t text = 0;
  for (const PlainRecord& record : split_csv_plainly(bytes, delimiter)) {
    if (record.blank) continue;
    if (columns == 0) {
      columns = record.fields.size();
      while (text < columns && record.fields[text] != "text") ++text;
      require(text < columns);
      continue;
    }
    const std::uint64_t offset = mark + record.offset;
    const bool fits = record.length - (record.ends ? 1 : 0) <= max_line;
    if (fits && record.fault == CsvFields::Fault::kNone && record.fields.size() == columns) {
      require(document != records.documents.end() && document->offset == offset &&
              document->length == record.length && document->line == record.line);
      std::string valid;
      append_valid_utf8(valid, record.fields[text]);
      require(document->text == valid);
      check_annotation(bytes.substr(record.offset, record.length), record, delimiter);
      ++document;
    } else {
      require(problem != records.problems.end() && problem->offset == offset &&
              problem->length == record.length && problem->line == record.line);
      require(fits !=
              problem->what.starts_with("the record has " +
                                        std::to_string(record.length - record.ends) + " bytes"));
      ++problem;
    }
  }
  require(document == records.documents.end() && problem == records.problems.end());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::size_t block_bytes = 1 + data[0];
  const std::uint64_t max_line = data[1] == 0 ? 1 << 20 : 4ull * data[1];
  const char delimiter = (data[2] & 2) != 0 ? '\t' : ',';
  std::string bytes;
  if ((data[2] & 1) != 0) bytes = std::string("id") + delimiter + "text\n";
  bytes.append(reinterpret_cast<const char*>(data + 3), size - 3);

  const Result whole = read(bytes, delimiter, bytes.size() + 1, max_line);
  const Result parts = read(bytes, delimiter, block_bytes, max_line);
  require(whole.refusal == parts.refusal);
  if (!whole.refusal.empty()) return 0;
  require(whole.records == parts.records);
  check(whole.records, bytes, delimiter, max_line);
  return 0;
}
