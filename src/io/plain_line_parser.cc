#include "io/plain_line_parser.h"

#include "io/csv_record.h"
#include "io/json_repair.h"

namespace benzer {

RecordParser::Outcome PlainLineParser::parse(std::string_view line, ParsedLine& out) {
  out.view = {};
  out.id_json = {};
  out.without_group = out.without_number = false;
  out.problem.clear();
  end_ = csv_line_end(line);
  line.remove_suffix(end_.size());
  out.view.text = valid_text(line, valid_, out.view.replaced);
  out.view.bytes = out.view.text.size();
  return Outcome::kDocument;
}

}  // namespace benzer
