// What compiled code does, as told by its bytes: those of Lua 5.1, which nothing else shows.
#pragma once

struct lua_State;

namespace picklock::redis {

// Whether the function on top of the stack, or one inside it, assigns to a global. In doubt it
// does.
bool sets_globals(lua_State* lua);

}  // namespace picklock::redis
