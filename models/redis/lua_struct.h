// The library `struct` that Redis gives its scripts: values to bytes and back by a format such as
// `>I4c0!4d`. Debian has no package of it.
#pragma once

struct lua_State;

namespace picklock::redis {

void push_struct_library(lua_State* lua);

}  // namespace picklock::redis
