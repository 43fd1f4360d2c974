// Turns the options of commands on an index into what the library takes. Every function throws
// Error(kInvalidArgument) with a sentence that names the option.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "benzer/index.h"
#include "benzer/input.h"

#include "options.h"

namespace benzer::apps {

// The index is the first input; the others are documents. index_name() is the index as messages
// show it, without a password.
std::string index_name(const Options& options);
Options without_index(const Options& options);

// Whether the input is an index. If so, throws for further inputs and for options about files; if
// not, for options about indexes.
bool names_index(const Options& options);

// Nothing if no option of a schema is given.
std::optional<Schema> given_schema(const Options& options);

// For an index in Redis; throws for options about servers if the index is in a folder. The password
// is in the address, or in the environment variable BENZER_REDIS_PASSWORD, where no list of
// processes shows it.
ServerOptions server_options(const Options& options);

// How an index is opened to write to it.
OpenOptions write_options(const Options& options);
// Open the index of the options. stop: asks a call that takes long to stop, as
// OpenOptions::stop; may be null, else it must outlive the index. Throw what Index::open() throws.
Index open_to_write(const Options& options, const std::atomic<bool>* stop);
Index open_to_read(const Options& options, const std::atomic<bool>* stop);

SimilarOptions similar_options(const Options& options);
SharedPassagesOptions shared_passages_options(const Options& options);
// A question to a whole index, without progress and stop.
WholeIndexOptions whole_index_options(const Options& options);

}  // namespace benzer::apps
