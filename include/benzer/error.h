// Defines Error, the one exception type of Benzer, and the closed list of reasons for which it is
// thrown.
//
// An error is data. It says which input or parameter it is about (subject), what is wrong with that
// (detail) and what to do (hint). File names and parameters inside detail and hint stay marked, so
// that each front end can write them as its users do: the command line prints --allow-low-recall, a
// REST request has 'allow_low_recall': true, and a server hides its folders from its clients.
// what() is all of it as one plain sentence.
//
//     try {
//       const benzer::Index index = benzer::Index::open("news.benzer");
//     } catch (const benzer::Error& error) {
//       if (error.code() != benzer::ErrorCode::kNoIndex) throw;
//       std::cerr << "run the importer first: " << error.what() << '\n';
//     }
//
// The library throws nothing else of its own; std::bad_alloc and whatever a callback throws pass
// through. Kernels, banding and everything else that runs once per feature is noexcept and cannot
// fail, because its callers have checked the arguments.
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

// Why a call failed. Programs decide by this code; the sentence is for people and may change.
enum class ErrorCode {
  // An option, a configuration or a call cannot be carried out as it was given.
  kInvalidArgument,
  // A document or an input file cannot be understood.
  kBadInput,
  // A named input, or a document that was named by its id, does not exist.
  kNotFound,
  // One of Benzer's own files fails its checks, so its contents are damaged.
  kCorrupt,
  // Something could not be written, or a part of an index could not be read. The disk may be full.
  kStorageFailed,
  // The caller asked the call to stop.
  kInterrupted,
  // There is no index at the location, and the call was not asked to create one.
  kNoIndex,
  // Another process writes to the index, a bulk load of it is under way, or another run keeps its
  // stages in the work folder.
  kBusy,
  // The result would remove so much that it must not be carried out without being asked for.
  kGuardRail,
  // A server cannot be reached, or does not answer in time.
  kUnavailable,
  // A server refuses the user, the password or a command.
  kDenied,
};

// Returns the name of the code in machine-readable output, such as "invalid_argument".
std::string_view error_name(ErrorCode code) noexcept;

// Returns the exit code of a command that ends with this failure; docs/cli.md lists all of them.
int exit_code(ErrorCode code) noexcept;

// Marks a file, a folder or the address of an index inside an ErrorText. Do not put such a name
// into the words with fmt::format(): a front end could not tell it from other words.
struct FileName {
  // The path, or the address of an index without its password.
  std::string path;
  friend bool operator==(const FileName&, const FileName&) = default;
};

// Marks a parameter inside an ErrorText.
struct Parameter {
  // The name of the option with '_' for '-', such as "allow_low_recall"; REST requests have the
  // same.
  std::string name;
  // The value that the text proposes; empty if it proposes none.
  std::string value = {};
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

// Decides how a front end writes the file names and parameters of an ErrorText; front ends derive
// from it. Threads: the base class has no state.
class Spelling {
 public:
  virtual ~Spelling() = default;
  // Writes a file name. The base class writes the full path, with invalid UTF-8 replaced, and as a
  // JSON string if the path has control characters, so that it stays on one line.
  virtual std::string file(const std::string& path) const;
  // Writes a parameter. The base class writes NAME, or NAME=VALUE if a value is proposed.
  virtual std::string parameter(const Parameter& parameter) const;
};

// Holds the words of an error with the files and parameters that they name. It is built with +, as
// in "give " + Parameter{"memory", "64M"} + " or more".
class ErrorText {
 public:
  ErrorText() = default;
  // Plain words convert to a text without marks, and a marked name to a text of its own.
  ErrorText(std::string words);
  ErrorText(std::string_view words) : ErrorText(std::string(words)) {}
  ErrorText(const char* words) : ErrorText(std::string(words)) {}
  ErrorText(FileName name) : parts_{std::move(name)} {}
  ErrorText(Parameter parameter) : parts_{std::move(parameter)} {}

  // Appends words and marks.
  ErrorText& operator+=(const ErrorText& more);
  // Returns whether the text has neither words nor marks.
  bool empty() const noexcept { return parts_.empty(); }
  // Returns the text as one string, with files and parameters written by `spelling`.
  std::string spelled(const Spelling& spelling = Spelling()) const;
  // Texts are equal if their words and marks are equal, however they were put together.
  friend bool operator==(const ErrorText&, const ErrorText&) = default;

 private:
  std::vector<std::variant<std::string, FileName, Parameter>> parts_;
};
inline ErrorText operator+(ErrorText text, const ErrorText& more) { return text += more; }

// Names what an error is about. A file, a place in a file and an index begin the sentence ("FILE:
// ", "FILE:LINE: "); a field or a parameter does not, because the detail names it.
struct Subject {
  enum class Kind {
    // The error is about the call as a whole.
    kNone,
    // A file or folder.
    kFile,
    // A line of a file.
    kPlace,
    // An index.
    kIndex,
    // A field of a document.
    kField,
    // A parameter of the call.
    kParameter
  };
  Kind kind = Kind::kNone;
  // The path, the location of the index, or the name of the field or parameter; empty for kNone.
  std::string name = {};
  // The number of the line, from 1; only of kPlace, else 0.
  std::uint64_t line = 0;

  // A whole file.
  static Subject file(std::string path) { return {Kind::kFile, std::move(path)}; }
  // A line of a file, counted from 1.
  static Subject place(std::string path, std::uint64_t line) {
    return {Kind::kPlace, std::move(path), line};
  }
  // An index, by its folder or its address without a password (Index::shown()).
  static Subject index(std::string location) { return {Kind::kIndex, std::move(location)}; }
  // A field of a document.
  static Subject field(std::string name) { return {Kind::kField, std::move(name)}; }
  // A parameter of the call, by its name as in Parameter.
  static Subject parameter(std::string name) { return {Kind::kParameter, std::move(name)}; }
};

// The exception that every failing call of the library throws. Copies share their parts, so copying
// does not throw. Threads: immutable after construction.
class Error : public std::runtime_error {
 public:
  // Makes an error without a subject. joint: separates detail and hint in the sentence; it is not
  // used if the hint is empty.
  Error(ErrorCode code, ErrorText detail, ErrorText hint = {}, std::string_view joint = "; ")
      : Error(code, Subject(), std::move(detail), std::move(hint), joint) {}
  // Makes an error about `subject`.
  Error(ErrorCode code, Subject subject, ErrorText detail, ErrorText hint = {},
        std::string_view joint = "; ");

  // Returns why the call failed.
  ErrorCode code() const noexcept { return code_; }
  // Returns what the error is about; its kind is kNone if that is the call as a whole.
  const Subject& subject() const noexcept { return parts_->subject; }
  // Returns what is wrong.
  const ErrorText& detail() const noexcept { return parts_->detail; }
  // Returns what to do about it; empty if there is no advice.
  const ErrorText& hint() const noexcept { return parts_->hint; }
  // Returns "SUBJECT: DETAIL; HINT" with its marks. what() is the same text in the spelling of the
  // class Spelling.
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
