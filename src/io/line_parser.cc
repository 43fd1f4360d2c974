#include "io/line_parser.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include "benzer/internal/json.h"
#include "benzer/internal/text.h"
#include "benzer/number.h"

#include "base/number_text.h"
#include "base/weight.h"
#include "io/json_check.h"
#include "io/json_field.h"
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

// A copy of a line with the padding that the parser needs after it.
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

// What a field with values holds, for messages.
std::string_view values_of(bool has_weights) {
  return has_weights ? "an object of weights or an array of strings" : "an array of strings";
}

// The values of one field.
struct Values {
  std::vector<std::string_view> strings;
  std::vector<double> weights;  // empty, or one for each string
};

}  // namespace

struct LineParser::Impl {
  explicit Impl(const LineFields& names)
      : fields(names),
        id_field(names.id),
        content_field(names.content()),
        group_field(names.group) {
    for (const std::string& name : names.numbers) number_fields.emplace_back(name);
    for (const InputField& field : names.fields) named_fields.emplace_back(field.name);
  }

  Outcome parse(std::string_view line, ParsedLine& out);
  Outcome parse_id(std::string_view line, bool was_replaced, ParsedLine& out);
  Outcome read(std::string_view line, dom::object& object, ParsedLine& out);
  simdjson::error_code parse_repaired(std::string_view& line, dom::element& root, ParsedLine& out);
  Outcome take(std::string_view line, const dom::object& object, ParsedLine& out);
  bool take_text(const dom::element& value, ParsedLine& out);
  bool take_values(const dom::element& value, ParsedLine& out);
  bool take_strings(const dom::element& value, const InputField& field, Values& to,
                    ParsedLine& out);
  bool take_weights(const dom::object& object, const std::string& name, Values& to,
                    ParsedLine& out);
  bool take_fields(std::string_view line, const dom::object& object, ParsedLine& out);
  bool take_attribute(std::string_view line, const dom::object& object, std::size_t field,
                      ParsedLine& out);
  void find_added(const dom::object& object, ParsedLine& out) const;
  void take_id(std::string_view line, const dom::object& object, ParsedLine& out);
  void check_id(const dom::object& object, ParsedLine& out) const;
  void take_attributes(std::string_view line, const dom::object& object, ParsedLine& out);
  void take_group(std::string_view line, const dom::object& object, const dom::element& value,
                  bool replaced);
  void take_replaced_group(std::string_view line, const dom::object& object);
  Number take_number(std::string_view line, const dom::object& object, const JsonField& field,
                     const std::optional<dom::element>& value);
  std::string_view digits_of(std::string_view line, const dom::object& object,
                             const JsonField& field);
  std::string with_text(std::string_view text);

  LineFields fields;
  JsonField id_field;
  JsonField content_field;
  JsonField group_field;
  std::vector<JsonField> number_fields;  // of fields.numbers
  std::vector<JsonField> named_fields;   // of fields.fields
  dom::parser parser;
  simdjson::ondemand::parser lazy_parser;
  PaddedLine valid;        // the line without invalid text
  PaddedLine softened;     // the line without large numbers
  PaddedLine unrepaired;   // the line with its invalid text, whose bytes are escaped
  std::string_view given;  // the line that was parsed last, as it came
  std::string_view taken;  // the same; what is in `valid` if text had to be replaced
  std::vector<std::size_t> way;
  std::string id;
  std::string group;
  Values values;
  std::vector<Number> numbers;
  std::vector<std::optional<dom::element>> found;  // of the named fields
  std::vector<Values> values_of_field;             // likewise
  std::vector<FieldView> views;                    // likewise
  std::vector<std::string> attributes;             // likewise
};

LineParser::Outcome LineParser::Impl::parse(std::string_view line, ParsedLine& out) {
  dom::object object;
  const Outcome outcome = read(line, object, out);
  if (outcome != Outcome::kDocument) return outcome;
  find_added(object, out);
  return take(taken, object, out);
}

LineParser::Outcome LineParser::Impl::parse_id(std::string_view line, bool was_replaced,
                                               ParsedLine& out) {
  dom::object object;
  const Outcome outcome = read(line, object, out);
  if (outcome != Outcome::kDocument) return outcome;
  out.view.replaced = out.view.replaced || was_replaced;
  take_id(taken, object, out);
  check_id(object, out);
  id_field.find(object, &way);
  return out.problem.empty() ? Outcome::kDocument : Outcome::kProblem;
}

