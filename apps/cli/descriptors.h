// Prepares file descriptors, whichever of them the caller of the program has closed.
#pragma once

namespace benzer::cli {

// Opens something on each of the descriptors 0, 1 and 2 that is closed. To be called before any
// file is opened.
void occupy_closed_descriptors();

// Raises the limit of open files to what the system allows. The default is small because of
// programs that call select(), which this one does not.
void allow_many_files();

}  // namespace benzer::cli
