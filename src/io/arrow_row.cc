#include "io/arrow_row.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include <fmt/format.h>
#include <simdjson.h>
#include <xxhash.h>

#include "benzer/error.h"
#include "benzer/internal/json.h"

#include "base/number_text.h"
#include "base/weight.h"
#include "io/id_format.h"
#include "io/json_check.h"
#include "io/json_field.h"

namespace benzer {
namespace {

using Kind = ArrowType::Kind;
using Way = ArrowColumns::Way;

std::optional<std::size_t> child_named(const ArrowType& type, const std::string& name) {
  if (type.kind != Kind::kStruct) return std::nullopt;
  for (std::size_t i = 0; i < type.children.size(); ++i)
    if (type.children[i].name == name) return i;
  return std::nullopt;
}

std::optional<Way> way_to(const ArrowType& table, const std::string& name) {
  if (const auto child = child_named(table, name)) return Way{*child};
  Way way;
  const ArrowType* type = &table;
  for (const std::string& step : steps_of_name(name)) {
    const auto child = child_named(*type, step);
    if (!child) return std::nullopt;
    way.push_back(*child);
    type = &type->children[*child];
  }
  return way.empty() ? std::nullopt : std::optional(way);
}

const ArrowType& type_at(const ArrowType& table, const Way& way) {
  const ArrowType* type = &table;
  for (const std::size_t child : way) type = &type->children[child];
  return *type;
}

// The first field that is no attribute; without one, the first field.
const InputField& first_content(const std::vector<InputField>& fields) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [](const InputField& field) { return !field.is_attribute; });
  return found == fields.end() ? fields.front() : *found;
}

// Finds columns by name, and says what is wrong.
class Finder {
 public:
  Finder(const ArrowType& table, const std::string& name) : table_(table), name_(name) {}

  Way find(const std::string& column, const std::string& parameter) const {
    if (auto way = way_to(table_, column)) return *way;
    if (table_.kind != Kind::kStruct)
      throw Error(ErrorCode::kBadInput,
                  fmt::format("{} has no column '{}', since it is a single column of the type {}",
                              table_named(name_), column, table_.spelled));
    std::string there;
    constexpr std::size_t kShown = 20;
    for (std::size_t i = 0; i < table_.children.size() && i < kShown; ++i)
      there += (i == 0 ? "'" : ", '") + table_.children[i].name + "'";
    if (table_.children.size() > kShown)
      there += fmt::format(" and {} more", table_.children.size() - kShown);
    if (there.empty()) there = "none";
    throw Error(
        ErrorCode::kBadInput,
        fmt::format("{} has no column '{}'; its columns are {}", table_named(name_), column, there),
        "name the column with " + Parameter{parameter});
  }

  void require(bool fits, const Way& way, std::string_view what) const {
    if (fits) return;
    const ArrowType& type = type_at(table_, way);
    const std::string column =
        way.empty() ? "the column" : fmt::format("the column '{}'", type.name);
    throw Error(ErrorCode::kBadInput, fmt::format("{} of {} is {}, and it must be {}", column,
                                                  table_named(name_), type.spelled, what));
  }

  Way content(const RecordFields& names) const {
    const bool are_values = !names.values_field.empty();
    Way way;
    if (table_.kind == Kind::kStruct)
      way = are_values ? find(names.values_field, "values") : find(names.text_field, "text");
    check_content(way, {.is_values = are_values, .has_weights = names.has_weights});
    return way;
  }

  void check_content(const Way& way, const InputField& field) const {
    const ArrowType& type = type_at(table_, way);
    if (!field.is_values) {
      require(type.is_text(), way, "string");
    } else if (field.has_weights) {
      require(type.is_value_set() || type.is_weighted_set(), way,
              "a list of strings, or a map from strings to numbers");
    } else {
      require(type.is_value_set(), way, "a list of strings");
    }
  }

  void check_plain(const Way& way, std::string_view what) const {
    const ArrowType& type = type_at(table_, way);
    require(type.is_text() || type.is_number() || type.is_boolean() || type.kind == Kind::kTime,
            way, what);
  }

  const ArrowType& type(const Way& way) const { return type_at(table_, way); }

 private:
  const ArrowType& table_;
  const std::string& name_;
};

void append_bytes(std::string& out, const void* bytes, std::size_t size) {
  if (size == 0) return;  // `bytes` may be null then
  out.append(static_cast<const char*>(bytes), size);
}
void append_size(std::string& out, std::size_t size) {
  const auto number = static_cast<std::uint64_t>(size);
  append_bytes(out, &number, sizeof number);
}
void append_text(std::string& out, std::string_view text) {
  append_size(out, text.size());
  out += text;
}

