// Makes paths absolute, so that they name the same files after chdir(), and keeps how they were
// given, for messages.
#pragma once

#include <string>

namespace benzer {

// Returns an absolute path of the file; an empty or an absolute path as it is. Error shows such a
// path, and one that begins with it, as it was given. Throws Error(kStorageFailed) if the working
// directory is not known, and Error(kInvalidArgument) for a path with a byte that is zero.
std::string absolute_path(const std::string& path);

// Returns the path as it was given to absolute_path(); any other path as it is.
std::string given_path(const std::string& path);

}  // namespace benzer