// Parses the line. `taken` becomes the line in which the fields of the object have their places.
LineParser::Outcome LineParser::Impl::read(std::string_view line, dom::object& object,
                                           ParsedLine& out) {
  given = line;
  out.view = {};
  out.id_json = {};
  out.without_group = out.without_number = out.has_large_number = false;
  out.fields_found = 0;
  out.problem.clear();
  out.has_added = {};

  dom::element root;
  const bool marked = line.starts_with(kByteOrderMark);
  auto error =
      marked ? simdjson::TAPE_ERROR : parser.parse(line.data(), line.size(), false).get(root);
  if (error && !marked) {
    if (is_blank(line)) return Outcome::kBlank;
    error = parse_repaired(line, root, out);
  }
  if (error) {
    const auto fault = find_json_fault(line);
    out.problem =
        fault ? malformed_json(*fault)
              : fmt::format("the JSON parser refuses the line: {}", simdjson::error_message(error));
    return Outcome::kProblem;
  }
  taken = line;
  if (!root.get(object)) return Outcome::kDocument;
  out.problem = fmt::format("the line is {}, it must be a JSON object", type_name(root.type()));
  return Outcome::kProblem;
}

// Called for a line that the parser refused. Replaces what may be replaced and parses again. `line`
// becomes the text without invalid UTF-8, in which faults are looked for and numbers have their
// digits. A number that was replaced is a double, and of doubles only the digits are used.
simdjson::error_code LineParser::Impl::parse_repaired(std::string_view& line, dom::element& root,
                                                      ParsedLine& out) {
  simdjson::error_code error = simdjson::TAPE_ERROR;
  out.view.replaced = replace_invalid_text(line, valid.fill());
  if (out.view.replaced) line = valid.view();
  error = parser.parse(line.data(), line.size(), false).get(root);
  out.has_large_number = error && replace_large_numbers(line, softened.fill());
  if (out.has_large_number) {
    const std::string_view copy = softened.view();
    error = parser.parse(copy.data(), copy.size(), false).get(root);
  }
  return error;
}

LineParser::Outcome LineParser::Impl::take(std::string_view line, const dom::object& object,
                                           ParsedLine& out) {
  if (!fields.fields.empty()) {
    take_id(line, object, out);
    check_id(object, out);
    if (out.problem.empty() && take_fields(line, object, out)) return Outcome::kDocument;
    return Outcome::kProblem;
  }
  const std::optional<dom::element> content = content_field.find(object);
  if (!content) {
    out.problem = missing_field(fields);
    return Outcome::kProblem;
  }
  if (!(fields.values.empty() ? take_text(*content, out) : take_values(*content, out)))
    return Outcome::kProblem;
  take_id(line, object, out);
  if (!fields.group.empty() || !fields.numbers.empty()) take_attributes(line, object, out);
  return Outcome::kDocument;
}

// Looks at the keys of the object itself: the same text elsewhere in it is not such a field.
void LineParser::Impl::find_added(const dom::object& object, ParsedLine& out) const {
  if (fields.added.empty()) return;
  for (const dom::key_value_pair pair : object)
    if (const auto name = std::ranges::find(fields.added, pair.key); name != fields.added.end()) {
      out.has_added = *name;
      return;
    }
}

// A record that lacks the attributes is still a document.
void LineParser::Impl::take_attributes(std::string_view line, const dom::object& object,
                                       ParsedLine& out) {
  group.clear();
  if (!fields.group.empty())
    if (const auto value = group_field.find(object)) {
      out.fields_found |= kFoundGroup;
      take_group(line, object, *value, out.view.replaced);
    }
  numbers.clear();
  for (const JsonField& field : number_fields) {
    const std::optional<dom::element> value = field.find(object);
    if (value) out.fields_found |= found_number(numbers.size());
    numbers.push_back(take_number(line, object, field, value));
  }
  out.view.group = group;
  out.view.numbers = numbers;
  out.without_group = !fields.group.empty() && group.empty();
  out.without_number = !std::ranges::all_of(numbers, &Number::is_there);
}

// Sets `group`, equal for equal values of one type; empty for a value that cannot be a group.
void LineParser::Impl::take_group(std::string_view line, const dom::object& object,
                                  const dom::element& value, bool replaced) {
  switch (value.type()) {
    case dom::element_type::STRING:
      group += '"';
      group += value.get_string().value_unsafe();
      if (replaced && group.find(kReplacement) != group.npos) take_replaced_group(line, object);
      break;
    case dom::element_type::BOOL:
      group = value.get_bool().value_unsafe() ? "true" : "false";
      break;
    case dom::element_type::INT64:
      group = fmt::format("{}", value.get_int64().value_unsafe());
      break;
    case dom::element_type::UINT64:
      group = fmt::format("{}", value.get_uint64().value_unsafe());
      break;
    case dom::element_type::DOUBLE:
      append_number_name(group, digits_of(line, object, group_field));
      break;
    default:
      break;
  }
}

