// Turns the options of commands on an index into what the library takes. Every function throws
// Error(kInvalidArgument) with a sentence that names the option.
#pragma once

#include "benzer/index.h"
#include "benzer/input.h"

#include "../shared/match_json.h"
#include "options.h"

namespace benzer::cli {

// The index is the first input; the others are documents. index_name() is the index as messages
// show it, without a password.
std::string index_name(const Options& options);
Options without_index(const Options& options);

// Whether the input is an index. If so, throws for further inputs and for options about files; if
// not, for options about indexes.
bool names_index(const Options& options);

// Nothing if no option of a schema is given.
std::optional<Schema> given_schema(const Options& options);

// For an index in Redis. The password is in the address, or in the environment variable
// BENZER_REDIS_PASSWORD, where no list of processes shows it.
ServerOptions server_options(const Options& options);

// Throws Error(kInvalidArgument) if the index keeps copies of its documents, because only benzer
// serve keeps these up to date.
void check_keeps_nothing(const Options& options);
// How an index is opened to write to it.
OpenOptions write_options(const Options& options);
Index open_to_write(const Options& options);
Index open_to_read(const Options& options);
// Closes the index after everything was written. Background work that fails is only a note,
// because what was written is stored and the command has done its work.
// Says on standard error that the index lacks this document.
void tell_missing(const std::string& id, const Options& options);
void close_index(Index& index, const Options& options);
SimilarOptions similar_options(const Options& options);

}  // namespace benzer::cli
