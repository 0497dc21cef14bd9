// The library cjson for scripts: its functions are charged for their work, and a run knows that a
// script has configured it.
#pragma once

struct lua_State;

namespace picklock::redis {

// Opens a new library with its settings as they are at first, and pushes it.
void push_cjson(lua_State* lua);

}  // namespace picklock::redis
