#include "io/csv_header.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/internal/json.h"

#include "io/csv_record.h"
#include "io/line_source.h"

namespace benzer {
namespace {

// More columns than any table has, and few enough to refuse a file that is not a table early.
constexpr std::size_t kMostColumns = 1u << 16;
constexpr std::size_t kShownColumns = 20;
constexpr std::size_t kShownBytes = 60;
constexpr std::size_t kFirstBlock = 64u << 10;

// A name as sentences show it: in quotes, and cut off if it is long.
std::string shown(std::string_view name) {
  if (name.size() <= kShownBytes) return json_string(name);
  std::size_t end = 0;
  while (true) {
    std::size_t invalid = 0;
    const std::size_t valid = utf8_sequence(name, end, &invalid);
    if (end + std::max(valid, invalid) > kShownBytes) break;
    end += valid > 0 ? valid : invalid;
  }
  return json_string(name.substr(0, end)) + "...";
}

Error already_there(const InputFile& file, const std::string& column) {
  return Error(ErrorCode::kBadInput, file.subject(),
               fmt::format("the header has a column {} already", shown(column)),
               "annotate the original, or rename the column");
}

}  // namespace

CsvHeader::CsvHeader(const InputOptions& options, char delimiter)
    : fields_{options.id_field,
              options.text_field,
              {},
              options.fields,
              options.needs_id,
              options.group_field,
              options.number_fields,
              false,
              options.group_parameter},
      added_(options.added_fields),
      limits_(options.max_line_bytes, options.memory_limit) {
  columns_.delimiter = delimiter;
  columns_.needs_id = options.needs_id;
}

std::optional<Error> CsvHeader::find(const InputFile& file, bool begins_source, LineBlock& block) {
  if (begins_source) awaited_ = true;
  if (!awaited_ || refusal_) return refusal_;
  const std::string_view bytes = block.lines();
  while (awaited_ && block.header < bytes.size()) {
    const std::size_t end = ends().first(bytes.substr(block.header));
    const std::string_view record =
        bytes.substr(block.header, end > 0 ? end : std::string_view::npos);
    block.header += record.size();
    if (csv_line_end(record).size() == record.size()) continue;
    awaited_ = false;
    const std::uint64_t length = record.size() - (end > 0 ? 1 : 0);
    refusal_ = length > limits_.held() ? std::optional(too_long(file, length)) : take(file, record);
  }
  if (awaited_ && block.tail == LineBlock::Tail::kTooLong)
    refusal_ = too_long(file, block.rest.length - (block.rest_ends ? 1 : 0));
  return refusal_;
}

Error CsvHeader::too_long(const InputFile& file, std::uint64_t length) const {
  return Error(ErrorCode::kBadInput, file.subject(),
               length > limits_.allowed
                   ? limits_.too_long("header", length) + in_brackets_max_line()
                   : limits_.has_no_room("header", length));
}

std::optional<Error> CsvHeader::take(const InputFile& file, std::string_view record) {
  std::vector<std::string> names;
  CsvFields fields(record, columns_.delimiter);
  while (fields.next()) {
    if (names.size() == kMostColumns)
      return Error(
          ErrorCode::kBadInput, file.subject(),
          fmt::format("the header has more than the {} columns that are allowed", kMostColumns),
          "is it CSV?");
    names.push_back(fields.text());
  }
  if (fields.fault() != CsvFields::Fault::kNone) {
    return Error(
        ErrorCode::kBadInput, file.subject(),
        fmt::format(
            "column {} of the header {}", names.size() + 1,
            fields.fault() == CsvFields::Fault::kNeverClosed
                ? "begins with a quote that is never closed"
                : "continues after its closing quote; a quote inside quotes is written \"\""));
  }
  if (first_file_) {
    if (names != columns_.names) {
      return Error(ErrorCode::kBadInput, file.subject(),
                   "the header is not that of " + first_file_->name() + ": " + difference(names),
                   "all inputs of a run must have the same columns in the same order");
    }
  } else if (std::optional<Error> problem = set_columns(file, std::move(names))) {
    return problem;
  }
  if (!file.reference && bytes_.empty()) bytes_ = record;
  return std::nullopt;
}

std::optional<Error> CsvHeader::set_columns(const InputFile& file, std::vector<std::string> names) {
  first_file_ = file;
  columns_.names = std::move(names);
  const auto is_there = [this](const std::string& name) {
    return std::find(columns_.names.begin(), columns_.names.end(), name) != columns_.names.end();
  };
  std::size_t column = 0;
  std::optional<Error> problem;
  if (fields_.fields.empty())
    problem = find_column(file, Parameter{"text"}, fields_.text, columns_.text);
  for (const InputField& field : fields_.fields) {
    if (problem) break;
    if (field.is_values)
      return Error(
          ErrorCode::kBadInput, file.subject(),
          fmt::format("the field {} is a value set, which CSV cannot hold", shown(field.name)),
          "use JSON lines");
    problem = find_column(file, "the schema", field.name, column);
    columns_.fields.push_back(column);
    columns_.attributes.push_back(field.is_attribute);
  }
  // The column of the id may be missing only if it was not asked for and has the default name.
  if (!problem && ((!fields_.fields.empty() && fields_.needs_id) || fields_.id != LineFields().id ||
                   is_there(fields_.id))) {
    problem = find_column(file, Parameter{"id"}, fields_.id, column);
    columns_.id = column;
  }
  if (!problem && !fields_.group.empty()) {
    problem = find_column(file, Parameter{fields_.group_parameter}, fields_.group, column);
    columns_.group = column;
  }
  for (const std::string& name : fields_.numbers) {
    if (problem) break;
    problem = find_column(file, Parameter{"keep"}, name, column);
    columns_.numbers.push_back(column);
  }
  for (const std::string& name : added_) {
    if (!problem && is_there(name)) problem = already_there(file, name);
  }
  return problem;
}

std::optional<Error> CsvHeader::find_column(const InputFile& file, const ErrorText& option,
                                            const std::string& name, std::size_t& column) const {
  const auto& names = columns_.names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return Error(ErrorCode::kBadInput, file.subject(),
                 fmt::format("the header has no column {} (", shown(name)) + option + ")",
                 columns_sentence());
  if (std::find(found + 1, names.end(), name) != names.end())
    return Error(ErrorCode::kBadInput, file.subject(),
                 fmt::format("the header has the column {} (", shown(name)) + option + ") twice",
                 "rename one of the two");
  column = static_cast<std::size_t>(found - names.begin());
  return std::nullopt;
}

// Says which columns the header has, for the error about one that it lacks.
std::string CsvHeader::columns_sentence() const {
  const auto& names = columns_.names;
  if (names.size() == 1)
    return fmt::format("its only column is {}, since columns are separated by {}", shown(names[0]),
                       columns_.delimiter == ',' ? "commas" : "tabs");
  std::string out = "its columns are ";
  for (std::size_t i = 0; i < std::min(names.size(), kShownColumns); ++i)
    out += (i > 0 ? ", " : "") + shown(names[i]);
  if (names.size() > kShownColumns)
    out += fmt::format(" and {} more", names.size() - kShownColumns);
  return out;
}

std::string CsvHeader::difference(const std::vector<std::string>& names) const {
  const auto& first = columns_.names;
  std::size_t i = 0;
  while (i < std::min(names.size(), first.size()) && names[i] == first[i]) ++i;
  if (i == names.size()) return fmt::format("the column {} is missing", shown(first[i]));
  if (i == first.size()) return fmt::format("the column {} is not there", shown(names[i]));
  return fmt::format("column {} is {} and not {}", i + 1, shown(names[i]), shown(first[i]));
}

std::string_view CsvHeader::line_end() const noexcept {
  const std::string_view end = csv_line_end(bytes_);
  return end.ends_with('\n') ? end : "\n";
}

std::string CsvHeader::bytes_with(std::span<const std::string> added) const {
  std::string out = bytes_;
  if (out.empty()) return out;
  std::string more;
  for (const std::string& name : added) {
    if (std::find(columns_.names.begin(), columns_.names.end(), name) != columns_.names.end())
      throw already_there(*first_file_, name);
    more += columns_.delimiter;
    append_csv_field(more, name, columns_.delimiter);
  }
  out.insert(out.size() - csv_line_end(out).size(), more);
  return out;
}

void check_headers(const InputOptions& options, const InputFiles& files, char delimiter) {
  CsvHeader header(options, delimiter);
  const std::uint64_t longest = RecordLimits(options.max_line_bytes, options.memory_limit).held();
  for_each_readable_twice(files, options.stop, [&](const InputFile& file, auto bytes) {
    LineBlockReader blocks(std::move(bytes), kFirstBlock, longest, header.ends());
    LineBlock block;
    if (!blocks.next(block)) return;
    if (const std::optional<Error> refusal = header.find(file, true, block)) throw Error(*refusal);
  });
}

}  // namespace benzer
