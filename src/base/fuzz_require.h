// Aborts a fuzz target when a condition that must hold does not.
#pragma once

#include <cstdlib>
#include <string_view>

#include "benzer/error.h"

namespace benzer {

inline void require(bool condition) {
  if (!condition) std::abort();
}

// Parses any text, which must be read or refused with Error(kInvalidArgument), and checks that the
// spelling of what is read parses to the same.
template <class Parse>
void require_round_trip(std::string_view text, Parse parse) {
  try {
    const auto value = parse(text);
    require(parse(value.str()) == value);
  } catch (const Error& error) {
    require(error.code() == ErrorCode::kInvalidArgument);
    const std::string_view sentence = error.what();
    // The program prints it after "benzer: ".
    require(!sentence.empty() && !sentence.ends_with('.'));
  }
}

}  // namespace benzer
