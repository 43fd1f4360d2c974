// Formats a decision as JSON.
#pragma once

#include <string>

#include "benzer/index.h"

#include "../shared/json.h"

namespace benzer::server {

// The moment is in the tag because another index of the same name gives the same numbers again.
inline std::string etag_of(const Decision& decision) {
  std::string out = '"' + std::to_string(decision.id) + '.' + std::to_string(decision.version);
  out += '.';
  for (const char c : decision.at)
    if (c >= '0' && c <= '9') out += c;
  return out + '"';
}

inline std::string decision_json(const Decision& decision) {
  JsonArray members;
  for (const std::string& member : decision.members) members.raw(json_string(member));
  JsonObject out;
  out.add("id", std::to_string(decision.id)).add("etag", etag_of(decision));
  out.raw("members", members.str()).add_or_null("keeper", decision.keeper);
  out.add("not_duplicates", decision.not_duplicates).add("note", decision.note);
  return out.add("at", decision.at).str();
}

}  // namespace benzer::server
