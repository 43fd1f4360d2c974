// Standard input, output and error, whatever the caller left of them.
#pragma once

namespace benzer::cli {

// Opens something on each of the descriptors 0, 1 and 2 that is closed. To be called before any
// file is opened.
void occupy_closed_descriptors();

}  // namespace benzer::cli
