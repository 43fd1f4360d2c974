// Prints messages through spdlog. Only this file includes its headers, which compile slowly.
#include "messages.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "benzer/error.h"
#include "benzer/internal/passwords.h"
#include "benzer/output.h"
#include "benzer/runtime.h"

#include "../shared/json.h"
#include "signals.h"

namespace benzer::cli {
namespace {

// One logger without colours: the same bytes on a terminal, in a file and under NO_COLOR.
spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made = std::make_shared<spdlog::logger>("benzer",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("benzer: %v");
    return made;
  }();
  return *instance;
}

class OptionSpelling final : public Spelling {
 public:
  std::string parameter(const Parameter& parameter) const override {
    // The planner proposes slots, which all commands take as a part of the sketch.
    if (parameter.name == "slots" && !parameter.value.empty())
      return "--sketch fss:" + parameter.value;
    std::string out = "--" + parameter.name;
    std::replace(out.begin(), out.end(), '_', '-');
    return parameter.value.empty() || parameter.value == "true" ? out : out + " " + parameter.value;
  }
};

// A sentence as it may be printed. Errors have no passwords, but a sentence may also quote an
// argument.
std::string harmless(const std::string& sentence) { return printable(without_passwords(sentence)); }

}  // namespace

const Spelling& option_spelling() {
  static const OptionSpelling spelling;
  return spelling;
}

std::string in_words(const ErrorText& text) { return text.spelled(option_spelling()); }
std::string sentence_of(const Error& error) { return in_words(error.sentence()); }

void Messages::problem(const std::string& sentence) {
  if (++problems_ > kShownProblems || quiet_) return;
  line_.erase();
  logger().warn("{}", harmless(sentence));
}

void Messages::end_of_problems() {
  if (problems_ > kShownProblems) {
    note(fmt::format("... and {} more of this kind", with_separators(problems_ - kShownProblems)));
  }
}

void Messages::note(const std::string& sentence) {
  if (quiet_) return;
  line_.erase();
  logger().info("{}", harmless(sentence));
}

void Messages::text(const std::string& lines) {
  if (quiet_) return;
  line_.erase();
  print_on_stderr(lines);
}

void print_error(const std::string& sentence) { logger().error("{}", harmless(sentence)); }

void print_result(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      throw_if_stopped(stop_flag());
      continue;
    }
    if (written < 0) {
      const int error = errno;
      const std::string sentence =
          fmt::format("standard output cannot be written: {}", std::strerror(error));
      if (error == EPIPE) throw StdoutClosed(ErrorCode::kStorageFailed, sentence);
      throw Error(ErrorCode::kStorageFailed, sentence);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool print_if_read(std::string_view text) {
  try {
    print_result(text);
  } catch (const StdoutClosed&) {
    return false;
  }
  return true;
}

void print_on_stderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace benzer::cli
