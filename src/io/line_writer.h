// Writes the documents of files of records to an output, as they are or with fields added.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "benzer/input.h"
#include "benzer/output.h"

#include "io/csv_header.h"
#include "io/line_index.h"
#include "io/line_source.h"
#include "io/record_parser.h"
#include "io/skipped_lines.h"

namespace benzer {

struct LineWriting {
  std::span<const LineSource> sources;
  const LineIndex& index;
  const SkippedLines& skipped_lines;
  std::uint32_t references;  // this many first documents are not written
  const CsvHeader* csv;      // null: lines of JSON
  OutputFile* skipped;       // receives the records that gave no document; may be null
  const std::function<void(std::uint64_t)>& progress;  // may be empty
  const std::atomic<bool>* stop;
};

// Writes the documents that are not in `removed` (sorted), byte for byte.
void write_kept_lines(const LineWriting& writing, std::span<const std::uint32_t> removed,
                      OutputFile& kept);

// Writes all documents with the fields added. The parser is one of JSON that knows these
// (LineFields::added). Throws Error(kBadInput) for a record that already has one of them.
void write_annotated_lines(const LineWriting& writing, const FileCorpus::Annotation& annotation,
                           RecordParser& parser, OutputFile& out);

// Throws Error(kBadInput) for a record that already has a field that is to be added.
[[noreturn]] void throw_annotated(const Subject& record, std::string_view field);

// Writes all documents, those of `edits` with their new texts or not at all. The parser is that of
// the documents' records.
void write_edited_lines(const LineWriting& writing, const FileCorpus::Edits& edits,
                        RecordParser& parser, OutputFile& out);

}  // namespace benzer
