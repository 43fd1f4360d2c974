// Makes the folder of --out.
#pragma once

#include <string>

namespace benzer::cli {

// Makes the folder, and those that it is in, unless they are there. Throws Error(kStorageFailed) if
// it cannot be made.
void make_output_folder(const std::string& folder);

}  // namespace benzer::cli
