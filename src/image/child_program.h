// The program that decodes images in a child (src/image/child/): the library carries its bytes, so
// there is no file that could be missing, or of another version.
#pragma once

#include "base/file.h"

namespace benzer {

// A file without a name, to be started as /proc/self/fd/N; closed in what is started. Throws
// Error(kUnavailable) if the system has none.
FileHandle child_program();

}  // namespace benzer
