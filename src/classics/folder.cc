#include "classics/folder.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "benzer/error.h"

#include "base/file.h"

namespace benzer::classics {
namespace {

struct FolderCloser {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

[[noreturn]] void fail(const std::string& path, int error) {
  throw Error(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kBadInput,
              fmt::format("{}: cannot be read: {}; give a folder of text files", shown_path(path),
                          system_message(error)));
}

std::string read_file(const std::string& path) {
  FileHandle file;
  if (const int error = open_to_read(path, file)) fail(path, error);
  struct stat status{};
  std::string text;
  if (file_system().fstat(file.get(), &status) == 0 && status.st_size > 0)
    text.resize(static_cast<std::size_t>(status.st_size) + 1);  // one more, to see the end
  std::size_t size = 0;
  while (true) {
    if (size == text.size()) text.resize(2 * size + 4096);
    std::size_t got = 0;
    if (const int error = read_some(file.get(), text.data() + size, text.size() - size, &got))
      fail(path, error);
    if (got == 0) break;
    size += got;
  }
  text.resize(size);
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
