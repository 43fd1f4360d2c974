#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "base/file.h"
#include "io/input_list.h"

namespace benzer {
namespace {

std::string joined(const std::string& folder, std::string_view name) {
  return folder.ends_with('/') ? fmt::format("{}{}", folder, name)
                               : fmt::format("{}/{}", folder, name);
}

struct FolderCloser {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, FolderCloser>;

unsigned char type_of(const dirent& entry, const std::string& path) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type;
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 ? static_cast<unsigned char>(IFTODT(status.st_mode))
                                             : static_cast<unsigned char>(DT_REG);
}

[[noreturn]] void throw_too_many(const std::string& folder, std::size_t files,
                                 std::uint64_t memory_limit) {
  throw Error(ErrorCode::kInvalidArgument, Subject::file(folder),
              fmt::format("the names of {} files of this folder take more than half of the memory "
                          "limit of {} bytes, and there are more of them",
                          files, memory_limit),
              "allow more, or put the documents into fewer files");
}

}  // namespace

FolderWalk walk_folder(const std::string& folder, std::uint64_t memory_limit,
                       const std::atomic<bool>* stop) {
  FolderWalk walk;
  walk.files = PathList(joined(folder, ""));
  std::vector<std::string> waiting{folder};
  while (!waiting.empty()) {
    const std::string path = std::move(waiting.back());
    waiting.pop_back();
    throw_if_stopped(stop);
    const OpenFolder open(file_system().opendir(path.c_str()));
    if (!open) {
      throw_if_out_of_files(path, errno);
      walk.unread.push_back(
          {path,
           Error(ErrorCode::kBadInput, Subject::file(path),
                 fmt::format("the folder cannot be read: {}", system_message(errno))),
           "it was skipped"});
      continue;
    }
    struct stat status{};
    if (::fstat(::dirfd(open.get()), &status) == 0)
      walk.folders.emplace_back(status.st_dev, status.st_ino);
    errno = 0;
    while (const dirent* entry = ::readdir(open.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      throw_if_stopped(stop);
      std::string found = joined(path, name);
      switch (type_of(*entry, found)) {
        case DT_DIR:
          waiting.push_back(std::move(found));
          break;
        case DT_REG:
          walk.files.add(found);
          if (memory_limit != 0 && walk.files.size() % 4096 == 0 &&
              walk.files.bytes() > memory_limit / 2)
            throw_too_many(folder, walk.files.size(), memory_limit);
          break;
        case DT_LNK:
          ++walk.links;
          break;
        default:
          ++walk.specials;
      }
      errno = 0;
    }
    if (errno) {
      walk.unread.push_back(
          {path,
           Error(ErrorCode::kBadInput, Subject::file(path),
                 fmt::format("the folder cannot be read to its end: {}", system_message(errno))),
           "the rest of it was skipped"});
    }
  }
  walk.files.sort();
  std::ranges::sort(walk.unread, {}, &FolderWalk::Unread::path);
  return walk;
}

}  // namespace benzer
