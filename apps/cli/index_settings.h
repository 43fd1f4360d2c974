// From the options of commands on an index to what the library takes. Every function throws
// Error(kInvalidArgument) with a sentence that names the option.
#pragma once

#include "benzer/index.h"
#include "benzer/input.h"

#include "../shared/match_json.h"
#include "options.h"

namespace benzer::cli {

// The index is the first input; the others are documents. As messages show it: without a password.
std::string index_name(const Options& options);
Options without_index(const Options& options);

// Is the input an index? Then it must be the only one, and options about files are refused; if not,
// those about indexes are.
bool names_index(const Options& options);

// Nothing if no option of a schema is given.
std::optional<Schema> given_schema(const Options& options);

// Of an index in Redis. The password is that of the address, or of the environment
// (BENZER_REDIS_PASSWORD), where no list of processes shows it.
ServerOptions server_options(const Options& options);

// Throws Error(kInvalidArgument) for an index that keeps its documents, if these would no
// longer be those of the index: only benzer serve changes both.
void check_keeps_nothing(const Options& options);
Index open_to_write(const Options& options);
Index open_to_read(const Options& options);
// After all was written. Says so where work in the background fails: what was written is stored,
// and the command has done what it was asked to.
void close_index(Index& index, const Options& options);
SimilarOptions similar_options(const Options& options);

// For reading documents as a schema has them.
std::vector<InputField> input_fields(const Schema& schema);

}  // namespace benzer::cli
