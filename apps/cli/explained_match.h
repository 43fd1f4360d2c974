// Explains to people why a document of an index is similar to another one (shared/match_json.h
// does so for programs).
#pragma once

#include <string>

#include "benzer/index.h"

namespace benzer::cli {

// has_text: the query has its fields, so that the shared passages can be shown.
std::string explained_text(const Match& match, const std::string& query, const Schema& schema,
                           bool has_text);

}  // namespace benzer::cli
