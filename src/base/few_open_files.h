// For tests: lets the process open only a few more files.
#pragma once

#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"

namespace benzer {

class FewOpenFiles {
 public:
  // While the object lives, `more` files can be open besides those that are open now.
  explicit FewOpenFiles(unsigned more) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    // The limit is one for the numbers of files, and the system gives out the smallest free one.
    std::vector<FileHandle> files;
    for (unsigned i = 0; i <= more; ++i) files.emplace_back(::dup(STDERR_FILENO));
    const rlimit few{static_cast<rlim_t>(files.back().get()), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewOpenFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewOpenFiles(const FewOpenFiles&) = delete;
  FewOpenFiles& operator=(const FewOpenFiles&) = delete;

 private:
  rlimit before_{};
};

}  // namespace benzer
