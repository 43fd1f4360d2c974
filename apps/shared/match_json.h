// Formats matches as JSON, the same for the command line and the server.
#pragma once

#include <string>

#include "benzer/index.h"

namespace benzer::apps {

// {"query":...,"id":...,"score":...,"exact":...,"fields":{...}}; without "query" if it is null.
std::string match_json(const Match& match, const std::string* query);
// The same for an explained match, with the explanation. has_text: the query has its fields, so
// that the shared passages can be shown.
std::string explained_json(const Match& match, const std::string* query, const Schema& schema,
                           bool has_text);

}  // namespace benzer::apps

namespace benzer::cli {
using namespace apps;
}
namespace benzer::server {
using namespace apps;
}
