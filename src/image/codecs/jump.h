// Calls into libraries of C that report errors by a jump. No object with a destructor may live in
// between: the calls are small, and what they need is outside.
#pragma once

#include <csetjmp>

namespace benzer {

// False: the call ended by a jump to `where`.
template <class Call>
bool completes(std::jmp_buf& where, const Call& call) {
  if (setjmp(where) != 0) return false;
  call();
  return true;
}

}  // namespace benzer
