// For tests: returns the error that a call throws.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "benzer/error.h"

namespace benzer {

// The test fails if the call throws no Error.
template <class Call>
Error error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorCode::kInterrupted, ""};
}

// The sentence of an error, which must have this code.
template <class Call>
std::string error_sentence(ErrorCode code, Call&& call) {
  const Error error = error_of(call);
  EXPECT_EQ(error.code(), code) << error.what();
  return error.what();
}

}  // namespace benzer
