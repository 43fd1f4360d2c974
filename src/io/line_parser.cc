#include "io/line_parser.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/json_text.h"
#include "io/json_check.h"
#include "io/json_repair.h"

namespace benzer {
namespace {

static_assert(simdjson::SIMDJSON_PADDING <= kLinePadding);

namespace dom = simdjson::dom;

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::string_view type_name(dom::element_type type) {
  switch (type) {
    case dom::element_type::ARRAY:
      return "an array";
    case dom::element_type::OBJECT:
      return "an object";
    case dom::element_type::INT64:
    case dom::element_type::UINT64:
    case dom::element_type::DOUBLE:
      return "a number";
    case dom::element_type::STRING:
      return "a string";
    case dom::element_type::BOOL:
      return "a boolean";
    case dom::element_type::NULL_VALUE:
      return "null";
  }
  return "something else";
}

// A copy of a line with room for the parser behind it.
class PaddedLine {
 public:
  std::string& fill() { return text_; }
  std::string_view view() {
    const std::size_t size = text_.size();
    text_.resize(size + kLinePadding);
    text_.resize(size);  // the capacity stays
    return text_;
  }

 private:
  std::string text_;
};

std::string field_name(const std::string& name) { return json_string(name); }

// Equal for equal values of one type; empty for what is no name.
std::string group_name(const dom::element& value) {
  switch (value.type()) {
    case dom::element_type::STRING:
      return "\"" + std::string(value.get_string().value_unsafe());
    case dom::element_type::BOOL:
      return value.get_bool().value_unsafe() ? "true" : "false";
    case dom::element_type::INT64:
      return fmt::format("{}", value.get_int64().value_unsafe());
    case dom::element_type::UINT64:
      return fmt::format("{}", value.get_uint64().value_unsafe());
    case dom::element_type::DOUBLE:
      return fmt::format("{}", value.get_double().value_unsafe());
    default:
      return {};
  }
}

long double number_in(const dom::element& value) {
  switch (value.type()) {
    case dom::element_type::INT64:
      return static_cast<long double>(value.get_int64().value_unsafe());
    case dom::element_type::UINT64:
      return static_cast<long double>(value.get_uint64().value_unsafe());
    case dom::element_type::DOUBLE:
      return static_cast<long double>(value.get_double().value_unsafe());
    default:
      return std::numeric_limits<long double>::quiet_NaN();
  }
}

}  // namespace

struct LineParser::Impl {
  explicit Impl(LineFields names) : fields(std::move(names)) {}

  Outcome parse(std::string_view line, ParsedLine& out);
  simdjson::error_code parse_repaired(std::string_view& line, dom::element& root, bool& replaced);
  Outcome take(std::string_view line, const dom::element& root, ParsedLine& out);
  bool take_text(const dom::element& value, ParsedLine& out);
  bool take_values(const dom::element& value, ParsedLine& out);
  bool take_strings(const dom::element& value, const std::string& name,
                    std::vector<std::string_view>& strings, ParsedLine& out);
  bool take_fields(const dom::object& object, ParsedLine& out);
  void take_id(std::string_view line, const dom::element& value, ParsedLine& out);
  void take_attributes(const dom::object& object, ParsedLine& out);
  std::string_view raw_id(std::string_view line);

