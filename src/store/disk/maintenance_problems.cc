#include "store/disk/maintenance_problems.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>

#include "benzer/error.h"

#include "base/checked_text.h"
#include "base/file.h"

namespace benzer {
namespace {

constexpr std::string_view kHead = "benzer problem 2\n";
constexpr std::size_t kLargest = std::size_t{1} << 16;

std::int64_t seconds_now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

std::string path_in(const std::string& folder) { return folder + "/PROBLEM"; }

// Takes a number and the byte after it off the text.
template <class Number>
bool take_number(std::string_view& text, char behind, Number& out) {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, out);
  if (error != std::errc() || end == last || *end != behind) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return true;
}

// Parses "1763942400 6\nFOLDERit cannot be ...\n": the time, the length of the path of the file in
// bytes, the path and the detail.
std::optional<MaintenanceProblem> parse(std::string_view text) {
  MaintenanceProblem out;
  std::size_t path = 0;
  if (!take_number(text, ' ', out.at) || !take_number(text, '\n', path) || text.size() <= path ||
      !text.ends_with('\n'))
    return std::nullopt;
  text.remove_suffix(1);
  out.file = text.substr(0, path);
  out.detail = text.substr(path);
  return out;
}

MaintenanceProblem problem_now(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    const Error rest(known.code(), known.detail(), known.hint());
    return {seconds_now(), known.subject().name, rest.what()};
  } catch (const std::exception&) {
    return {seconds_now(), "", "there was not enough memory"};
  }
}

bool is_given_up(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    return known.code() == ErrorCode::kInterrupted;
  } catch (...) {
    return false;
  }
}

}  // namespace

Error MaintenanceProblem::error() const {
  return Error(ErrorCode::kStorageFailed, file.empty() ? Subject() : Subject::file(file), detail);
}

MaintenanceProblems::MaintenanceProblems(
    const StoreFolder& folder, bool read_only, Clock::duration retry_pause,
    std::function<void(const MaintenanceProblem& problem)> tell)
    : folder_(folder), retry_pause_(retry_pause), tell_(std::move(tell)) {
  // The file does not say which work failed, so the problem is kept until both succeed.
  problems_[0] = read_problem(folder_.path());
  if (!read_only) problems_[1] = problems_[0];
}

std::optional<MaintenanceProblem> MaintenanceProblems::get() const {
  const std::lock_guard lock(mutex_);
  return problems_[0] ? problems_[0] : problems_[1];
}

bool MaintenanceProblems::is_due_again(Work work) const {
  const auto place = static_cast<std::size_t>(work);
  const std::lock_guard lock(mutex_);
  return problems_[place] && Clock::now() >= due_again_[place];
}

MaintenanceProblems::Clock::time_point MaintenanceProblems::begin(Work work) {
  const std::lock_guard lock(mutex_);
  due_again_[static_cast<std::size_t>(work)] = Clock::time_point::max();
  return Clock::now();
}

void MaintenanceProblems::note(Work work, const std::exception_ptr& error,
                               Clock::time_point begun) noexcept {
  const auto place = static_cast<std::size_t>(work);
  try {
    {
      // A large merge that fails again and again takes a tenth of the time at most.
      const Clock::time_point ended = Clock::now();
      const std::lock_guard lock(mutex_);
      due_again_[place] = ended + std::max(retry_pause_, 9 * (ended - begun));
    }
    if (error && is_given_up(error)) return;
    if (error) ++failures_;
    const std::lock_guard one_at_a_time(noting_);
    MaintenanceProblem now;
    if (error) now = problem_now(error);
    {
      const std::lock_guard lock(mutex_);
      std::optional<MaintenanceProblem>& known = problems_[place];
      if (known ? error && known->detail == now.detail : !error) return;
      known = error ? std::optional(now) : std::nullopt;
    }
    const std::optional<MaintenanceProblem> left = get();
    if (folder_.is_in_place()) {
      if (!left) return remove_problem(folder_.path());
      write_problem(folder_.path(), *left);
    }
    if (error && tell_) tell_(now);
  } catch (const std::exception&) {
    // There is no memory to report it. The work is tried again, and its problem reported then.
  }
}

void write_problem(const std::string& folder, const MaintenanceProblem& problem) noexcept {
  try {
    const std::string text = with_checksum(fmt::format(
        "{}{} {}\n{}{}\n", kHead, problem.at, problem.file.size(), problem.file, problem.detail));
    FileHandle file;
    if (open_file(path_in(folder), O_WRONLY | O_CREAT | O_TRUNC, 0644, file) == 0)
      write_fully(file.get(), text.data(), text.size());
  } catch (const std::exception&) {
    // Without memory no file is written; stats() of this process still has the problem.
  }
}

void remove_problem(const std::string& folder) noexcept {
  try {
    file_system().unlink(path_in(folder).c_str());
  } catch (const std::exception&) {
    // It is removed when work succeeds the next time.
  }
}

std::optional<MaintenanceProblem> read_problem(const std::string& folder) noexcept {
  try {
    std::string text;
    if (read_whole(path_in(folder), kLargest, text) != 0) return std::nullopt;
    const std::optional<std::string_view> content = without_checksum(text);
    if (!content || !content->starts_with(kHead)) return std::nullopt;
    return parse(content->substr(kHead.size()));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace benzer
