// Pattern matching of Lua 5.1: string.find, match, gmatch and gsub. The library's own functions
// cannot be interrupted, and a pattern can keep them busy for ever. These charge virtual time for
// their steps.
#pragma once

struct lua_State;

namespace picklock::redis {

// Replaces these functions in the table on top of the stack.
void set_pattern_functions(lua_State* lua);

}  // namespace picklock::redis
