// Reads the first record of a CSV file, which names the columns, the same for all files of a run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/error.h"
#include "benzer/input.h"

#include "io/csv_parser.h"
#include "io/input_list.h"
#include "io/line_blocks.h"
#include "io/line_results.h"

namespace benzer {

class CsvHeader {
 public:
  explicit CsvHeader(const InputOptions& options, char delimiter);

  // To be called for all blocks of all sources in order. Marks the header in the block that holds
  // it, with the empty lines in front of it. Returns why the run cannot go on, or nothing if it
  // can. After the first refusal it always returns that one.
  std::optional<Error> find(const InputFile& file, bool begins_source, LineBlock& block);

  RecordEnds ends() const noexcept { return RecordEnds(columns_.delimiter); }
  // A parser for blocks in which find() has looked for the header.
  std::unique_ptr<RecordParser> parser() const { return std::make_unique<CsvParser>(columns_); }

  // For outputs: the header of the first file that is not a reference, byte for byte; empty if no
  // such file has one.
  std::string_view bytes() const noexcept { return bytes_; }
  std::string_view line_end() const noexcept;
  char delimiter() const noexcept { return columns_.delimiter; }
  // The header with columns added.
  std::string bytes_with(std::span<const std::string> added) const;

 private:
  Error too_long(const InputFile& file, std::uint64_t length) const;
  std::optional<Error> take(const InputFile& file, std::string_view record);
  std::optional<Error> set_columns(const InputFile& file, std::vector<std::string> names);
  std::optional<Error> find_column(const InputFile& file, const ErrorText& option,
                                   const std::string& name, std::size_t& column) const;
  std::string difference(const std::vector<std::string>& names) const;
  std::string columns_sentence() const;

  LineFields fields_;
  std::vector<std::string> added_;
  RecordLimits limits_;
  CsvColumns columns_;
  std::optional<InputFile> first_file_;  // the file whose header gave the columns
  std::string bytes_;
  bool awaited_ = false;  // the current source had only empty lines so far
  std::optional<Error> refusal_;
};

// Throws Error(kBadInput) for files whose headers are wrong or differ, before any is read to its
// end. Skips streams and files that cannot be read: the scan will report those.
void check_headers(const InputOptions& options, const InputFiles& files, char delimiter);

}  // namespace benzer
