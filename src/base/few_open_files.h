// For tests: a process that may open few files more.
#pragma once

#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"

namespace benzer {

class FewOpenFiles {
 public:
  // While it lives, so many more can be open than are now.
  explicit FewOpenFiles(unsigned more) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    // The limit is one for numbers, and free ones are given out from the smallest.
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
