// Prints what happens to an index beside the result of its command.
#pragma once

#include <string>

#include "benzer/index.h"

#include "../shared/options.h"

namespace benzer::cli {

// Says on standard error that the index lacks this document.
void tell_missing(const std::string& id, const Options& options);

// Closes the index after everything was written. Background work that fails is only a note,
// because what was written is stored and the command has done its work.
void close_index(Index& index, const Options& options);

}  // namespace benzer::cli
