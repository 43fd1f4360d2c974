#include "io/json_shape.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/internal/text.h"

#include "io/json_check.h"
#include "io/json_repair.h"
#include "io/line_source.h"

namespace benzer {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// The most bytes of an escape or a character that a cut may leave at the end. They are not a fault,
// since more bytes would follow.
constexpr std::size_t kCutBytes = 12;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = trimmed(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

bool is_brackets(std::string_view line) { return line.find_first_not_of("[{ \t") == line.npos; }

// Whether the next line that is not blank is complete and not a JSON value of its own.
bool goes_on(std::string_view text, bool is_all) {
  take_line(text);
  std::string_view second;
  while (second.empty() && !text.empty()) second = take_line(text);
  const bool is_whole = is_all || !text.empty();
  return is_whole && !second.empty() && find_json_fault(second).has_value();
}

}  // namespace

JsonShape json_shape(std::string_view begin, bool is_all) {
  if (begin.starts_with(kByteOrderMark)) begin.remove_prefix(kByteOrderMark.size());
  std::string valid;
  std::string_view text = begin;
  if (replace_invalid_text(begin, valid)) text = valid;
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  if (text.empty() || (text[0] != '{' && text[0] != '[')) return JsonShape::kLines;
  const JsonShape spread = text[0] == '[' ? JsonShape::kArray : JsonShape::kSpread;
  const bool continues = goes_on(text, is_all);
  std::string_view rest = text;
  // The first line has only brackets, as programs that indent write it. A fault in a later line
  // does not change that.
  if (is_brackets(take_line(rest)) && continues) return spread;

  const JsonExtent value = first_json_value(text);
  const bool is_cut = value.fault && !is_all && value.end + kCutBytes >= text.size();
  const bool breaks_off = value.fault && value.end == text.size();
  if (value.fault && !is_cut && !breaks_off) return JsonShape::kLines;
  const std::string_view known = trimmed(text.substr(0, value.end));
  if (known.find('\n') != known.npos) return continues || !value.fault ? spread : JsonShape::kLines;
  // All on one line: it is an array if it holds objects and nothing follows it.
  const std::string_view inside = trimmed(text.substr(1));
  const bool has_objects = text[0] == '[' && inside.starts_with('{');
  const bool is_alone = is_cut || (!value.fault && trimmed(text.substr(value.end)).empty());
  return has_objects && is_alone ? JsonShape::kArray : JsonShape::kLines;
}

std::optional<Error> shape_refusal(const InputFile& file, std::string_view begin, bool is_all) {
  switch (json_shape(begin.substr(0, kShapeBytes), is_all && begin.size() <= kShapeBytes)) {
    case JsonShape::kArray:
      return Error(ErrorCode::kBadInput, file.subject(),
                   "this is one JSON array, but each line must be one JSON object",
                   "\"jq -c '.[]'\" makes such lines of it");
    case JsonShape::kSpread:
      return Error(ErrorCode::kBadInput, file.subject(),
                   "a JSON object spans several lines here, but each line must be one JSON object",
                   "\"jq -c .\" makes such lines of it");
    default:
      return std::nullopt;
  }
}

void check_json_shapes(const InputOptions& options, const InputFiles& files) {
  std::string begin(kShapeBytes, '\0');
  for_each_readable_twice(files, options.stop, [&](const InputFile& file, auto bytes) {
    std::size_t size = 0;
    try {
      size = read_fully(*bytes, begin.data(), begin.size());
    } catch (const StreamDamage&) {
      return;
    }
    const std::optional<Error> refusal =
        shape_refusal(file, std::string_view(begin).substr(0, size), size < begin.size());
    if (refusal) throw Error(*refusal);
  });
}

}  // namespace benzer
