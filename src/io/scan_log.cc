#include "io/scan_log.h"

#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benzer/error.h"
#include "benzer/internal/stage_files.h"
#include "benzer/internal/text.h"

#include "base/stage_log.h"

namespace benzer {
namespace {

namespace fs = std::filesystem;

std::string log_name(const std::string& folder, std::size_t source) {
  return fmt::format("{}/{}{:06}", folder, kSketchStage, source);
}

// The number in the name of a log; nothing if the file is not a log.
std::optional<std::size_t> number_of(std::string name) {
  if (name.ends_with(kGrowingStage)) name.resize(name.size() - kGrowingStage.size());
  if (!name.starts_with(kSketchStage) || name.size() < kSketchStage.size() + 6) return std::nullopt;
  std::size_t number = 0;
  for (const char c : std::string_view(name).substr(kSketchStage.size())) {
    if (c < '0' || c > '9') return std::nullopt;
    number = 10 * number + static_cast<std::size_t>(c - '0');
  }
  return number;
}

// The first line in which two texts of lines "name=value" differ, from each of them; empty where
// there is none with that name.
std::pair<std::string, std::string> first_difference(std::string_view a, std::string_view b) {
  const auto is_in = [](std::string_view line, std::string_view others) {
    const std::string_view name = line.substr(0, line.find('=') + 1);
    return others.starts_with(name) || others.find("\n" + std::string(name)) != others.npos;
  };
  while (!a.empty() || !b.empty()) {
    const std::string_view of_a = a.substr(0, a.find('\n'));
    const std::string_view of_b = b.substr(0, b.find('\n'));
    if (of_a != of_b) {
      if (!is_in(of_a, b)) return {std::string(of_a), ""};
      if (!is_in(of_b, a)) return {"", std::string(of_b)};
      return {std::string(of_a), std::string(of_b)};
    }
    a.remove_prefix(std::min(a.size(), of_a.size() + 1));
    b.remove_prefix(std::min(b.size(), of_b.size() + 1));
  }
  return {};
}

// Whether the first difference is the secret of the work folder.
bool differs_in_secret(std::string_view payload, std::string_view made_by) {
  const auto [was, is] = first_difference(FieldReader(payload).text(), made_by);
  return was.starts_with(kSecretLine) && is.starts_with(kSecretLine);
}

LoggedBlock read_place(FieldReader& fields) {
  LoggedBlock block;
  for (std::uint64_t* number :
       {&block.offset, &block.next, &block.content.bytes, &block.content.low, &block.content.high})
    *number = fields.number();
  return block;
}

ErrorText changed_since(const LineSource& source) {
  return "the input '" + source.file().name() + "' was changed since";
}

[[noreturn]] void throw_corrupt(std::string_view what) {
  throw Error(ErrorCode::kCorrupt, fmt::format("a record of benzer's own has {}", what));
}

// Checks that the lines are inside the block, one after the other, and the ids likewise, since code
// that reads them again relies on that.
void check_places(const LoggedBlock& block, const ParsedBlock& parsed) {
  if (block.next < block.offset) throw_corrupt("a block that ends before it begins");
  const std::uint64_t size = block.next - block.offset;
  std::uint64_t end = 0;
  const auto take = [&](std::uint64_t offset, std::uint64_t length) {
    if (offset < end || offset > size || length > size - offset)
      throw_corrupt("lines that overlap or lie outside their block");
    end = offset + length;
  };
  auto problem = parsed.problems.begin();
  const auto take_problems = [&](std::uint64_t before) {
    for (; problem != parsed.problems.end() && problem->range.offset - block.offset < before;
         ++problem)
      take(problem->range.offset - block.offset, problem->range.length);
  };
  std::uint32_t id_end = 0;
  for (const LineEntry& entry : parsed.documents) {
    take_problems(entry.offset);
    take(entry.offset, entry.length);
    if (entry.line > parsed.lines) throw_corrupt("more lines than it says");
    if (entry.id_end < id_end || entry.id_end > parsed.ids.size())
      throw_corrupt("ids that overlap");
    id_end = entry.id_end;
  }
  take_problems(~std::uint64_t{0});
  if (problem != parsed.problems.end()) throw_corrupt("lines that lie outside their block");
  if (parsed.id_hashes.size() > parsed.documents.size()) throw_corrupt("more ids than documents");
}

}  // namespace

std::string logged_block(const LoggedBlock& block, const ParsedBlock& parsed,
                         std::string_view visitor) {
  std::string out;
  FieldWriter fields(out);
  for (const std::uint64_t number :
       {block.offset, block.next, block.content.bytes, block.content.low, block.content.high,
        parsed.lines, parsed.bytes, parsed.without_group, parsed.without_number,
        parsed.fields_found})
    fields.number(number);
  fields.list(parsed.documents);
  fields.text(parsed.ids);
  fields.list(parsed.id_hashes);
  fields.number(parsed.problems.size());
  for (const LineProblem& problem : parsed.problems) {
    fields.number(problem.line);
    fields.number(problem.range.offset);
    fields.number(problem.range.length);
    fields.text(problem.what);
    fields.number(problem.is_too_long ? 1 : 0);
    fields.text(problem.more);
  }
  fields.text(visitor);
  return out;
}

LoggedBlock logged_place(std::string_view payload) {
  FieldReader fields(payload);
  return read_place(fields);
}

void read_logged_block(std::string_view payload, LoggedBlock& block, ParsedBlock& parsed,
                       std::string_view& visitor) {
  FieldReader fields(payload);
  parsed.clear();
  block = read_place(fields);
  parsed.lines = fields.number();
  parsed.bytes = fields.number();
  parsed.without_group = fields.number();
  parsed.without_number = fields.number();
  parsed.fields_found = fields.number();
  fields.list(parsed.documents);
  parsed.ids = fields.text();
  fields.list(parsed.id_hashes);
  const std::uint64_t problems = fields.number();
  for (std::uint64_t i = 0; i < problems; ++i) {
    LineProblem& problem = parsed.problems.emplace_back();
    problem.line = fields.number();
    problem.range.offset = fields.number();
    problem.range.length = fields.number();
    problem.what = fields.text();
    const std::uint64_t is_too_long = fields.number();
    if (is_too_long > 1) throw_corrupt("a problem of no kind");
    problem.is_too_long = is_too_long == 1;
    problem.more = fields.text();
  }
  visitor = fields.text();
  if (!fields.at_end()) throw_corrupt("more than it says");
  check_places(block, parsed);
}

std::string logged_end(std::uint64_t end) {
  std::string out;
  FieldWriter(out).number(end);
  return out;
}

std::string logged_source(const LineSource& source, std::string_view made_by) {
  std::string out;
  FieldWriter fields(out);
  fields.text(made_by);
  fields.text(source.file().path);
  fields.number(source.identity.size);
  return out;
}

ErrorText differs(std::string_view payload, const LineSource& source, std::string_view made_by) {
  FieldReader fields(payload);
  const std::string_view was_made_by = fields.text();
  if (was_made_by != made_by) {
    // Logs of earlier versions do not begin with the line that names the program.
    if (!was_made_by.starts_with(kMadeByProgram) && made_by.starts_with(kMadeByProgram))
      return "it was made by an earlier version of benzer";
    const auto [was, is] = first_difference(was_made_by, made_by);
    if (was.empty()) return fmt::format("it was made without '{}', which this run has", is);
    if (is.empty()) return fmt::format("it was made with '{}', which this run has not", was);
    return fmt::format("it was made with '{}', and this run has '{}'", was, is);
  }
  const std::string_view path = fields.text();
  const std::uint64_t size = fields.number();
  if (!fields.at_end()) throw_corrupt("more than it says");
  if (path != source.file().path)
    return "it is of the input '" + FileName{std::string(path)} + "', and this run has '" +
           source.file().name() + "' in its place";
  return size == source.identity.size ? ErrorText() : changed_since(source);
}

bool LoggedBlocks::take(std::string_view payload) {
  try {
    const LoggedBlock block = logged_place(payload);
    // Only a byte order mark may be in front of the first block.
    const bool follows =
        block.offset == last_.next || (last_.next == 0 && block.offset == kByteOrderMark.size());
    if (!follows || block.next < block.offset) return false;
    last_ = block;
  } catch (const Error&) {
    return false;
  }
  return true;
}

bool LoggedBlocks::is_end(std::string_view payload, const LineSource& source) const {
  return payload == logged_end(last_.next) && last_.content.bytes == source.identity.size;
}

std::string whole_log(const std::string& folder, std::size_t source) {
  return log_name(folder, source);
}

std::string growing_log(const std::string& folder, std::size_t source) {
  return log_name(folder, source).append(kGrowingStage);
}

void check_work_folder(const std::string& folder, std::size_t sources, bool resume) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed))
    throw Error(ErrorCode::kNotFound, Subject::file(folder),
                "the work folder does not exist or is not a folder", "make it first");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    const auto number = number_of(entry.path().filename().string());
    if (!number) continue;
    if (!resume)
      throw Error(ErrorCode::kInvalidArgument, Subject::file(folder),
                  "the work folder has the stages of an earlier run",
                  "go on with them (" + Parameter{"resume"} + "), or name an empty folder");
    if (*number >= sources)
      throw Error(
          ErrorCode::kInvalidArgument, Subject::file(folder),
          fmt::format("the work folder has the stages of more inputs than the {} of this run",
                      sources),
          "name the same inputs in the same order");
  }
  if (failed)
    throw Error(ErrorCode::kStorageFailed, Subject::file(folder),
                fmt::format("the work folder cannot be read: {}", failed.message()));
}

