#include "id_lines.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "benzer/error.h"

#include "../shared/id_line.h"
#include "../shared/settings.h"

namespace benzer::cli {
namespace {

constexpr std::size_t kAtOnce = 10'000;  // ids of one call of take(); a removal syncs once a call
// An id has at most 65,535 bytes, and a JSON string at most six for each of them.
constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr std::size_t kInMemory = std::size_t{16} << 20;  // bytes of a list; more go to a file

// Standard input, or a file that the destructor closes.
class IdFile {
 public:
  explicit IdFile(const std::string& path) : name_(path == "-" ? "standard input" : path) {
    if (path == "-") {
      file_ = STDIN_FILENO;
      return;
    }
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) fail(ErrorCode::kNotFound, "cannot be opened");
  }
  ~IdFile() {
    if (file_ != STDIN_FILENO) ::close(file_);
  }
  IdFile(const IdFile&) = delete;
  IdFile& operator=(const IdFile&) = delete;

  const std::string& name() const { return name_; }

  // Appends the next bytes to `out`. Returns false at the end of the file.
  bool read(std::string& out) {
    char piece[1 << 16];
    ssize_t got = 0;
    do {
      got = ::read(file_, piece, sizeof piece);
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail(ErrorCode::kStorageFailed, "cannot be read");
    out.append(piece, static_cast<std::size_t>(got));
    return got > 0;
  }

 private:
  [[noreturn]] void fail(ErrorCode code, std::string_view what) const {
    throw Error(code, Subject::file(name_),
                fmt::format("the list of ids {}: {}", what, std::strerror(errno)));
  }
  const std::string name_;
  int file_ = -1;
};

// Keeps what was read, so that a second pass reads the same, whoever writes to the list meanwhile:
// the end in memory, and what comes before in a temporary file without a name.
class KeptBytes {
 public:
  KeptBytes() = default;
  ~KeptBytes() {
    if (file_ >= 0) ::close(file_);
  }
  KeptBytes(const KeptBytes&) = delete;
  KeptBytes& operator=(const KeptBytes&) = delete;

  void append(std::string_view bytes) {
    end_ += bytes;
    if (end_.size() > kInMemory) spill();
  }

  // Appends the next bytes to `out`. Returns false at the end.
  bool read(std::string& out) {
    if (read_ < spilled_) {
      char piece[1 << 16];
      const ssize_t got = ::pread(file_, piece, sizeof piece, read_);
      if (got < 0 && errno == EINTR) return true;
      if (got <= 0) fail("read", got < 0 ? errno : EIO);
      out.append(piece, static_cast<std::size_t>(got));
      read_ += got;
      return true;
    }
    out += end_;
    return !std::exchange(end_, {}).empty();
  }

 private:
  void spill() {
    if (file_ < 0) open();
    std::string_view left = end_;
    while (!left.empty()) {
      const ssize_t put = ::pwrite(file_, left.data(), left.size(), spilled_);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) fail("written", put < 0 ? errno : EIO);
      left.remove_prefix(static_cast<std::size_t>(put));
      spilled_ += put;
    }
    end_.clear();
  }

  void open() {
    std::error_code failed;
    folder_ = std::filesystem::temp_directory_path(failed).string();
    if (failed) folder_ = "/tmp";
    std::string name = folder_ + "/benzer-ids-XXXXXX";
    file_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (file_ < 0) fail("made", errno);
    ::unlink(name.c_str());
  }

  [[noreturn]] void fail(std::string_view done, int error) const {
    throw Error(ErrorCode::kStorageFailed, Subject::file(folder_),
                fmt::format("a temporary file for the list of ids cannot be {} there: {}", done,
                            std::strerror(error)),
                "more space may be needed, or another folder in TMPDIR");
  }

  std::string folder_, end_;
  int file_ = -1;
  off_t spilled_ = 0, read_ = 0;  // bytes of the file
};

// Calls visit(line, number) for each line of what read(out) appends.
template <class Read, class Visit>
void for_each_line(const std::string& name, Read read, Visit visit) {
  std::string bytes;
  std::uint64_t lines = 0;
  while (read(bytes)) {
    std::size_t begin = 0;
    for (std::size_t end; (end = bytes.find('\n', begin)) != bytes.npos; begin = end + 1)
      visit(std::string_view(bytes).substr(begin, end - begin), ++lines);
    bytes.erase(0, begin);
    if (bytes.size() > kLongestLine)
      throw Error(
          ErrorCode::kInvalidArgument, Subject::place(name, lines + 1),
          fmt::format("the line has more than {} bytes, which is longer than any id", kLongestLine),
          "give one id a line");
  }
  if (!bytes.empty()) visit(bytes, lines + 1);  // the last line, if it has no line end
}

// Reads the whole list into `kept`. Throws if a line is not an id.
void read_list(const std::string& path, KeptBytes& kept) {
  IdFile file(path);
  const auto read = [&](std::string& out) {
    const std::size_t before = out.size();
    const bool more = file.read(out);
    kept.append(std::string_view(out).substr(before));
    return more;
  };
  for_each_line(file.name(), read, [&](std::string_view line, std::uint64_t number) {
    try {
      apps::id_of_line(line);
    } catch (const Error& error) {
      throw Error(error.code(), Subject::place(file.name(), number), error.detail(), error.hint());
    }
  });
}

}  // namespace

void for_all_ids(const Options& options,
                 const std::function<void(const std::vector<std::string>& ids)>& take) {
  KeptBytes list;
  if (options.ids) read_list(*options.ids, list);
  std::vector<std::string> ids(options.inputs.begin() + 1, options.inputs.end());
  if (!ids.empty()) take(ids);
  ids.clear();
  for_each_line(
      "", [&](std::string& out) { return list.read(out); },
      [&](std::string_view line, std::uint64_t) {
        if (!line.empty()) ids.push_back(apps::id_of_line(line));
        if (ids.size() < kAtOnce) return;
        take(ids);
        ids.clear();
      });
  if (!ids.empty()) take(ids);
}

void check_has_ids(const Options& options) {
  if (options.inputs.size() > 1 || options.ids) return;
  const CommandRow& command = command_row(options.command);
  refuse(fmt::format("'{}' needs an id, or --ids FILE", command.name), command.form);
}

}  // namespace benzer::cli