void append_content(std::string& out, std::string_view text,
                    std::span<const std::string_view> values, std::span<const double> weights) {
  append_text(out, text);
  append_size(out, values.size());
  for (const std::string_view value : values) append_text(out, value);
  append_size(out, weights.size());
  append_bytes(out, weights.data(), weights.size_bytes());
}

// Reads back what the functions above have written.
class Saved {
 public:
  explicit Saved(std::string_view bytes) : bytes_(bytes) {}
  std::size_t size() {
    std::uint64_t number = 0;
    take(&number, sizeof number);
    return static_cast<std::size_t>(number);
  }
  std::string_view text() {
    const std::size_t length = size();
    const std::string_view out = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
    return out;
  }
  void values(std::vector<std::string_view>& texts, std::vector<double>& weights) {
    texts.resize(size());
    for (std::string_view& one : texts) one = text();
    weights.resize(size());
    take(weights.data(), weights.size() * sizeof(double));
  }
  void take(void* out, std::size_t size) {
    if (size == 0) return;  // `out` may be null then
    std::memcpy(out, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }

 private:
  std::string_view bytes_;
};

}  // namespace

ArrowColumns ArrowColumns::find(const ArrowType& table, const RecordFields& names,
                                const std::string& table_name) {
  const Finder finder(table, table_name);
  ArrowColumns out;
  const bool is_table = table.kind == Kind::kStruct;
  if (names.fields.empty()) {
    out.content = finder.content(names);
  } else {
    for (const InputField& field : names.fields) {
      // A document may lack any of its fields, and then a table may lack the column.
      const auto way = is_table ? way_to(table, field.name) : std::nullopt;
      out.fields.push_back(way ? *way : Way{});
      if (!way) continue;
      if (field.is_attribute)
        finder.check_plain(*way, "a string, a number, a boolean or a time");
      else
        finder.check_content(*way, field);
    }
    const auto is_content = [&](std::size_t i) { return !names.fields[i].is_attribute; };
    bool any = false;
    for (std::size_t i = 0; i < out.fields.size(); ++i)
      any = any || (is_content(i) && !out.fields[i].empty());
    if (!any) {
      if (!is_table && names.fields.size() == 1 && is_content(0))
        finder.check_content({}, names.fields[0]);
      else
        finder.find(first_content(names.fields).name, "fields");
    }
  }
  out.id = names.id_field == RecordFields().id_field ? way_to(table, names.id_field)
                                                     : finder.find(names.id_field, "id");
  if (out.id)
    finder.require(finder.type(*out.id).is_text() || finder.type(*out.id).is_number(), *out.id,
                   "a string or a number");
  if (!names.group_field.empty()) {
    out.group = finder.find(names.group_field, names.group_parameter);
    finder.check_plain(*out.group, "a string, a number, a boolean or a time");
  }
  for (const std::string& number : names.number_fields) {
    const Way way = finder.find(number, "keep");
    const ArrowType& type = finder.type(way);
    finder.require(type.is_number() || type.kind == Kind::kTime, way, "a number or a time");
    out.numbers.push_back(way);
  }
  return out;
}

std::string ArrowColumns::id_format(const ArrowType& table) const {
  return id_format_of(id ? &type_at(table, *id) : nullptr);
}

bool ArrowCell::is_null(std::int64_t row) const {
  for (const ArrowColumn& one : structs)
    if (one.is_null(row)) return true;
  return column.is_null(row);
}

std::uint64_t ArrowCell::size(std::int64_t row) const {
  constexpr std::uint64_t kValue = 16;  // about the size of a value
  const ArrowType& type = column.type();
  if (is_null(row)) return 0;
  if (type.is_text()) return column.text(row).size();
  if (type.kind != Kind::kList && type.kind != Kind::kFixedList) return 0;
  const ArrowColumn::Range range = column.list(row);
  return kValue * static_cast<std::uint64_t>(range.end - range.begin);
}

ArrowBatch::ArrowBatch(std::shared_ptr<const ArrowType> type,
                       std::shared_ptr<const ArrowArray> array, const ArrowColumns& columns)
    : type_(std::move(type)), array_(std::move(array)) {
  if (columns.id) id = cell(*columns.id);
  if (columns.group) group = cell(*columns.group);
  if (columns.fields.empty()) content = cell(columns.content);
  for (const Way& way : columns.fields) fields.push_back(cell(way));
  for (const Way& way : columns.numbers) numbers.push_back(cell(way));
}

