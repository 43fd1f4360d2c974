// Why a document of an index is similar to another one, for people (shared/match_json.h: for
// programs).
#pragma once

#include <string>

#include "benzer/index.h"

namespace benzer::cli {

// has_text: the query came with its fields, so that what is shared can be shown.
std::string explained_text(const Match& match, const std::string& query, const Schema& schema,
                           bool has_text);

}  // namespace benzer::cli
