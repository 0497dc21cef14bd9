#include "models/redis/lua_loading.h"

#include <lua.hpp>
#include <string>

#include "models/redis/lua_costs.h"
#include "models/redis/lua_run.h"

namespace picklock::redis {
namespace {

// A blank before compiled code makes it invalid source.
constexpr char kCompiled = '\033';

int loaded(lua_State* lua, int status) {
  ScriptRun::of(lua).pass_on_escaped();
  costs::charge_load(lua);
  if (status == 0) return 1;
  lua_pushnil(lua);
  lua_insert(lua, -2);
  return 2;
}

int load_string(lua_State* lua) {
  std::size_t size = 0;
  const char* source = luaL_checklstring(lua, 1, &size);
  const char* name = luaL_optstring(lua, 2, source);
  if (size == 0 || *source != kCompiled)
    return loaded(lua, luaL_loadbuffer(lua, source, size, name));
  const std::string harmless = ' ' + std::string(source, size);
  return loaded(lua, luaL_loadbuffer(lua, harmless.data(), harmless.size(), name));
}

struct Pieces {
  bool begun = false;
  bool kept = false;  // the piece in slot 3 is yet to be read
};

const char* next_piece(lua_State* lua, void* pieces, std::size_t* size) {
  auto& state = *static_cast<Pieces*>(pieces);
  if (!state.kept) {
    luaL_checkstack(lua, 2, "too many nested functions");
    lua_pushvalue(lua, 1);
    lua_call(lua, 0, 1);
    if (lua_isnil(lua, -1)) return nullptr;
    if (lua_isstring(lua, -1) == 0) luaL_error(lua, "reader function must return a string");
    lua_replace(lua, 3);
  }
  const char* piece = lua_tolstring(lua, 3, size);
  state.kept = !state.begun && *size > 0 && *piece == kCompiled;
  state.begun = true;
  if (!state.kept) return piece;
  *size = 1;
  return " ";
}

}  // namespace

int load_text(lua_State* lua) {
  costs::charge(lua, costs::of_texts(lua, 1));
  return load_string(lua);
}

int load_pieces(lua_State* lua) {
  const char* name = luaL_optstring(lua, 2, "=(load)");
  luaL_checktype(lua, 1, LUA_TFUNCTION);
  lua_settop(lua, 3);
  Pieces pieces;
  return loaded(lua, lua_load(lua, next_piece, &pieces, name));
}

}  // namespace picklock::redis