ArrowCell ArrowBatch::cell(const Way& way) const {
  ArrowCell out;
  out.column = ArrowColumn(*type_, *array_);
  for (const std::size_t child : way) {
    out.structs.push_back(out.column);
    out.column = out.column.child(child);
  }
  return out;
}

std::int64_t ArrowBatch::piece_end(std::int64_t begin, std::int64_t rows,
                                   std::uint64_t bytes) const {
  const std::int64_t most = std::min(begin + rows, this->rows());
  std::uint64_t size = 0;
  std::int64_t end = begin;
  for (; end < most && size < bytes; ++end) {
    if (fields.empty()) size += content.size(end);
    for (const ArrowCell& field : fields)
      if (!field.structs.empty()) size += field.size(end);
  }
  return end;
}

ArrowRow::ArrowRow(const RecordFields& names) : names_(names) {
  fields_.resize(names.fields.size());
  values_of_fields_.resize(names.fields.size());
  attributes_.resize(names.fields.size());
}

void ArrowRow::take_id(const ArrowBatch& batch, std::int64_t row) {
  id_.clear();
  id_json_.clear();
  if (!batch.id || batch.id->is_null(row)) return;
  const ArrowColumn& column = batch.id->column;
  const bool is_text = column.type().is_text();
  if (!is_text && !std::isfinite(column.value(row))) return;
  column.append_plain(row, id_);
  view_.replaced = is_text && !simdjson::validate_utf8(id_);  // lists have U+FFFD there
  if (view_.replaced && column.type().is_binary())
    id_json_ = kIdOfBytes + id_;
  else if (is_text)
    append_json_string(id_json_, id_);
  else
    id_json_ = id_;
}

void ArrowRow::take_values(const ArrowColumn& column, std::int64_t row, Values& out) {
  out.texts.clear();
  out.weights.clear();
  if (column.is_null(row)) return;
  const ArrowColumn::Range range = column.list(row);
  const ArrowColumn elements = column.child(0);
  if (!column.type().is_map) {
    for (std::int64_t i = range.begin; i < range.end; ++i)
      if (!elements.is_null(i)) out.texts.push_back(elements.text(i));
    return;
  }
  const ArrowColumn keys = elements.child(0), weights = elements.child(1);
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    out.texts.push_back(keys.text(i));
    out.weights.push_back(weights.value(i));
  }
}

// An index refuses single documents for their weights, so those of fields are not looked at.
void ArrowRow::check_weights() {
  const auto fault = find_weight_fault(values_.weights);
  if (!fault) return;
  problem_ = fault->place ? "the weight of " + shown_key(values_.texts[*fault->place])
                          : std::string("the sum of the weights");
  problem_ += fmt::format(" in the column '{}' {}", names_.values_field, fault->problem);
}

// The names of groups are those that files have, so that the text "1" is not the number 1, and an
// empty text is a group.
void ArrowRow::take_group(const ArrowBatch& batch, std::int64_t row) {
  group_.clear();
  if (!batch.group || batch.group->is_null(row)) return;
  const ArrowColumn& column = batch.group->column;
  if (column.type().has_group_names && column.type().is_text()) {
    const std::string_view name = column.text(row);
    if (!name.empty() && json_number_length(name) == name.size())
      append_number_name(group_, name);
    else
      group_ = name;
  } else if (column.type().is_text()) {
    group_ = '"';
    column.append_plain(row, group_);
  } else if (column.type().kind == Kind::kTime) {
    column.append_moment(row, group_);
  } else if (column.type().kind == Kind::kFloat || column.type().kind == Kind::kDecimal) {
    if (std::isnan(column.value(row))) return;
    // Numbers are equal whatever their spelling: 1.0 is 1.
    std::string plain;
    column.append_plain(row, plain);
    append_number_name(group_, plain);
  } else {
    column.append_plain(row, group_);
  }
}

FieldView ArrowRow::take_field(const ArrowCell& cell, const InputField& field, std::int64_t row,
                               std::size_t i) {
  FieldView out;
  if (cell.is_null(row)) return out;
  out.is_there = true;
  if (field.is_attribute) {
    const ArrowType& type = cell.column.type();
    if (type.kind == Kind::kFloat && !type.dictionary && std::isnan(cell.column.value(row)))
      return {};
    attributes_[i].clear();
    cell.column.append_plain(row, attributes_[i]);
    out.text = attributes_[i];
  } else if (field.is_values) {
    take_values(cell.column, row, values_of_fields_[i]);
    out.values = values_of_fields_[i].texts;
    out.weights = values_of_fields_[i].weights;
  } else {
    out.text = cell.column.text(row);
    out.is_binary = cell.column.type().is_binary();
  }
  return out;
}

