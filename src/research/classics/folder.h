// Reads the files of a folder into memory.
#pragma once

#include <string>
#include <vector>

#include "benzer/research/classics/course.h"

namespace benzer::classics {

// Returns every regular file of the folder, sorted by the bytes of its name. Subfolders and other
// entries are skipped. Throws Error(kNotFound) if the folder does not exist, and Error(kBadInput)
// if it or a file cannot be read.
std::vector<course::NamedText> read_folder(const std::string& folder);

}  // namespace benzer::classics