// If U+FFFD replaces text in the group, which may do so in other groups, too, sets `group` to the
// text as it was given. No other name of a group begins with an exclamation mark.
void LineParser::Impl::take_replaced_group(std::string_view line, const dom::object& object) {
  unrepaired.fill() = with_invalid_bytes_escaped(given);
  group_field.find(object, &way);
  const std::string as_given(token_at(lazy_parser, unrepaired.view(), way));
  if (token_at(lazy_parser, line, way) != as_given) group = "!" + as_given;
}

Number LineParser::Impl::take_number(std::string_view line, const dom::object& object,
                                     const JsonField& field,
                                     const std::optional<dom::element>& value) {
  switch (value ? value->type() : dom::element_type::NULL_VALUE) {
    case dom::element_type::INT64:
      return value->get_int64().value_unsafe();
    case dom::element_type::UINT64:
      return value->get_uint64().value_unsafe();
    case dom::element_type::DOUBLE:
      return Number::in(digits_of(line, object, field));
    default:
      return {};
  }
}

// A document may lack fields, but not all of them; those that it has must be of the right type.
bool LineParser::Impl::take_fields(std::string_view line, const dom::object& object,
                                   ParsedLine& out) {
  found.resize(fields.fields.size());
  values_of_field.resize(fields.fields.size());
  views.assign(fields.fields.size(), {});
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = named_fields[i].find(object);
  // A misspelt name would otherwise give documents without any content, similar to nothing.
  bool has_content = false;
  for (std::size_t i = 0; i < found.size(); ++i)
    has_content |= found[i].has_value() && !fields.fields[i].is_attribute;
  if (!has_content) {
    out.problem = missing_field(fields);
    return false;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i] || found[i]->is_null()) continue;
    const InputField& field = fields.fields[i];
    if (field.is_attribute) {
      if (!take_attribute(line, object, i, out)) return false;
      continue;
    }
    if (field.is_values) {
      if (!take_strings(*found[i], field, values_of_field[i], out)) return false;
      views[i].values = values_of_field[i].strings;
      views[i].weights = values_of_field[i].weights;
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

bool LineParser::Impl::take_attribute(std::string_view line, const dom::object& object,
                                      std::size_t field, ParsedLine& out) {
  attributes.resize(fields.fields.size());
  std::string& text = attributes[field];
  const dom::element& value = *found[field];
  switch (value.type()) {
    case dom::element_type::STRING:
      text = value.get_string().value_unsafe();
      break;
    case dom::element_type::BOOL:
      text = value.get_bool().value_unsafe() ? "true" : "false";
      break;
    case dom::element_type::INT64:
    case dom::element_type::UINT64:
    case dom::element_type::DOUBLE:
      text = digits_of(line, object, named_fields[field]);
      break;
    default:
      out.problem =
          fmt::format("the attribute {} is {}, it must be a string, a number or a boolean",
                      field_name(fields.fields[field].name), type_name(value.type()));
      return false;
  }
  views[field].text = text;
  views[field].is_there = true;
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

bool LineParser::Impl::take_strings(const dom::element& value, const InputField& field, Values& to,
                                    ParsedLine& out) {
  const std::string& name = field.name;
  std::vector<std::string_view>& strings = to.strings;
  strings.clear();
  to.weights.clear();
  dom::object object;
  if (field.has_weights && !value.get(object)) return take_weights(object, name, to, out);
  dom::array array;
  if (value.get(array)) {
    out.problem = fmt::format("the field {} is {}, it must be {}", field_name(name),
                              type_name(value.type()), values_of(field.has_weights));
    return false;
  }
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

bool LineParser::Impl::take_weights(const dom::object& object, const std::string& name, Values& to,
                                    ParsedLine& out) {
  double sum = 0;
  std::size_t number = 0;
  for (const dom::key_value_pair pair : object) {
    double weight = 0;
    std::string problem;
    if (!pair.value.is_number())
      problem = fmt::format("is {}, it must be a number", type_name(pair.value.type()));
    else if (pair.value.get(weight) == simdjson::SUCCESS)
      problem = weight_problem(weight);
    if (!problem.empty() && out.has_large_number && pair.value.is_number()) {
      JsonField(name).find(parser.doc.root().get_object().value_unsafe(), &way);
      way.push_back(number);
      problem = weight_problem(number_at(lazy_parser, taken, way));
    }
    ++number;
    if (!problem.empty()) {
      out.problem = fmt::format("the weight of {} in the field {} {}", shown_key(pair.key),
                                field_name(name), problem);
      return false;
    }
    sum += weight;
    out.view.bytes += pair.key.size();
    to.strings.push_back(pair.key);
    to.weights.push_back(weight);
  }
  if (sum <= kMostTotalWeight) return true;
  out.problem =
      fmt::format("the sum of the weights in the field {} {}", field_name(name), kSumProblem);
  return false;
}

bool LineParser::Impl::take_values(const dom::element& value, ParsedLine& out) {
  const InputField field{
      .name = fields.values, .is_values = true, .has_weights = fields.has_weights};
  if (!take_strings(value, field, values, out)) return false;
  out.view.values = values.strings;
  out.view.weights = values.weights;
  return true;
}

// Numbers keep their digits. The parser has only the value, which gives the same digits for all
// integers but "-0"; for other numbers digits_of() finds them in the line.
void LineParser::Impl::take_id(std::string_view line, const dom::object& object, ParsedLine& out) {
  id.clear();
  const std::optional<dom::element> value = id_field.find(object);
  if (value) out.fields_found |= kFoundId;
  switch (value ? value->type() : dom::element_type::NULL_VALUE) {
    case dom::element_type::STRING:
      out.view.id = value->get_string().value_unsafe();
      append_json_string(id, out.view.id);
      break;
    case dom::element_type::INT64:
      if (const auto number = value->get_int64().value_unsafe(); number != 0)
        fmt::format_to(std::back_inserter(id), "{}", number);
      else
        id = digits_of(line, object, id_field);
      break;
    case dom::element_type::UINT64:
      fmt::format_to(std::back_inserter(id), "{}", value->get_uint64().value_unsafe());
      break;
    case dom::element_type::DOUBLE:
      id = digits_of(line, object, id_field);
      break;
    default:
      break;
  }
  out.id_json = id;
  if (!value || !value->is_string()) out.view.id = id;
}

// Says what is wrong with the id of a document of an index.
void LineParser::Impl::check_id(const dom::object& object, ParsedLine& out) const {
  const auto problem = [&](std::string_view what) {
    out.problem = fmt::format("the field {} is {}, and a document of an index needs an id",
                              field_name(fields.id), what);
  };
  const std::optional<dom::element> value = id_field.find(object);
  const bool is_there = value && !value->is_null();
  if (is_there && !value->is_string() && out.view.id.empty())
    problem("neither a string nor a number");
  else if (fields.needs_id && out.view.id.empty())
    problem(is_there ? "empty" : value ? "null" : "missing");
  else if (has_doubtful_id(out.view))
    out.problem = fmt::format("the id in the field {} {}", field_name(fields.id), kDoubtfulId);
}

std::string_view LineParser::Impl::digits_of(std::string_view line, const dom::object& object,
                                             const JsonField& field) {
  field.find(object, &way);
  return number_at(lazy_parser, line, way);
}

// The line is searched once more, since the parser has the value of the text, but not its place.
std::string LineParser::Impl::with_text(std::string_view text) {
  content_field.find(parser.doc.root().get_object().value_unsafe(), &way);
  const std::string_view old = token_at(lazy_parser, taken, way);
  std::string out(taken.data(), old.data());
  append_json_string(out, text);
  return out.append(old.data() + old.size(), taken.data() + taken.size());
}

std::string LineParser::missing_field(const LineFields& fields) {
  if (fields.fields.empty())
    return fmt::format("the field {} is missing, it must be {}", field_name(fields.content()),
                       fields.values.empty() ? "a string" : values_of(fields.has_weights));
  const std::vector<std::string> names = content_names(fields);
  return names.size() == 1
             ? fmt::format("the field {} is missing", names[0])
             : fmt::format("the document has none of the fields {}", fmt::join(names, ", "));
}

std::vector<std::string> LineParser::content_names(const LineFields& fields) {
  if (fields.fields.empty()) return {field_name(fields.content())};
  std::vector<std::string> names;
  for (const InputField& field : fields.fields)
    if (!field.is_attribute) names.push_back(field_name(field.name));
  return names;
}

LineParser::LineParser(const LineFields& fields) : impl_(std::make_unique<Impl>(fields)) {}
LineParser::~LineParser() = default;

LineParser::Outcome LineParser::parse(std::string_view line, ParsedLine& out) {
  return impl_->parse(line, out);
}

LineParser::Outcome LineParser::parse_id(std::string_view line, bool was_replaced, ParsedLine& out,
                                         FoundId& found) {
  const Outcome outcome = impl_->parse_id(line, was_replaced, out);
  found = {impl_->taken, impl_->way};
  return outcome;
}

std::string LineParser::with_text(std::string_view text) { return impl_->with_text(text); }

}  // namespace benzer
