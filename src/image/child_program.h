// Provides the program that decodes images in a child (src/image/child/). The library contains its
// bytes, so no file can be missing, or of another version.
#pragma once

#include "base/file.h"

namespace benzer {

// The program as a memory file, to be started as /proc/self/fd/N; it is closed in the process that
// is started. Throws Error(kUnavailable) if the system has no such files.
FileHandle child_program();

}  // namespace benzer
