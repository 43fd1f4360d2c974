#include "benzer/error.h"

#include "benzer/internal/json.h"
#include "benzer/internal/passwords.h"

#include "base/given_path.h"

namespace benzer {
namespace {

// A row of the one table with the name and the exit code of each error code.
struct Row {
  std::string_view name;
  int exit_code;
};

Row row(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return {"invalid_argument", 2};
    case ErrorCode::kBadInput:
      return {"bad_input", 2};
    case ErrorCode::kNotFound:
      return {"not_found", 2};
    case ErrorCode::kCorrupt:
      return {"corrupt", 4};
    case ErrorCode::kStorageFailed:
      return {"storage_failed", 5};
    case ErrorCode::kInterrupted:
      return {"interrupted", 130};
    case ErrorCode::kNoIndex:
      return {"no_index", 10};
    case ErrorCode::kBusy:
      return {"busy", 11};
    case ErrorCode::kGuardRail:
      return {"guard_rail", 7};
    case ErrorCode::kUnavailable:
      return {"unavailable", 12};
    case ErrorCode::kDenied:
      return {"denied", 13};
  }
  return {"unknown", 1};
}

// Files are shown as the caller has named them, and addresses without their passwords.
Subject as_given(Subject subject) {
  if (subject.kind == Subject::Kind::kFile || subject.kind == Subject::Kind::kPlace ||
      subject.kind == Subject::Kind::kIndex)
    subject.name = without_password(given_path(subject.name));
  return subject;
}

ErrorText sentence_of(const Subject& subject, const ErrorText& detail, const ErrorText& hint,
                      std::string_view joint) {
  ErrorText out;
  switch (subject.kind) {
    case Subject::Kind::kFile:
    case Subject::Kind::kIndex:
      out = FileName{subject.name} + ": ";
      break;
    case Subject::Kind::kPlace:
      out = FileName{subject.name} + (":" + std::to_string(subject.line) + ": ");
      break;
    default:
      break;
  }
  out += detail;
  if (!hint.empty()) out += std::string(joint) + hint;
  return out;
}

}  // namespace

std::string_view error_name(ErrorCode code) noexcept { return row(code).name; }

int exit_code(ErrorCode code) noexcept { return row(code).exit_code; }

std::string Spelling::file(const std::string& path) const {
  for (const char c : path)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return json_string(path);
  std::string out;
  append_valid_utf8(out, path);
  return out;
}

std::string Spelling::parameter(const Parameter& parameter) const {
  return parameter.value.empty() ? parameter.name : parameter.name + "=" + parameter.value;
}

ErrorText::ErrorText(std::string words) {
  words = without_passwords(words);
  if (!words.empty()) parts_.emplace_back(std::move(words));
}

ErrorText& ErrorText::operator+=(const ErrorText& more) {
  for (const auto& part : more.parts_) {
    // Words become one part, so that equal texts are equal however they were put together.
    const auto* words = std::get_if<std::string>(&part);
    auto* last = parts_.empty() ? nullptr : std::get_if<std::string>(&parts_.back());
    if (words && last) {
      *last += *words;
    } else {
      parts_.push_back(part);
    }
  }
  return *this;
}

std::string ErrorText::spelled(const Spelling& spelling) const {
  std::string out;
  for (const auto& part : parts_) {
    if (const auto* words = std::get_if<std::string>(&part)) {
      out += *words;
    } else if (const auto* name = std::get_if<FileName>(&part)) {
      out += spelling.file(without_password(name->path));
    } else {
      Parameter parameter = std::get<Parameter>(part);
      parameter.value = without_password(parameter.value);
      out += spelling.parameter(parameter);
    }
  }
  return out;
}

Error::Error(ErrorCode code, Subject subject, ErrorText detail, ErrorText hint,
             std::string_view joint)
    : Error(code, [&] {
        subject = as_given(std::move(subject));
        ErrorText sentence = sentence_of(subject, detail, hint, joint);
        return std::make_shared<const Parts>(
            Parts{std::move(subject), std::move(detail), std::move(hint), std::move(sentence)});
      }()) {}

Error::Error(ErrorCode code, std::shared_ptr<const Parts> parts)
    : std::runtime_error(parts->sentence.spelled()), code_(code), parts_(std::move(parts)) {}

}  // namespace benzer
