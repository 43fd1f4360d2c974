#include "id_lines.h"

#include <cerrno>
#include <cstring>

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

// Standard input, or a file that the destructor closes.
class IdFile {
 public:
  explicit IdFile(const std::string& path) : path_(path) {
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
    throw Error(code, Subject::file(path_),
                fmt::format("the list of ids {}: {}", what, std::strerror(errno)));
  }
  const std::string path_;
  int file_ = -1;
};

}  // namespace

void for_all_ids(const Options& options,
                 const std::function<void(const std::vector<std::string>& ids)>& take) {
  std::vector<std::string> ids(options.inputs.begin() + 1, options.inputs.end());
  if (!ids.empty()) take(ids);
  if (!options.ids) return;
  ids.clear();
  const auto add = [&](std::string_view line) {
    if (!line.empty()) ids.push_back(apps::id_of_line(line));
    if (ids.size() < kAtOnce) return;
    take(ids);
    ids.clear();
  };
  IdFile file(*options.ids);
  std::string bytes;
  std::uint64_t lines = 0;
  while (file.read(bytes)) {
    std::size_t begin = 0;
    for (std::size_t end; (end = bytes.find('\n', begin)) != bytes.npos; begin = end + 1) {
      add(std::string_view(bytes).substr(begin, end - begin));
      ++lines;
    }
    bytes.erase(0, begin);
    if (bytes.size() > kLongestLine)
      throw Error(ErrorCode::kInvalidArgument, Subject::file(*options.ids),
                  fmt::format("line {} of the list of ids has more than {} bytes, which is longer "
                              "than any id",
                              lines + 1, kLongestLine),
                  "give one id a line");
  }
  add(bytes);  // the last line, if it has no line end
  if (!ids.empty()) take(ids);
}

void check_has_ids(const Options& options) {
  if (options.inputs.size() > 1 || options.ids) return;
  const CommandRow& command = command_row(options.command);
  refuse(fmt::format("'{}' needs an id, or --ids FILE", command.name), command.form);
}

}  // namespace benzer::cli
