#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "benzer/error.h"
#include "benzer/input.h"
#include "benzer/internal/json.h"

#include "io/json_check.h"
#include "io/json_field.h"
#include "io/json_repair.h"
#include "io/line_parser.h"

namespace benzer {

struct DocumentParser::Impl {
  Impl(std::vector<InputField> of, const std::string& id_field)
      : fields(std::move(of)), parser(line_fields(fields, id_field)) {}

  static LineFields line_fields(const std::vector<InputField>& fields, const std::string& id) {
    LineFields out;
    out.id = id;
    out.fields = fields;
    out.needs_id = false;
    return out;
  }

  std::vector<InputField> fields;
  LineParser parser;
  std::string padded;
  ParsedLine line;
};

DocumentParser::DocumentParser(std::vector<InputField> fields, const std::string& id_field)
    : impl_(std::make_unique<Impl>(std::move(fields), id_field)) {}
DocumentParser::~DocumentParser() = default;
DocumentParser::DocumentParser(DocumentParser&&) noexcept = default;
DocumentParser& DocumentParser::operator=(DocumentParser&&) noexcept = default;

Document DocumentParser::parse(std::string_view json) {
  ParsedLine& line = impl_->line;
  impl_->padded.assign(json);
  impl_->padded.append(kLinePadding, ' ');
  switch (impl_->parser.parse(std::string_view(impl_->padded).substr(0, json.size()), line)) {
    case RecordParser::Outcome::kBlank:
      throw Error(ErrorCode::kBadInput, "the document is empty, it must be a JSON object");
    case RecordParser::Outcome::kProblem:
      throw Error(ErrorCode::kBadInput, "the document: " + line.problem);
    case RecordParser::Outcome::kDocument:
      break;
  }
  Document out{std::string(line.view.id), {}};
  for (std::size_t i = 0; i < impl_->fields.size(); ++i) {
    const InputField& wanted = impl_->fields[i];
    const FieldView& field = line.view.fields[i];
    if (!field.is_there) continue;
    if (wanted.is_attribute) {
      out.attributes.push_back({wanted.name, std::string(field.text)});
      continue;
    }
    if (wanted.is_image)
      out.fields.push_back(image_field(wanted.name, field.text, ""));
    else
      out.fields.push_back({wanted.name,
                            std::string(field.text),
                            {field.values.begin(), field.values.end()},
                            {},
                            {field.weights.begin(), field.weights.end()}});
  }
  return out;
}

bool DocumentParser::was_odd() const noexcept {
  return impl_->line.view.replaced || impl_->line.has_large_number;
}

Document document_from_json(std::string_view json, const std::vector<InputField>& fields,
                            const std::string& id_field) {
  return DocumentParser(fields, id_field).parse(json);
}

Field values_from_json(std::string_view json, const InputField& field) {
  if (json.find_first_not_of(" \t\r\n") == json.npos)
    throw Error(ErrorCode::kBadInput, "there is no JSON, only blanks or nothing at all");
  // The places of faults are those in the JSON itself.
  std::string valid;
  replace_invalid_text(json, valid);
  if (const auto fault = find_json_fault(valid))
    throw Error(ErrorCode::kBadInput, malformed_json(*fault));
  std::string document = "{" + json_string(field.name) + ":";
  document += json;
  document += '}';
  DocumentParser parser({field});
  Document read = parser.parse(document);
  if (read.fields.empty()) throw Error(ErrorCode::kBadInput, "the JSON is null, and no values");
  return std::move(read.fields[0]);
}

namespace {

namespace ondemand = simdjson::ondemand;

// The attributes that a change names, with the value of each; nothing for one that it removes.
using ChangedAttributes = std::map<std::string, std::optional<std::string>>;

// Sets an attribute to a string, a number or a boolean, or removes it for null. Returns false for
// another value.
bool take_change(ondemand::value& value, std::optional<std::string>& attribute) {
  using Type = ondemand::json_type;
  Type type{};
  std::string_view text;
  if (value.type().get(type) || type == Type::array || type == Type::object) return false;
  attribute.reset();
  if (type == Type::null) return true;
  if (type != Type::string) {
    text = value.raw_json_token();
    text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  } else if (value.get_string().get(text)) {
    return false;
  }
  attribute = text;
  return true;
}

// Takes the members of an object that the parser has accepted. A member of an object inside is
// named by its path, "meta.lang". The id is left out. Returns false for a value that no attribute
// can have, with `name` as that of its member; otherwise `name` is unchanged.
bool take_changes(ondemand::object& object, const std::string& id_name,
                  std::span<const std::size_t> way_to_id, std::string& name,
                  ChangedAttributes& to) {
  constexpr std::size_t kLongestPath = 256;  // bytes; names of attributes have 64
  const std::size_t length = name.size();
  std::size_t number = 0;
  for (auto field : object) {
    std::string_view key;
    ondemand::value value;
    ondemand::object inner;
    if (field.unescaped_key().get(key) || field.value().get(value)) return false;
    name += key;
    const bool leads_to_id = !way_to_id.empty() && way_to_id[0] == number++;
    const bool is_id = leads_to_id ? way_to_id.size() == 1 : name == id_name;
    if (!is_id && !value.get_object().get(inner)) {
      bool is_empty = false;
      if (name.size() > kLongestPath || inner.is_empty().get(is_empty) || is_empty) return false;
      const auto rest = leads_to_id ? way_to_id.subspan(1) : std::span<const std::size_t>();
      name += '.';
      if (!take_changes(inner, id_name, rest, name, to)) return false;
    } else if (!is_id && !leads_to_id && !take_change(value, to[name])) {
      return false;
    }
    name.resize(length);
  }
  return true;
}

}  // namespace

AttributeChange change_from_json(std::string_view json, const std::string& id_field,
                                 bool was_replaced) {
  LineFields fields;
  fields.id = id_field;
  fields.needs_id = false;
  LineParser parser(fields);
  std::string padded(json);
  padded.append(kLinePadding, ' ');
  ParsedLine line;
  LineParser::FoundId found;
  switch (
      parser.parse_id(std::string_view(padded).substr(0, json.size()), was_replaced, line, found)) {
    case RecordParser::Outcome::kBlank:
      throw Error(ErrorCode::kBadInput, "the change is empty, it must be a JSON object");
    case RecordParser::Outcome::kProblem:
      throw Error(ErrorCode::kBadInput, line.problem);
    case RecordParser::Outcome::kDocument:
      break;
  }
  if (!found.way.empty() && line.id_json.empty())
    throw Error(ErrorCode::kBadInput,
                fmt::format("the field {} is null, it must be a string or a number",
                            json_string(id_field)));
  // This parser gives numbers as they are spelled, and all members in one pass.
  ondemand::parser lazy_parser;
  ondemand::document document;
  ondemand::object object;
  std::string name;
  ChangedAttributes attributes;
  const simdjson::padded_string_view text(found.line.data(), found.line.size(),
                                          found.line.size() + kLinePadding);
  if (lazy_parser.iterate(text).get(document) || document.get_object().get(object) ||
      !take_changes(object, id_field, found.way, name, attributes))
    throw Error(ErrorCode::kBadInput,
                fmt::format("the member {} must be a string, a number, a boolean or null",
                            shown_key(name)));
  AttributeChange out{std::string(line.view.id), {}};
  for (auto& [attribute, value] : attributes) {
    if (value)
      out.set.push_back({attribute, *std::move(value)});
    else
      out.removed.push_back(attribute);
  }
  return out;
}

}  // namespace benzer
