// Names the file, in the folder of an index, that stores the documents as clients sent them.
#pragma once

namespace benzer::apps {

inline constexpr const char* kKeptFile = "/documents.sqlite";

}  // namespace benzer::apps
