// Where a collection keeps the documents that were sent to it: a file in the folder of its index.
#pragma once

namespace benzer::apps {

inline constexpr const char* kKeptFile = "/documents.sqlite";

}  // namespace benzer::apps