struct WorkFolderLock::Held {
  Held() = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  // A process that was forked has the lock, too, as long as it runs, unless it is released here. It
  // must not release it itself.
  ~Held() {
    if (folder && ::getpid() == locked_by) file_system().flock(folder.get(), LOCK_UN);
  }

  FileHandle folder;
  pid_t locked_by = ::getpid();
};

WorkFolderLock::WorkFolderLock(const std::string& folder, bool share) {
  using Key = std::pair<dev_t, ino_t>;
  static std::mutex mutex;
  static std::map<Key, std::weak_ptr<const Held>> known;
  const std::lock_guard<std::mutex> guard(mutex);
  auto held = std::make_shared<Held>();
  struct stat status{};
  if (open_file(folder, O_RDONLY | O_DIRECTORY, 0, held->folder) != 0 ||
      file_system().fstat(held->folder.get(), &status) != 0)
    return;
  std::weak_ptr<const Held>& here = known[{status.st_dev, status.st_ino}];
  held_ = here.lock();
  if (held_ && held_->locked_by == ::getpid()) return;
  if (file_system().flock(held->folder.get(), (share ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 &&
      errno == EWOULDBLOCK)
    throw Error(ErrorCode::kBusy, Subject::file(folder),
                "another run keeps its stages in this work folder",
                "wait for it, or name another folder");
  here = held;
  held_ = std::move(held);
}

void reopen_log(const std::string& folder, std::size_t source) {
  const std::string whole = whole_log(folder, source);
  struct stat status{};
  if (file_system().stat(whole.c_str(), &status) != 0 && errno == ENOENT) return;
  if (file_system().rename(whole.c_str(), growing_log(folder, source).c_str()) != 0)
    throw Error(ErrorCode::kStorageFailed, Subject::file(whole),
                fmt::format("it cannot be renamed: {}", system_message(errno)));
}

void remove_logs(const std::string& folder, std::size_t sources) noexcept {
  for (std::size_t source = 0; source < sources; ++source) {
    file_system().unlink(whole_log(folder, source).c_str());
    file_system().unlink(growing_log(folder, source).c_str());
  }
}

SignatureFile::SignatureFile(const std::string& path) : path_(path) {
  if (!reader_.open(path))
    throw Error(ErrorCode::kNotFound, Subject::file(path), "the file of signatures does not exist",
                "make it with 'benzer sketch'");
}

void SignatureFile::throw_damaged() const {
  throw Error(
      ErrorCode::kCorrupt, Subject::file(path_),
      fmt::format("the file of signatures is damaged or cut off at byte {}", reader_.whole()),
      "make it again with 'benzer sketch'");
}

void SignatureFile::refuse(const ErrorText& what) const {
  throw Error(ErrorCode::kInvalidArgument, Subject::file(path_),
              "the signatures cannot be used: " + what,
              "repeat what they were made with, or make them again with 'benzer sketch'");
}

void SignatureFile::begin(const LineSource& source, std::string_view made_by) {
  source_ = nullptr;
  std::uint32_t kind = 0;
  std::string payload;
  if (!reader_.next(kind, payload)) {
    if (!reader_.at_end()) throw_damaged();
    throw Error(ErrorCode::kInvalidArgument, Subject::file(path_),
                "the signatures cannot be used: there are none for the input '" +
                    source.file().name() + "'",
                "name the inputs that they were made from");
  }
  if (kind != kLoggedSource) throw_damaged();
  if (const ErrorText what = differs(payload, source, made_by); !what.empty()) refuse(what);
  source_ = &source;
  blocks_ = LoggedBlocks();
}

bool SignatureFile::next(std::string& payload, const FirstPass& pass) {
  if (source_ == nullptr) return false;
  std::uint32_t kind = 0;
  if (!reader_.next(kind, payload)) throw_damaged();
  if (kind == kLoggedBlock && blocks_.take(payload)) return true;
  if (kind != kLoggedEnd || !blocks_.is_end(payload, *source_)) throw_damaged();
  if (!pass.begins_with(blocks_.content())) refuse(changed_since(*source_));
  source_ = nullptr;
  return false;
}

void SignatureFile::finish() {
  std::uint32_t kind = 0;
  std::string payload;
  if (reader_.next(kind, payload))
    throw Error(ErrorCode::kInvalidArgument, Subject::file(path_),
                "the signatures are of more inputs than this run has",
                "name all inputs that they were made from");
  if (!reader_.at_end()) throw_damaged();
}

SourceLog::SourceLog(const std::string& folder, std::size_t number, const LineSource& source,
                     std::string_view made_by)
    : source_(source) {
  for (const std::string& path : {whole_log(folder, number), growing_log(folder, number)}) {
    path_ = path;
    try {
      if (!reader_.open(path)) continue;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kCorrupt) throw;
      file_system().unlink(path.c_str());
      continue;
    }
    std::uint32_t kind = 0;
    std::string payload;
    if (!reader_.next(kind, payload) || kind != kLoggedSource) {
      file_system().unlink(path.c_str());  // its beginning was cut off or damaged
      continue;
    }
    if (const ErrorText what = differs(payload, source, made_by); !what.empty()) {
      if (!differs_in_secret(payload, made_by)) refuse(what);
      file_system().unlink(path.c_str());
      continue;
    }
    there_ = true;
    log_bytes_ = reader_.whole();
    return;
  }
}

void SourceLog::refuse(const ErrorText& what) const {
  throw Error(ErrorCode::kInvalidArgument, Subject::file(path_),
              "the stage cannot be used: " + what,
              "repeat the run with what it was made with, or name an empty work folder");
}

bool SourceLog::next(std::string& payload, const FirstPass& pass) {
  if (!there_) return false;
  if (next_block(payload)) return true;
  there_ = false;
  if (!pass.begins_with(blocks_.content())) refuse(changed_since(source_));
  return false;
}

bool SourceLog::next_block(std::string& payload) {
  std::uint32_t kind = 0;
  if (!reader_.next(kind, payload)) return false;
  whole_ = kind == kLoggedEnd && blocks_.is_end(payload, source_);
  if (kind != kLoggedBlock || !blocks_.take(payload)) return false;
  log_bytes_ = reader_.whole();
  return true;
}

}  // namespace benzer
