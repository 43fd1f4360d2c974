// Calls C libraries that report errors by longjmp. No object with a destructor may be created
// inside such a call, so calls are small and objects are declared outside.
#pragma once

#include <csetjmp>

namespace benzer {

// Returns false if the call ended by a jump to `where`.
template <class Call>
bool completes(std::jmp_buf& where, const Call& call) {
  if (setjmp(where) != 0) return false;
  call();
  return true;
}

}  // namespace benzer
