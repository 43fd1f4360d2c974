// The files of a folder, read whole.
#pragma once

#include <string>
#include <vector>

#include "benzer/research/classics/course.h"

namespace benzer::classics {

// Every regular file in the folder, by name (by bytes); folders in it and other things are passed
// over. Throws Error(kNotFound) if it does not exist, Error(kBadInput) if it or a file cannot be
// read.
std::vector<course::NamedText> read_folder(const std::string& folder);

}  // namespace benzer::classics
