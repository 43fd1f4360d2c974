#include "benzer/error.h"
#include "benzer/input.h"

#include "io/line_parser.h"

namespace benzer {

Document document_from_json(std::string_view json, const std::vector<InputField>& fields,
                            const std::string& id_field) {
  LineFields wanted;
  wanted.id = id_field;
  wanted.fields = fields;
  wanted.needs_id = false;
  LineParser parser(wanted);
  std::string padded(json);
  padded.append(kLinePadding, ' ');
  ParsedLine line;
  switch (parser.parse(std::string_view(padded).substr(0, json.size()), line)) {
    case RecordParser::Outcome::kBlank:
      throw Error(ErrorCode::kBadInput, "the document is empty, it must be a JSON object");
    case RecordParser::Outcome::kProblem:
      throw Error(ErrorCode::kBadInput, "the document: " + line.problem);
    case RecordParser::Outcome::kDocument:
      break;
  }
  Document out{std::string(line.view.id), {}};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldView& field = line.view.fields[i];
    if (!field.is_there) continue;
    if (fields[i].is_image)
      out.fields.push_back(image_field(fields[i].name, field.text, ""));
    else
      out.fields.push_back(
          {fields[i].name, std::string(field.text), {field.values.begin(), field.values.end()}});
  }
  return out;
}

}  // namespace benzer