  LineFields fields;
  dom::parser parser;
  simdjson::ondemand::parser lazy_parser;
  PaddedLine valid;     // the line without invalid text
  PaddedLine softened;  // the line without large numbers
  bool numbers_replaced = false;
  std::string id;
  std::string group;
  std::vector<std::string_view> values;
  std::vector<long double> numbers;
  std::vector<std::optional<dom::element>> found;              // of the named fields
  std::vector<std::vector<std::string_view>> values_of_field;  // likewise
  std::vector<FieldView> views;                                // likewise
};

LineParser::Outcome LineParser::Impl::parse(std::string_view line, ParsedLine& out) {
  out.view = {};
  out.id_json = {};
  out.without_group = out.without_number = false;
  out.problem.clear();
  numbers_replaced = false;

  dom::element root;
  bool replaced = false;
  auto error = parser.parse(line.data(), line.size(), false).get(root);
  if (error) {
    if (is_blank(line)) return Outcome::kBlank;
    error = parse_repaired(line, root, replaced);
  }
  if (error) {
    const auto fault = find_json_fault(line);
    out.problem =
        fault ? fmt::format("malformed JSON at byte {}: {}", fault->offset + 1, fault->what)
              : fmt::format("the JSON parser refuses the line: {}", simdjson::error_message(error));
    return Outcome::kProblem;
  }
  out.view.replaced = replaced;
  return take(line, root, out);
}

// The line was refused. Replaces what may be replaced and tries again; `line` becomes the text
// whose faults count and whose numbers have their digits.
simdjson::error_code LineParser::Impl::parse_repaired(std::string_view& line, dom::element& root,
                                                      bool& replaced) {
  simdjson::error_code error = simdjson::TAPE_ERROR;
  replaced = replace_invalid_text(line, valid.fill());
  if (replaced) line = valid.view();
  error = parser.parse(line.data(), line.size(), false).get(root);
  if (error && replace_numbers(line, softened.fill())) {
    const std::string_view copy = softened.view();
    error = parser.parse(copy.data(), copy.size(), false).get(root);
    numbers_replaced = !error;
  }
  return error;
}

LineParser::Outcome LineParser::Impl::take(std::string_view line, const dom::element& root,
                                           ParsedLine& out) {
  dom::object object;
  if (root.get(object)) {
    out.problem = fmt::format("the line is {}, it must be a JSON object", type_name(root.type()));
    return Outcome::kProblem;
  }
  if (!fields.fields.empty()) {
    std::optional<dom::element> id_value;
    for (const dom::key_value_pair field : object)
      if (field.key == fields.id) id_value = field.value;
    if (id_value) take_id(line, *id_value, out);
    const bool is_none = id_value && !id_value->is_string() && !id_value->is_null();
    if ((fields.needs_id || is_none) && out.view.id.empty()) {
      out.problem = fmt::format(
          "the field {} is no string and no number, and a document of an index needs an id",
          field_name(fields.id));
      return Outcome::kProblem;
    }
    return take_fields(object, out) ? Outcome::kDocument : Outcome::kProblem;
  }
  const bool wants_values = !fields.values.empty();
  const std::string& content = wants_values ? fields.values : fields.text;
  // Of repeated fields the last one counts, as for most readers of JSON: what a training run reads
  // of a kept line is what was compared here.
  std::optional<dom::element> content_value;
  std::optional<dom::element> id_value;
  for (const dom::key_value_pair field : object) {
    if (field.key == content) content_value = field.value;
    if (field.key == fields.id) id_value = field.value;
  }
  if (!content_value) {
    out.problem = fmt::format("the field {} is missing, it must be {}", field_name(content),
                              wants_values ? "an array of strings" : "a string");
    return Outcome::kProblem;
  }
  if (!(wants_values ? take_values(*content_value, out) : take_text(*content_value, out)))
    return Outcome::kProblem;
  if (id_value) take_id(line, *id_value, out);
  if (!fields.group.empty() || !fields.numbers.empty()) take_attributes(object, out);
  return Outcome::kDocument;
}

// A record without the attributes is a document all the same. Whole numbers stay exact: a long
// double holds 64 bits.
void LineParser::Impl::take_attributes(const dom::object& object, ParsedLine& out) {
  group.clear();
  numbers.assign(fields.numbers.size(), std::numeric_limits<long double>::quiet_NaN());
  for (const dom::key_value_pair field : object) {
    if (!fields.group.empty() && field.key == fields.group) group = group_name(field.value);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (field.key == fields.numbers[i]) numbers[i] = number_in(field.value);
  }
  out.view.group = group;
  out.view.numbers = numbers;
  out.without_group = !fields.group.empty() && group.empty();
  out.without_number = std::any_of(numbers.begin(), numbers.end(),
                                   [](long double number) { return std::isnan(number); });
}

// What a document lacks, it lacks; what it has must be of the right kind.
bool LineParser::Impl::take_fields(const dom::object& object, ParsedLine& out) {
  found.assign(fields.fields.size(), std::nullopt);
  values_of_field.resize(fields.fields.size());
  views.assign(fields.fields.size(), {});
  for (const dom::key_value_pair pair : object)
    for (std::size_t i = 0; i < found.size(); ++i)
      if (pair.key == fields.fields[i].name) found[i] = pair.value;
  // A name that is misspelt everywhere would make documents of nothing, and nothing similar.
  if (std::none_of(found.begin(), found.end(), [](const auto& one) { return one.has_value(); })) {
    std::string names;
    for (const InputField& field : fields.fields)
      names += (names.empty() ? "" : ", ") + field_name(field.name);
    out.problem = found.size() == 1 ? "the field " + names + " is missing"
                                    : "the document has none of the fields " + names;
    return false;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i] || found[i]->is_null()) continue;
    const InputField& field = fields.fields[i];
    if (field.is_values) {
      if (!take_strings(*found[i], field.name, values_of_field[i], out)) return false;
      views[i].values = values_of_field[i];
    } else if (found[i]->get(views[i].text)) {
      out.problem = fmt::format("the field {} is {}, it must be a string", field_name(field.name),
                                type_name(found[i]->type()));
      return false;
    }
    views[i].is_there = true;
    out.view.bytes += views[i].text.size();
  }
  out.view.fields = views;
  return true;
}

