// Parses one record of CSV into one document.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/number.h"

#include "io/csv_record.h"
#include "io/record_parser.h"

namespace benzer {

// The columns of a record that a run uses, by their numbers.
struct CsvColumns {
  char delimiter = ',';
  std::vector<std::string> names;  // of all columns
  std::size_t text = 0;
  std::vector<std::size_t> fields;  // not empty: used in place of the text
  std::vector<bool> attributes;     // of the fields: whether it is one
  bool needs_id = true;             // if there are fields
  std::optional<std::size_t> id;
  std::optional<std::size_t> group;
  std::vector<std::size_t> numbers;
};

// An id is the text of its field, as a JSON string. An empty field means that the document has no
// id, no group or no number.
class CsvParser final : public RecordParser {
 public:
  // The columns must outlive the parser. They must be known when the first record is parsed, and
  // are, since a file without a header has no records.
  explicit CsvParser(const CsvColumns& columns) : columns_(columns) {}

  std::string_view noun() const noexcept override { return "record"; }
  Extent extent(std::string_view bytes) const noexcept override;
  Outcome parse(std::string_view record, ParsedLine& out) override;
  std::string with_text(std::string_view text) override;

 private:
  struct Field {
    std::string_view raw;
    bool has_pairs = false;
  };

  std::string fault_in(CsvFields::Fault fault, std::size_t column) const;
  std::string_view text_of(const Field& field, std::string& memory) const;
  struct TextMemory {
    std::string unquoted, valid;
  };
  // The text with invalid UTF-8 replaced; `out` notes whether any was.
  std::string_view valid_text_of(const Field& field, TextMemory& memory, ParsedLine& out) const;
  void take_text(ParsedLine& out);
  bool take_fields(ParsedLine& out);
  void take_id(ParsedLine& out);
  void take_attributes(ParsedLine& out);

  const CsvColumns& columns_;
  std::string_view record_;
  std::vector<Field> fields_;
  TextMemory text_;
  std::vector<TextMemory> named_;
  std::vector<FieldView> views_;
  std::string id_;
  TextMemory id_text_;
  std::string group_;
  std::vector<Number> numbers_;
};

}  // namespace benzer
