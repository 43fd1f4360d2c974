// 128-bit integers, for products of 64-bit ones that must not overflow.
#pragma once

namespace benzer {

__extension__ typedef unsigned __int128 Uint128;  // __extension__: not in ISO C++

}  // namespace benzer
