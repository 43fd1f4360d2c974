#include <fmt/format.h>
#include <simdjson.h>

#include "benzer/error.h"
#include "benzer/input.h"
#include "benzer/internal/json.h"
#include "benzer/internal/text.h"

#include "io/json_check.h"
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

namespace {

namespace dom = simdjson::dom;

// A string, number or boolean as text.
std::string scalar_text(const dom::element& value, std::string_view name) {
  switch (value.type()) {
    case dom::element_type::STRING:
      return std::string(value.get_string().value_unsafe());
    case dom::element_type::BOOL:
      return value.get_bool().value_unsafe() ? "true" : "false";
    case dom::element_type::INT64:
      return fmt::format("{}", value.get_int64().value_unsafe());
    case dom::element_type::UINT64:
      return fmt::format("{}", value.get_uint64().value_unsafe());
    case dom::element_type::DOUBLE:
      return fmt::format("{}", value.get_double().value_unsafe());
    default:
      throw Error(ErrorCode::kBadInput,
                  fmt::format("the member {} must be a string, a number, a boolean or null",
                              json_string(name)));
  }
}

}  // namespace

AttributeChange change_from_json(std::string_view json, const std::string& id_field) {
  dom::parser parser;
  dom::element root;
  dom::object object;
  const simdjson::padded_string padded(json);
  const auto error =
      json.starts_with(kByteOrderMark) ? simdjson::TAPE_ERROR : parser.parse(padded).get(root);
  if (error) {
    const auto fault = find_json_fault(json);
    throw Error(ErrorCode::kBadInput,
                fault ? fmt::format("malformed JSON at byte {}: {}", fault->offset + 1, fault->what)
                      : fmt::format("the JSON parser refuses the change: {}",
                                    simdjson::error_message(error)));
  }
  if (root.get(object))
    throw Error(ErrorCode::kBadInput, "the change is JSON, but not an object as it must be");
  AttributeChange out;
  for (const dom::key_value_pair member : object) {
    const std::string name(member.key);
    if (name == id_field) {
      if (!out.id.empty() || member.value.is_bool() || member.value.is_null())
        throw Error(ErrorCode::kBadInput, "the id must be one string or number");
      out.id = scalar_text(member.value, name);
    } else if (member.value.is_null()) {
      out.removed.push_back(name);
    } else {
      out.set.push_back({name, scalar_text(member.value, name)});
    }
  }
  return out;
}

}  // namespace benzer
