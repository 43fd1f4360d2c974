// Holds the lists of stop words: one for each language that can be stemmed.
//
// They were written for Benzer. A list has function words: articles, pronouns, prepositions,
// conjunctions, auxiliary verbs, particles. Where a language has two spellings, such as Serbian, a
// list has both.
#pragma once

#include <span>
#include <string_view>

namespace benzer::internal {

struct StopList {
  std::string_view language;  // its code in ISO 639-1, such as "en"
  // The words, separated by blanks, in their usual spelling. Words that the rules split are listed
  // as their parts (don't: don t). A changed word gives the list another mark (rules_mark.h), so
  // that indexes made with the list as it was are refused.
  const char* words;
};

// Returns the lists in the order of their codes.
std::span<const StopList> stop_lists() noexcept;

}  // namespace benzer::internal
