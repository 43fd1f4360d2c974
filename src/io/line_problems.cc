#include "io/line_problems.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include "benzer/error.h"
#include "benzer/internal/json.h"

#include "io/json_repair.h"

namespace benzer {
namespace {

constexpr std::uint64_t kTold = 3;           // problems of one cause that are reported
constexpr std::size_t kCauses = 64;          // causes that are counted; others always reported
constexpr std::size_t kSeenBytes = 1 << 16;  // of the records whose fields are listed
constexpr std::size_t kSeenLines = 10;
constexpr std::size_t kNames = 12;
constexpr std::size_t kNameBytes = 60;
constexpr int kNameDepth = 3;

namespace dom = simdjson::dom;

// How an option names a field: by its key; inside of objects by a path with dots, or by a JSON
// pointer if a key has a dot or is empty, or the first one begins with a slash.
struct FieldPath {
  std::string dotted, pointer;
  bool needs_pointer = false;

  FieldPath below(std::string_view key) const {
    const bool is_first = pointer.empty();
    FieldPath out{dotted + (is_first ? "" : ".") + std::string(key), pointer + "/",
                  needs_pointer || key.empty() || key.find('.') != key.npos ||
                      (is_first && key.starts_with('/'))};
    for (const char c : key) {
      if (c == '~' || c == '/')
        out.pointer += c == '~' ? "~0" : "~1";
      else
        out.pointer += c;
    }
    return out;
  }
};

// Collects the names of the fields; an object inside is listed by the fields in it.
void add_names(const dom::object& object, const FieldPath& parent, int depth,
               std::vector<std::string>& names) {
  for (const dom::key_value_pair pair : object) {
    if (names.size() > kNames) return;
    const FieldPath path = parent.below(pair.key);
    const bool is_inside = !parent.pointer.empty();
    const std::string& name = is_inside && path.needs_pointer ? path.pointer : path.dotted;
    dom::object inner;
    if (depth > 1 && !pair.value.get(inner) && inner.size() > 0) {
      add_names(inner, path, depth - 1, names);
    } else if (name.size() <= kNameBytes &&
               std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
}

// The names of the fields of the first records in the range; none if these cannot be read again.
std::vector<std::string> first_fields(const LineSource& source, ByteRange range) {
  std::string bytes;
  std::vector<std::string> names;
  try {
    range.length = std::min<std::uint64_t>(range.length, kSeenBytes);
    SecondPass(source).copy(range, [&](std::string_view part) { bytes += part; });
  } catch (const Error&) {
    return names;
  }
  dom::parser parser;
  std::string_view rest = bytes;
  for (std::size_t line = 0; line < kSeenLines && !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string valid, softened;
    append_valid_utf8(valid, rest.substr(0, end));
    replace_large_numbers(valid, softened);
    dom::object object;
    if (!parser.parse(softened).get(object)) add_names(object, {}, kNameDepth, names);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return names;
}

// "the field "text"", "any of the fields "title", "body"".
std::string missing_fields(const LineFields& fields) {
  const std::vector<std::string> names = LineParser::content_names(fields);
  return fmt::format("{} {}", names.size() == 1 ? "the field" : "any of the fields",
                     fmt::join(names, ", "));
}

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kNames); ++i)
    out += (i > 0 ? ", " : "") + json_string(names[i]);
  return names.size() > kNames ? out + " and more" : out;
}

}  // namespace

std::optional<Error> unknown_field(const LineFields& fields, std::uint64_t found,
                                   const LineSource& source, ByteRange first) {
  const auto problem = [&](const std::string& name, const std::string& parameter) {
    const std::vector<std::string> names = first_fields(source, first);
    return Error(ErrorCode::kBadInput,
                 ErrorText("no document has the field " + json_string(name) + " (") +
                     Parameter{parameter} + ")",
                 names.empty() ? "name the right one"
                               : "the first one has " + list_of(names) + ": name the right one");
  };
  if (fields.id != LineFields().id && (found & kFoundId) == 0) return problem(fields.id, "id");
  if (!fields.group.empty() && (found & kFoundGroup) == 0)
    return problem(fields.group, fields.group_parameter);
  for (std::size_t i = 0; i < fields.numbers.size(); ++i)
    if ((found & found_number(i)) == 0) return problem(fields.numbers[i], "keep");
  return std::nullopt;
}

void LineProblems::come_to(const LineSource& source) {
  if (source_ != &source) end_source();
  source_ = &source;
}

void LineProblems::add(std::uint64_t line, ByteRange range, const ErrorText& what,
                       std::string_view noun) {
  noun_ = noun;
  if (lacks_all_ && what == missing_ && !strict_) {
    if (held_.count++ == 0) held_range_ = {range.offset, 0};
    if (held_range_.offset + held_range_.length == range.offset) held_range_.length += range.length;
    if (held_lines_.size() < kTold) held_lines_.push_back(line);
    held_.last_line = line;
    return;
  }
  tell_held();
  tell(line, what);
}

void LineProblems::found_documents() { tell_held(); }

void LineProblems::tell_held() {
  lacks_all_ = false;
  if (held_.count == 0) return;
  for (const std::uint64_t line : held_lines_) tell(line, missing_);
  if (held_.count > held_lines_.size()) {
    log_.count(held_.count - held_lines_.size());
    causes_.front().count = held_.count;  // they came first
    causes_.front().last_line = held_.last_line;
  }
  held_ = {};
  held_lines_.clear();
}

void LineProblems::tell(std::uint64_t line, const ErrorText& what) {
  auto cause = std::find_if(causes_.begin(), causes_.end(),
                            [&](const Cause& one) { return one.what == what; });
  if (cause == causes_.end() && causes_.size() < kCauses)
    cause = causes_.insert(causes_.end(), {what, 0, 0});
  if (cause != causes_.end()) {
    cause->last_line = line;
    if (++cause->count > kTold) {
      log_.count(1);
      return;
    }
  }
  log_.skipped(Error(ErrorCode::kBadInput, source_->file().at(line), what),
               fmt::format("the {} was skipped", noun_));
}

void LineProblems::end_source() {
  if (held_.count > 0) {
    is_content_unknown_ = true;
    const std::vector<std::string> names = first_fields(*source_, held_range_);
    std::string detail = "no line has " + missing_fields(fields_);
    if (!names.empty())
      detail += fmt::format("; the first lines have {}; name the right one", list_of(names));
    log_.count(held_.count - 1);
    log_.skipped(Error(ErrorCode::kBadInput, source_->file().subject(), detail),
                 held_.count == 1 ? "the line was skipped"
                                  : fmt::format("its {} lines were skipped", held_.count));
  }
  for (const Cause& cause : causes_) {
    if (cause.count <= kTold) continue;
    const std::uint64_t more = cause.count - kTold;
    log_.note(Error(
        ErrorCode::kBadInput, source_->file().subject(),
        fmt::format("{} more {}, the last of them {}, {} skipped for one reason: ", more,
                    more == 1 ? noun_ : noun_ + "s", cause.last_line, more == 1 ? "was" : "were") +
            cause.what));
  }
  held_ = {};
  held_lines_.clear();
  causes_.clear();
  lacks_all_ = true;
}

std::optional<Error> LineProblems::unknown_content() const {
  if (!is_content_unknown_) return std::nullopt;
  return Error(ErrorCode::kBadInput,
               ErrorText("the inputs hold no document with " + missing_fields(fields_) + " (") +
                   Parameter{fields_.values.empty() ? "text" : "values"} + ")",
               "name the right one");
}

}  // namespace benzer
