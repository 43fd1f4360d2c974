// From the options of commands on a store to what the library takes. Every function throws
// Error(kInvalidArgument) with a sentence that names the option.
#pragma once

#include "benzer/index.h"
#include "benzer/input.h"

#include "../shared/match_json.h"
#include "options.h"

namespace benzer::cli {

// The store is the first input; the others are documents. As messages show it: without a password.
std::string store_name(const Options& options);
Options without_store(const Options& options);

// Is the input a store? Then it must be the only one, and options about files are refused; if not,
// those about stores are.
bool names_store(const Options& options);

// Nothing if no option of a schema is given.
std::optional<Schema> given_schema(const Options& options);

// Of a store in Redis. The password is that of the address, or of the environment
// (BENZER_REDIS_PASSWORD), where no list of processes shows it.
ServerOptions server_options(const Options& options);

// Throws Error(kInvalidArgument) for an index that keeps its documents, if these would no
// longer be those of the store: only benzer serve changes both.
void check_keeps_nothing(const Options& options);
Index open_to_write(const Options& options);
Index open_to_read(const Options& options);
// After all was written. Says so where work in the background fails: what was written is stored,
// and the command has done what it was asked to.
void close_store(Index& index, const Options& options);
SimilarOptions similar_options(const Options& options);

// For reading documents as a schema has them.
std::vector<InputField> input_fields(const Schema& schema);

}  // namespace benzer::cli
