// The library `redis` that scripts find: calling commands, making replies, and the few settings
// that 7.0 has (R74-R78).
#pragma once

struct lua_State;

namespace picklock::redis {

void push_redis_library(lua_State* lua);

}  // namespace picklock::redis
