// Defines a 128-bit integer for products of 64-bit integers that must not overflow.
#pragma once

namespace benzer {

__extension__ typedef unsigned __int128 Uint128;  // __extension__: not in ISO C++

}  // namespace benzer
