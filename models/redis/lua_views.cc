#include "models/redis/lua_views.h"

#include <lua.hpp>

namespace picklock::redis::views {
namespace {

constexpr const char* kReadOnlyTable = "Attempt to modify a readonly table";

int read_only(lua_State* lua) { return luaL_error(lua, kReadOnlyTable); }

// View -> table, in the registry.
constexpr const char* kViews = "picklock.views";
void push_views(lua_State* lua) { lua_getfield(lua, LUA_REGISTRYINDEX, kViews); }

// Libraries that read a table's own fields must not get a view. The search for views stops at
// this depth and at this number of tables.
constexpr int kDeepestView = 20;
constexpr int kMostTables = 10'000;
bool holds_view(lua_State* lua, int table, int depth, int& left) {
  if (depth == kDeepestView || --left < 0 || lua_checkstack(lua, 6) == 0) return false;
  lua_pushvalue(lua, table);
  const bool view = see_through(lua, lua_gettop(lua));
  lua_pop(lua, 1);
  if (view) return true;
  for (lua_pushnil(lua); lua_next(lua, table) != 0; lua_pop(lua, 1)) {
    if (!lua_istable(lua, -1) || !holds_view(lua, lua_gettop(lua), depth + 1, left)) continue;
    lua_pop(lua, 2);
    return true;
  }
  return false;
}

// Pushes a copy in which views are replaced by their tables.
void push_without_views(lua_State* lua, int table, int depth, int& left) {
  lua_checkstack(lua, 6);
  lua_pushvalue(lua, table);
  const int from = lua_gettop(lua);
  see_through(lua, from);
  lua_newtable(lua);
  for (lua_pushnil(lua); lua_next(lua, from) != 0; lua_pop(lua, 1)) {
    lua_pushvalue(lua, -2);
    if (lua_istable(lua, -2) && depth < kDeepestView && --left > 0) {
      push_without_views(lua, lua_gettop(lua) - 1, depth + 1, left);
    } else {
      lua_pushvalue(lua, -2);
    }
    lua_rawset(lua, from + 1);
  }
  lua_remove(lua, from);
}

}  // namespace

void prepare(lua_State* lua) {
  lua_newtable(lua);
  lua_setfield(lua, LUA_REGISTRYINDEX, kViews);
}

void protect(lua_State* lua) {
  const int table = lua_gettop(lua);
  lua_newtable(lua);
  lua_createtable(lua, 0, 3);
  lua_pushvalue(lua, table);
  lua_setfield(lua, -2, "__index");
  lua_pushcfunction(lua, read_only);
  lua_setfield(lua, -2, "__newindex");
  lua_setmetatable(lua, -2);
  push_views(lua);
  lua_pushvalue(lua, -2);
  lua_pushvalue(lua, table);
  lua_rawset(lua, -3);
  lua_pop(lua, 1);
  lua_remove(lua, table);
}

bool see_through(lua_State* lua, int index) {
  if (!lua_istable(lua, index)) return false;
  push_views(lua);
  lua_pushvalue(lua, index);
  lua_rawget(lua, -2);
  const bool view = !lua_isnil(lua, -1);
  if (view) lua_replace(lua, index);
  lua_pop(lua, view ? 1 : 2);
  return view;
}

void strip_arguments(lua_State* lua) {
  for (int i = 1; i <= lua_gettop(lua); ++i) {
    int left = kMostTables;
    if (!lua_istable(lua, i) || !holds_view(lua, i, 0, left)) continue;
    left = kMostTables;
    push_without_views(lua, i, 0, left);
    lua_replace(lua, i);
  }
}

int refuse(lua_State* lua) {
  lua_pushstring(lua, kReadOnlyTable);
  return lua_error(lua);
}

}  // namespace picklock::redis::views
