// Inspects the bytecode of Lua 5.1, because no function of the interpreter tells what a function
// does.
#pragma once

struct lua_State;

namespace picklock::redis {

// Whether the function on top of the stack, or one inside it, assigns to a global. In doubt: true.
bool sets_globals(lua_State* lua);

}  // namespace picklock::redis
