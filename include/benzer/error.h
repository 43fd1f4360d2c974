// The one exception type of Benzer, its parts, and the closed list of what can go wrong.
//
// An error is data: which input or parameter (subject), what is wrong with it (detail), what to do
// (hint). Files and parameters that detail and hint name stay marked, so that each front end writes
// them as its users do: the command line --allow-low-recall, a request 'allow_low_recall': true,
// and nobody outside a server sees its folders. what() is all of it as one plain sentence.
// Kernels, banding and everything else that runs per feature is noexcept and cannot fail: its
// callers have checked.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace benzer {

enum class ErrorCode {
  kInvalidArgument,  // an option, a configuration or a call that cannot be carried out
  kBadInput,         // a document or an input file that cannot be understood
  kNotFound,         // a named input that does not exist
  kCorrupt,          // a file of Benzer's own that fails its checks
  kStorageFailed,    // what could not be written, or not be read of an index; the disk may be full
  kInterrupted,      // the caller asked to stop
  kNoIndex,          // an index that does not exist, and is not to be made
  kBusy,             // another process writes to the index
  kGuardRail,        // a result so sweeping that nobody should act on it unasked
  kUnavailable,      // a server that cannot be reached, or does not answer in time
  kDenied,           // a server that refuses the user, the password or a command
};

// What a failure is called in machine-readable output ("invalid_argument", ...).
std::string_view error_name(ErrorCode code) noexcept;

// The exit code of a command that ends with this failure (docs/cli.md has the whole list).
int exit_code(ErrorCode code) noexcept;

// A file, a folder or the address of an index that a text names. Not for fmt::format(): a front end
// could not tell it from other words.
struct FileName {
  std::string path;
  friend bool operator==(const FileName&, const FileName&) = default;
};

// A parameter by the name that it has in requests, with a value where the text proposes one.
struct Parameter {
  std::string name;  // "allow_low_recall"
  std::string value = {};
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

// How a front end writes what a text names. This one: paths in full, on one line, and NAME=VALUE.
class Spelling {
 public:
  virtual ~Spelling() = default;
  virtual std::string file(const std::string& path) const;
  virtual std::string parameter(const Parameter& parameter) const;
};

// Words, with the files and parameters among them. Built by +, as in
// "give " + Parameter{"memory", "64M"} + " or more".
class ErrorText {
 public:
  ErrorText() = default;
  ErrorText(std::string words);
  ErrorText(std::string_view words) : ErrorText(std::string(words)) {}
  ErrorText(const char* words) : ErrorText(std::string(words)) {}
  ErrorText(FileName name) : parts_{std::move(name)} {}
  ErrorText(Parameter parameter) : parts_{std::move(parameter)} {}

  ErrorText& operator+=(const ErrorText& more);
  bool empty() const noexcept { return parts_.empty(); }
  std::string spelled(const Spelling& spelling = Spelling()) const;
  friend bool operator==(const ErrorText&, const ErrorText&) = default;

 private:
  std::vector<std::variant<std::string, FileName, Parameter>> parts_;
};
inline ErrorText operator+(ErrorText text, const ErrorText& more) { return text += more; }

// What an error is about. A file, a place in one or an index begins the sentence: "FILE: ",
// "FILE:LINE: "; fields and parameters are named by the detail.
struct Subject {
  enum class Kind { kNone, kFile, kPlace, kIndex, kField, kParameter };
  Kind kind = Kind::kNone;
  std::string name = {};
  std::uint64_t line = 0;  // of a place, from 1

  static Subject file(std::string path) { return {Kind::kFile, std::move(path)}; }
  static Subject place(std::string path, std::uint64_t line) {
    return {Kind::kPlace, std::move(path), line};
  }
  // By its folder or address.
  static Subject index(std::string location) { return {Kind::kIndex, std::move(location)}; }
  static Subject field(std::string name) { return {Kind::kField, std::move(name)}; }
  static Subject parameter(std::string name) { return {Kind::kParameter, std::move(name)}; }
};

class Error : public std::runtime_error {
 public:
  // joint: what separates detail and hint in the sentence.
  Error(ErrorCode code, ErrorText detail, ErrorText hint = {}, std::string_view joint = "; ")
      : Error(code, Subject(), std::move(detail), std::move(hint), joint) {}
  Error(ErrorCode code, Subject subject, ErrorText detail, ErrorText hint = {},
        std::string_view joint = "; ");

  ErrorCode code() const noexcept { return code_; }
  const Subject& subject() const noexcept { return parts_->subject; }
  const ErrorText& detail() const noexcept { return parts_->detail; }
  const ErrorText& hint() const noexcept { return parts_->hint; }
  // "SUBJECT: DETAIL; HINT". As plain words it is what().
  const ErrorText& sentence() const noexcept { return parts_->sentence; }

 private:
  // Shared, since copies of an exception must not fail.
  struct Parts {
    Subject subject;
    ErrorText detail, hint, sentence;
  };
  Error(ErrorCode code, std::shared_ptr<const Parts> parts);

  ErrorCode code_;
  std::shared_ptr<const Parts> parts_;
};

}  // namespace benzer
