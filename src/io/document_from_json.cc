#include "benzer/error.h"
#include "benzer/input.h"

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
    if (wanted.is_image)
      out.fields.push_back(image_field(wanted.name, field.text, ""));
    else
      out.fields.push_back(
          {wanted.name, std::string(field.text), {field.values.begin(), field.values.end()}});
  }
  return out;
}

Document document_from_json(std::string_view json, const std::vector<InputField>& fields,
                            const std::string& id_field) {
  return DocumentParser(fields, id_field).parse(json);
}

}  // namespace benzer
