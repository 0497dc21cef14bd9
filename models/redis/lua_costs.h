// Library functions that work on much at once, and what they cost: the interpreter counts
// instructions, and such a call would be one of them (R79). Each of these functions stands in place
// of the library's own, which is its second upvalue.
#pragma once

#include <cstddef>

struct lua_State;

namespace picklock::redis::costs {

void charge(lua_State* lua, std::size_t instructions);
// A call that failed, and the compilation of a chunk.
void charge_error(lua_State* lua);
void charge_load(lua_State* lua);

// Calls the library's own function in the frame of its replacement.
int original(lua_State* lua);

// A function that catches errors, whose first result is whether there was none.
int catches(lua_State* lua);
int works_on_texts(lua_State* lua);
int serialises(lua_State* lua);
int repeats(lua_State* lua);
int walks(lua_State* lua);
int sorts(lua_State* lua);
int inserts(lua_State* lua);
int removes(lua_State* lua);
int unpacks(lua_State* lua);

// The cost of bytes that are copied or examined one by one, from this argument on.
std::size_t of_texts(lua_State* lua, int first);

}  // namespace picklock::redis::costs
