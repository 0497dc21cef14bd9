// Pattern matching of Lua 5.1: string.find, match, gmatch and gsub. The library's own cannot be
// interrupted, and a pattern can keep it busy for longer than anybody waits: this one takes the
// time that its steps take.
#pragma once

struct lua_State;

namespace picklock::redis {

// Replaces them in the table on top of the stack.
void set_pattern_functions(lua_State* lua);

}  // namespace picklock::redis
