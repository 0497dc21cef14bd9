// The library `cmsgpack` that Redis gives its scripts: values to MessagePack and back. Debian's
// lua-messagepack is another one, with functions and choices of its own.
#pragma once

struct lua_State;

namespace picklock::redis {

void push_msgpack_library(lua_State* lua);

}  // namespace picklock::redis
