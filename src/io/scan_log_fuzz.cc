// Reads any bytes as the log of a source, and as the payload of one of its records, also with the
// right checksum.
//
// Checks that nothing crashes; that the documents of a block are inside it, so that they can be
// read again; that a payload which is read and written again gives the same bytes; and that a log
// is read up to its last complete record.
#include <cstdint>
#include <string>
#include <string_view>

#include "benzer/error.h"

#include "base/fuzz_memory_file.h"
#include "base/fuzz_require.h"
#include "io/scan_log.h"

namespace {

using namespace benzer;

void check_block(std::string_view payload) {
  LoggedBlock block;
  ParsedBlock parsed;
  std::string_view visitor;
  try {
    read_logged_block(payload, block, parsed, visitor);
  } catch (const Error& error) {
    require(error.code() == ErrorCode::kCorrupt);
    return;
  }
  require(block.offset <= block.next);
  std::uint64_t end = block.offset;
  std::uint32_t id_end = 0;
  for (const LineEntry& entry : parsed.documents) {
    require(block.offset + entry.offset >= end);
    end = block.offset + entry.offset + entry.length;
    require(end <= block.next && entry.line <= parsed.lines);
    require(entry.id_end >= id_end && entry.id_end <= parsed.ids.size());
    id_end = entry.id_end;
  }
  end = block.offset;
  for (const LineProblem& problem : parsed.problems) {
    require(problem.range.offset >= end && problem.range.offset <= block.next &&
            problem.range.length <= block.next - problem.range.offset);
    end = problem.range.offset + problem.range.length;
  }
  require(logged_block(block, parsed, visitor) == payload);
}

void check_source(std::string_view payload) {
  InputFiles files;
  files.add({.path = "a.jsonl"});
  const LineSource source(files, 0);
  try {
    if (!differs(payload, source, "x=1\n").empty()) return;
    require(payload == logged_source(source, "x=1\n"));
  } catch (const Error& error) {
    require(error.code() == ErrorCode::kCorrupt);
  }
}

void check_log(std::string_view bytes) {
  const MemoryFile file(bytes);
  RecordLogReader reader;
  try {
    require(reader.open(file.path()));
  } catch (const Error& error) {
    require(error.code() == ErrorCode::kCorrupt && !bytes.starts_with(record_log_magic()));
    return;
  }
  std::string again(record_log_magic());
  std::uint32_t kind = 0;
  for (std::string payload; reader.next(kind, payload);) {
    again += record_head(kind, payload) + payload;
    if (kind == kLoggedBlock) check_block(payload);
    if (kind == kLoggedSource) check_source(payload);
  }
  require(reader.whole() == again.size() && bytes.starts_with(again));
}

}  // namespace

// The first byte chooses what the others are read as.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] % 4) {
    case 0:
      check_block(bytes);
      break;
    case 1:
      check_source(bytes);
      break;
    case 2:
      check_log(bytes);
      break;
    case 3:  // the payload of a block, with the right checksum
      check_log(std::string(record_log_magic()) + record_head(kLoggedBlock, bytes) +
                std::string(bytes));
      break;
  }
  return 0;
}