void ArrowRow::read(const ArrowBatch& batch, std::int64_t row) {
  view_ = {};
  problem_.clear();
  take_id(batch, row);
  view_.id = id_;
  const auto look = [&](std::string_view text) {
    view_.bytes += text.size();
    view_.replaced = view_.replaced || !simdjson::validate_utf8(text);
  };
  if (!names_.fields.empty()) {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      // A table of one column is its only field.
      const bool is_there = !batch.fields[i].structs.empty() || fields_.size() == 1;
      fields_[i] = is_there ? take_field(batch.fields[i], names_.fields[i], row, i) : FieldView();
      if (names_.fields[i].is_attribute) continue;
      look(fields_[i].text);
      for (const std::string_view value : fields_[i].values) look(value);
    }
    view_.fields = fields_;
  } else if (names_.values_field.empty()) {
    if (!batch.content.is_null(row)) view_.text = batch.content.column.text(row);
    look(view_.text);
  } else {
    values_.texts.clear();
    values_.weights.clear();
    if (!batch.content.is_null(row)) take_values(batch.content.column, row, values_);
    check_weights();
    view_.values = values_.texts;
    view_.weights = values_.weights;
    for (const std::string_view value : values_.texts) look(value);
  }
  take_group(batch, row);
  view_.group = group_;
  numbers_.clear();
  for (const ArrowCell& cell : batch.numbers)
    numbers_.push_back(cell.is_null(row) ? Number() : cell.column.number(row));
  view_.numbers = numbers_;
}

std::uint32_t ArrowRow::content_hash() const {
  std::uint64_t hash = 0;
  const auto add = [&](const void* bytes, std::size_t size) {
    hash = XXH3_64bits_withSeed(bytes, size, hash);
  };
  const auto add_content = [&](std::string_view text, std::span<const std::string_view> values,
                               std::span<const double> weights) {
    add(text.data(), text.size());
    for (const std::string_view value : values) add(value.data(), value.size());
    add(weights.data(), weights.size_bytes());
  };
  add_content(view_.text, view_.values, view_.weights);
  for (const FieldView& field : view_.fields) add_content(field.text, field.values, field.weights);
  add(view_.group.data(), view_.group.size());
  return static_cast<std::uint32_t>(hash);
}

void ArrowRow::note(ParsedBlock& out, std::uint32_t row, std::uint32_t hash) const {
  out.add({hash, 0, row}, id_json_);
  out.bytes += view_.bytes;
  out.without_group += !names_.group_field.empty() && group_.empty();
  out.without_number += !std::ranges::all_of(numbers_, &Number::is_there);
}

void ArrowRow::save(std::string& out) const {
  append_text(out, view_.id);
  append_content(out, view_.text, view_.values, view_.weights);
  append_size(out, view_.bytes);
  append_size(out, view_.replaced);
  append_text(out, view_.group);
  append_size(out, view_.numbers.size());
  append_bytes(out, view_.numbers.data(), view_.numbers.size_bytes());
  for (const FieldView& field : view_.fields) {
    append_size(out, field.is_there);
    append_size(out, field.is_binary);
    append_content(out, field.text, field.values, field.weights);
  }
}

void ArrowRow::load(std::size_t size,
                    const std::function<void(char* out, std::size_t size)>& read) {
  loaded_.resize(size);
  read(loaded_.data(), size);
  Saved saved(loaded_);
  view_ = {};
  view_.id = saved.text();
  view_.text = saved.text();
  saved.values(values_.texts, values_.weights);
  view_.values = values_.texts;
  view_.weights = values_.weights;
  view_.bytes = saved.size();
  view_.replaced = saved.size() != 0;
  view_.group = saved.text();
  numbers_.resize(saved.size());
  saved.take(numbers_.data(), numbers_.size() * sizeof(Number));
  view_.numbers = numbers_;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    Values& values = values_of_fields_[i];
    fields_[i].is_there = saved.size() != 0;
    fields_[i].is_binary = saved.size() != 0;
    fields_[i].text = saved.text();
    saved.values(values.texts, values.weights);
    fields_[i].values = values.texts;
    fields_[i].weights = values.weights;
  }
  view_.fields = fields_;
}

}  // namespace benzer
