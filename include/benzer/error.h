// The one exception type of Benzer, and the closed list of what can go wrong.
//
// Every message is one sentence that says what was found, where, what is allowed and what to do.
// Kernels, banding and everything else that runs per feature is noexcept and cannot fail: its
// callers have checked.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace benzer {

enum class ErrorCode {
  kInvalidArgument,  // an option, a configuration or a call that cannot be carried out
  kBadInput,         // a document or an input file that cannot be understood
  kNotFound,         // a named input that does not exist
  kCorrupt,          // a file of Benzer's own that fails its checks
  kStorageFailed,    // what could not be written, or not be read of a store; the disk may be full
  kInterrupted,      // the caller asked to stop
  kNoStore,          // a store that does not exist, and is not to be made
  kBusy,             // another process writes to the store
  kGuardRail,        // a result so sweeping that nobody should act on it unasked
  kUnavailable,      // a server that cannot be reached, or does not answer in time
  kDenied,           // a server that refuses the user, the password or a command
};

// What a failure is called in machine-readable output ("invalid_argument", ...).
std::string_view error_name(ErrorCode code) noexcept;

// The exit code of a command that ends with this failure (docs/cli.md has the whole list).
int exit_code(ErrorCode code) noexcept;

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace benzer
