#include "research/classics/folder.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fmt/format.h>

#include "benzer/error.h"

#include "base/file.h"

namespace benzer::classics {
namespace {

struct FolderCloser {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

[[noreturn]] void fail(const std::string& path, int error) {
  throw Error(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kBadInput, Subject::file(path),
              fmt::format("cannot be read: {}", system_message(error)),
              "give a folder of text files");
}

std::string read_file(const std::string& path) {
  std::string text;
  if (const int error = read_whole(path, std::numeric_limits<std::size_t>::max() - 1, text))
    fail(path, error);
  return text;
}

}  // namespace

std::vector<course::NamedText> read_folder(const std::string& folder) {
  const std::unique_ptr<DIR, FolderCloser> open(file_system().opendir(folder.c_str()));
  if (!open) fail(folder, errno);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = file_system().readdir(open.get())) {
    names.emplace_back(entry->d_name);
    errno = 0;
  }
  if (errno) fail(folder, errno);
  std::sort(names.begin(), names.end());
  std::vector<course::NamedText> texts;
  for (std::string& name : names) {
    const std::string path = folder + "/" + name;
    struct stat status{};
    if (file_system().stat(path.c_str(), &status) != 0) fail(path, errno);
    if (S_ISREG(status.st_mode)) texts.push_back({std::move(name), read_file(path)});
  }
  return texts;
}

}  // namespace benzer::classics
