#include "descriptors.h"

#include <cerrno>
#include <initializer_list>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace benzer::cli {

// The system gives a closed descriptor to the next file that is opened. If that were an output
// file, messages for standard error would be written into it.
void occupy_closed_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // Opened in the opposite direction, so that using it fails with EBADF, as with a closed one,
    // and no results vanish. open() takes the lowest free number, which is this one.
    const int wrong_way = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    // Without /dev, the root folder serves: it can be neither read nor written as a file.
    if (::open("/dev/null", wrong_way) < 0 && ::open("/", O_RDONLY) < 0) _exit(70);
  }
}

void allow_many_files() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max) return;
  files.rlim_cur = files.rlim_max;
  // A failure is ignored: most runs need no more than the default limit.
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &files));
}

}  // namespace benzer::cli
