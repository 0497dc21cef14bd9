#include "models/redis/lua_cjson.h"

#include <lua.hpp>

#include "models/redis/lua_costs.h"
#include "models/redis/lua_run.h"

extern "C" int luaopen_cjson(lua_State* lua);

namespace picklock::redis {
namespace {

int makes_cjson(lua_State* lua);

// Its functions find their settings in their only upvalue.
void wrap_cjson(lua_State* lua, const char* name, lua_CFunction function) {
  lua_getfield(lua, -1, name);
  lua_getupvalue(lua, -1, 1);
  lua_insert(lua, -2);
  lua_pushcclosure(lua, function, 2);
  lua_setfield(lua, -2, name);
}

void wrap_cjson(lua_State* lua) {
  wrap_cjson(lua, "encode", costs::serialises);
  wrap_cjson(lua, "decode", costs::works_on_texts);
  wrap_cjson(lua, "new", makes_cjson);
}

int makes_cjson(lua_State* lua) {
  costs::original(lua);
  wrap_cjson(lua);
  return 1;
}

int configures_cjson(lua_State* lua) {
  ScriptRun::of(lua).cjson_configured = true;
  return costs::original(lua);
}

}  // namespace

void push_cjson(lua_State* lua) {
  lua_pushcfunction(lua, luaopen_cjson);
  lua_call(lua, 0, 1);
  wrap_cjson(lua);
  for (const char* setting :
       {"encode_sparse_array", "encode_max_depth", "decode_max_depth", "encode_number_precision",
        "encode_keep_buffer", "encode_invalid_numbers", "decode_invalid_numbers"}) {
    wrap_cjson(lua, setting, configures_cjson);
  }
}

}  // namespace picklock::redis
