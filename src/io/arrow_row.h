// Turns rows of Arrow tables into documents.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/arrow.h"
#include "benzer/number.h"

#include "io/arrow_column.h"
#include "io/line_results.h"

namespace benzer {

// Where the columns of a corpus are in the type of a table.
struct ArrowColumns {
  // The way to a column: its place among the children, of structs again and again. Empty: the table
  // is one column.
  using Way = std::vector<std::size_t>;
  std::optional<Way> id;
  Way content;  // the text or the value set, if there are no fields
  std::vector<Way> fields;
  std::optional<Way> group;
  std::vector<Way> numbers;

  // The format of the ids of such a table; empty without any.
  std::string id_format(const ArrowType& table) const;
  // Throws Error(kBadInput) for a column that is not there, and names those that are, and for one
  // of a type that it cannot have.
  static ArrowColumns find(const ArrowType& table, const RecordFields& names,
                           const std::string& table_name);
};

// A column behind structs, each of which may be null.
struct ArrowCell {
  std::vector<ArrowColumn> structs;
  ArrowColumn column;

  bool is_null(std::int64_t row) const;
  // About how many bytes a text or a value set has; 0 for anything else.
  std::uint64_t size(std::int64_t row) const;
};

// A batch of a table with the columns that are read.
class ArrowBatch {
 public:
  ArrowBatch(std::shared_ptr<const ArrowType> type, std::shared_ptr<const ArrowArray> array,
             const ArrowColumns& columns);

  std::int64_t rows() const noexcept { return array_->length; }
  // Where a piece that begins at this row ends: after some rows or bytes of text, at least one row.
  std::int64_t piece_end(std::int64_t begin, std::int64_t rows, std::uint64_t bytes) const;

  std::optional<ArrowCell> id, group;
  ArrowCell content;
  std::vector<ArrowCell> fields, numbers;

 private:
  ArrowCell cell(const ArrowColumns::Way& way) const;

  std::shared_ptr<const ArrowType> type_;
  std::shared_ptr<const ArrowArray> array_;
};

// Holds the document of a row, and the memory of its parts. Use one for each thread.
class ArrowRow {
 public:
  // The options must outlive it.
  explicit ArrowRow(const RecordFields& names);

  // Reads a row of the batch. Texts stay in the batch.
  void read(const ArrowBatch& batch, std::int64_t row);
  // The views are valid until the next read() or load(), and as long as the batch.
  const DocumentView& view() const noexcept { return view_; }

  // Says what is wrong with the document that was read; empty if nothing is.
  const std::string& problem() const noexcept { return problem_; }

  // Returns a hash of what is compared of the document, by which a change is noticed.
  std::uint32_t content_hash() const;
  // The first byte of an id in ParsedBlock::ids that is bytes, and no JSON token.
  static constexpr char kIdOfBytes = '\xff';
  // Adds the id of the document, and what is counted of it. row: its place in the block. hash: kept
  // as the offset of its entry, since rows of tables have none.
  void note(ParsedBlock& out, std::uint32_t row, std::uint32_t hash) const;

  // Appends the document to bytes that load() reads.
  void save(std::string& out) const;
  void load(std::size_t size, const std::function<void(char* out, std::size_t size)>& read);

 private:
  struct Values {
    std::vector<std::string_view> texts;
    std::vector<double> weights;
  };
  void take_id(const ArrowBatch& batch, std::int64_t row);
  void take_group(const ArrowBatch& batch, std::int64_t row);
  FieldView take_field(const ArrowCell& cell, const InputField& field, std::int64_t row,
                       std::size_t i);
  static void take_values(const ArrowColumn& column, std::int64_t row, Values& out);
  void check_weights();

  const RecordFields& names_;
  DocumentView view_;
  std::string id_, id_json_, group_, problem_;
  std::vector<Number> numbers_;
  Values values_;
  std::vector<FieldView> fields_;
  std::vector<Values> values_of_fields_;
  std::vector<std::string> attributes_;
  std::string loaded_;
};

}  // namespace benzer
