// File descriptors, whatever the caller left of them.
#pragma once

namespace benzer::cli {

// Opens something on each of the descriptors 0, 1 and 2 that is closed. To be called before any
// file is opened.
void occupy_closed_descriptors();

// Raises the number of files that may be open to what the system allows. The usual one is small for
// the sake of programs that call select(), which this one does not.
void allow_many_files();

}  // namespace benzer::cli
