// 128-bit integers for exact products of 64-bit ones: a compiler extension that g++ and clang++
// share.
#pragma once

namespace picklock::sim {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

}  // namespace picklock::sim
