// Documents that were found, as JSON: the same from the command line and from the server.
#pragma once

#include <string>

#include "benzer/index.h"

namespace benzer::apps {

// {"query":...,"id":...,"score":...,"exact":...,"fields":{...}}; no query: without that.
std::string match_json(const Match& match, const std::string* query);
// Of one that is explained: also why. has_text: the query came with its fields, so that what is
// shared can be shown.
std::string explained_json(const Match& match, const std::string* query, const Schema& schema,
                           bool has_text);

}  // namespace benzer::apps

// Both programs write it.
namespace benzer::cli {
using namespace apps;
}
namespace benzer::server {
using namespace apps;
}
