// Provides the documents of 'benzer demo' where the user names none.
#pragma once

#include <cstddef>
#include <string>

namespace benzer::cli {

struct DemoCollection {
  std::string about;  // sentences for people that say what the documents are
  std::size_t documents = 0;
  std::string lines;  // a JSON object {"id","text"} for each document
};

// Collects the copyright and licence files that this machine has. If it has fewer than 20, the
// result is made_up_collection().
DemoCollection machine_collection();

// Makes up 200 short notices, some of which are edited copies of others; always the same ones.
DemoCollection made_up_collection();

}  // namespace benzer::cli
