// The library `redis` of scripts: functions to call commands and make replies, and the few settings
// of 7.0 (R74-R78).
#pragma once

struct lua_State;

namespace picklock::redis {

void push_redis_library(lua_State* lua);

}  // namespace picklock::redis