bool LineParser::Impl::take_text(const dom::element& value, ParsedLine& out) {
  if (value.get(out.view.text)) {
    out.problem = fmt::format("the field {} is {}, it must be a string", field_name(fields.text),
                              type_name(value.type()));
    return false;
  }
  out.view.bytes = out.view.text.size();
  return true;
}

bool LineParser::Impl::take_strings(const dom::element& value, const std::string& name,
                                    std::vector<std::string_view>& strings, ParsedLine& out) {
  dom::array array;
  if (value.get(array)) {
    out.problem = fmt::format("the field {} is {}, it must be an array of strings",
                              field_name(name), type_name(value.type()));
    return false;
  }
  strings.clear();
  for (const dom::element element : array) {
    std::string_view text;
    if (element.get(text)) {
      out.problem = fmt::format("element {} of the field {} is {}, it must be a string",
                                strings.size() + 1, field_name(name), type_name(element.type()));
      return false;
    }
    out.view.bytes += text.size();
    strings.push_back(text);
  }
  return true;
}

bool LineParser::Impl::take_values(const dom::element& value, ParsedLine& out) {
  if (!take_strings(value, fields.values, values, out)) return false;
  out.view.values = values;
  return true;
}

// Numbers keep their digits. The parser has only their value, which spells integers the same, all
// but "-0"; for the others a second look finds the token.
void LineParser::Impl::take_id(std::string_view line, const dom::element& value, ParsedLine& out) {
  id.clear();
  switch (value.type()) {
    case dom::element_type::STRING:
      out.view.id = value.get_string().value_unsafe();
      append_json_string(id, out.view.id);
      break;
    case dom::element_type::INT64:
      if (const auto number = value.get_int64().value_unsafe(); number != 0 && !numbers_replaced)
        fmt::format_to(std::back_inserter(id), "{}", number);
      else
        id = raw_id(line);
      break;
    case dom::element_type::UINT64:
      fmt::format_to(std::back_inserter(id), "{}", value.get_uint64().value_unsafe());
      break;
    case dom::element_type::DOUBLE:
      id = raw_id(line);
      break;
    default:
      break;
  }
  out.id_json = id;
  if (!value.is_string()) out.view.id = id;
}

std::string_view LineParser::Impl::raw_id(std::string_view line) {
  namespace ondemand = simdjson::ondemand;
  const simdjson::padded_string_view padded(line.data(), line.size(), line.size() + kLinePadding);
  ondemand::document document;
  ondemand::object object;
  if (lazy_parser.iterate(padded).get(document) || document.get_object().get(object)) return {};
  std::string_view number;
  for (auto field : object) {
    std::string_view key;
    std::string_view token;
    if (field.unescaped_key().get(key)) return {};
    if (key != fields.id) continue;
    if (field.value().raw_json_token().get(token)) return {};
    number = token.substr(0, json_number_length(token));  // the last one counts
  }
  return number;
}

LineParser::LineParser(LineFields fields) : impl_(std::make_unique<Impl>(std::move(fields))) {}
LineParser::~LineParser() = default;

RecordParser::Extent LineParser::extent(std::string_view bytes) const noexcept {
  const std::size_t line_end = bytes.find('\n');
  if (line_end == std::string_view::npos) return {bytes.size(), 0, false, false};
  return {line_end + 1, 1, true, false};
}

LineParser::Outcome LineParser::parse(std::string_view line, ParsedLine& out) {
  return impl_->parse(line, out);
}

}  // namespace benzer
