#include "models/redis/lua_sandbox.h"

#include <array>
#include <cstdio>
#include <lua.hpp>
#include <utility>

#include "models/redis/lua_cjson.h"
#include "models/redis/lua_costs.h"
#include "models/redis/lua_loading.h"
#include "models/redis/lua_msgpack.h"
#include "models/redis/lua_pattern.h"
#include "models/redis/lua_run.h"
#include "models/redis/lua_struct.h"
#include "models/redis/lua_values.h"
#include "models/redis/lua_views.h"
#include "models/redis/numbers.h"

extern "C" int luaopen_bit(lua_State* lua);

namespace picklock::redis {
namespace {

// These functions reach the machine or the interpreter's internals.
constexpr std::array kHidden = {"dofile",  "loadfile", "print",  "newproxy",
                                "getfenv", "setfenv",  "module", "require"};

int unknown_global(lua_State* lua) {
  const char* name = lua_tostring(lua, 2);
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'",
                    name == nullptr ? "?" : name);
}

// Redis's own pcall: an error table becomes its bare text (R75).
int protected_call(lua_State* lua) {
  const int count = lua_gettop(lua);
  lua_pushboolean(lua, 1);
  lua_insert(lua, 1);
  if (const int status = lua_pcall(lua, count - 1, LUA_MULTRET, 0); status != 0) {
    ScriptRun::of(lua).pass_on_escaped();
    // Frees the memory that the failed call has used, which the script needs to continue.
    if (status == LUA_ERRMEM) lua_gc(lua, LUA_GCCOLLECT, 0);
    costs::charge_error(lua);
    lua_remove(lua, 1);
    if (lua_istable(lua, -1)) {
      lua_getfield(lua, -1, "err");
      if (lua_isstring(lua, -1) != 0) lua_replace(lua, -2);
    }
    lua_pushboolean(lua, 0);
    lua_insert(lua, 1);
  }
  return lua_gettop(lua);
}

// Pushes a table with weak keys.
void push_weak_table(lua_State* lua) {
  lua_newtable(lua);
  lua_createtable(lua, 0, 1);
  lua_pushliteral(lua, "k");
  lua_setfield(lua, -2, "__mode");
  lua_setmetatable(lua, -2);
}

// Does not show the memory in use, which depends on earlier scripts and on the machine.
int collect_garbage(lua_State* lua) {
  static const char* const kOptions[] = {"stop", "restart",  "collect",    "count",
                                         "step", "setpause", "setstepmul", nullptr};
  const int option = luaL_checkoption(lua, 1, "collect", kOptions);
  luaL_optint(lua, 2, 0);
  lua_pushnumber(lua, option == 3 ? 64 : 0);
  return 1;
}

int gc_info(lua_State* lua) {
  lua_pushinteger(lua, 64);
  return 1;
}

void open_libraries(lua_State* lua) {
  for (const auto& [name, open] : {std::pair<const char*, lua_CFunction>{"", luaopen_base},
                                   {LUA_TABLIBNAME, luaopen_table},
                                   {LUA_STRLIBNAME, luaopen_string},
                                   {LUA_MATHLIBNAME, luaopen_math},
                                   {"bit", luaopen_bit}}) {
    lua_pushcfunction(lua, open);
    lua_pushstring(lua, name);
    lua_call(lua, 1, 0);
  }
}

}  // namespace

struct SandboxFunctions {
  static Sandbox& sandbox(lua_State* lua) {
    return *static_cast<Sandbox*>(lua_touserdata(lua, lua_upvalueindex(1)));
  }

  static int reads(lua_State* lua) {
    views::see_through(lua, 1);
    return costs::original(lua);
  }
  static int writes(lua_State* lua) {
    return views::see_through(lua, 1) ? views::refuse(lua) : costs::original(lua);
  }

  static int pairs(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_getglobal(lua, "next");
    lua_pushvalue(lua, 1);
    lua_pushnil(lua);
    return 3;
  }

  static int metatable_of(lua_State* lua) {
    if (lua_type(lua, 1) == LUA_TSTRING) {
      lua_rawgeti(lua, LUA_REGISTRYINDEX, sandbox(lua).string_metatable_);
      return 1;
    }
    if (!views::see_through(lua, 1)) return costs::original(lua);
    const Sandbox& self = sandbox(lua);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, self.globals_);
    if (lua_rawequal(lua, 1, -1) != 0) {
      lua_rawgeti(lua, LUA_REGISTRYINDEX, self.globals_metatable_);
    } else {
      lua_pushnil(lua);
    }
    return 1;
  }

  // A serial number in place of an address.
  static int text_of(lua_State* lua) {
    luaL_checkany(lua, 1);
    switch (lua_type(lua, 1)) {
      case LUA_TTABLE:
      case LUA_TFUNCTION:
      case LUA_TUSERDATA:
      case LUA_TTHREAD:
        if (luaL_callmeta(lua, 1, "__tostring") != 0) return 1;
        break;
      default:
        return costs::original(lua);
    }
    Sandbox& self = sandbox(lua);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, self.numbered_);
    lua_pushvalue(lua, 1);
    lua_rawget(lua, -2);
    if (lua_isnil(lua, -1)) {
      lua_pop(lua, 1);
      lua_pushvalue(lua, 1);
      lua_pushinteger(lua, static_cast<lua_Integer>(++self.serials_));
      lua_rawset(lua, -3);
      lua_pushinteger(lua, static_cast<lua_Integer>(self.serials_));
    }
    std::array<char, 48> text;
    std::snprintf(text.data(), text.size(), "%s: 0x%012x", luaL_typename(lua, 1),
                  static_cast<unsigned>(lua_tointeger(lua, -1)));
    lua_pushstring(lua, text.data());
    return 1;
  }

  // The library's own function reads a text twice, with strtod: 10 % of a run of fair locks.
  static int to_number(lua_State* lua) {
    double number = 0;
    const bool is_text = lua_gettop(lua) == 1 && lua_type(lua, 1) == LUA_TSTRING;
    if (!is_text || !read_whole(string_at(lua, 1), number)) return costs::original(lua);
    lua_pushnumber(lua, number);
    return 1;
  }

  // --- chance: not reseeded from script to script (R80)
  static std::int32_t next_random(Sandbox& self) {
    self.random_ = (self.random_ * 0x5DEECE66Dull + 0xB) & 0xFFFFFFFFFFFFull;
    return static_cast<std::int32_t>(self.random_ >> 17);
  }
  static lua_Number floor_of(lua_Number number) {
    const auto whole = static_cast<lua_Number>(static_cast<std::int64_t>(number));
    return whole > number ? whole - 1 : whole;
  }
  static int random(lua_State* lua) {
    constexpr std::int32_t kMost = 2147483647;
    const lua_Number share = static_cast<lua_Number>(next_random(sandbox(lua)) % kMost) / kMost;
    switch (lua_gettop(lua)) {
      case 0:
        lua_pushnumber(lua, share);
        return 1;
      case 1: {
        const int high = luaL_checkint(lua, 1);
        luaL_argcheck(lua, 1 <= high, 1, "interval is empty");
        lua_pushnumber(lua, floor_of(share * high) + 1);
        return 1;
      }
      case 2: {
        const int low = luaL_checkint(lua, 1);
        const int high = luaL_checkint(lua, 2);
        luaL_argcheck(lua, low <= high, 2, "interval is empty");
        // In 32-bit integers, as the real server computes: a width that does not fit is negative.
        const auto width = static_cast<std::int32_t>(static_cast<std::uint32_t>(high) -
                                                     static_cast<std::uint32_t>(low) + 1u);
        lua_pushnumber(lua, floor_of(share * width) + low);
        return 1;
      }
      default:
        return luaL_error(lua, "wrong number of arguments");
    }
  }
  static int seed_random(lua_State* lua) {
    const auto seed = static_cast<std::uint32_t>(luaL_checkint(lua, 1));
    sandbox(lua).random_ = (static_cast<std::uint64_t>(seed) << 16) | 0x330E;
    return 0;
  }

  // --- coroutines
  // The function that coroutine.wrap returns: resumes the coroutine and raises its error, with a
  // position. An error handler runs where the error is raised, so an exception that is no error
  // must be passed on before.
  static int resumes_wrapped(lua_State* lua) {
    lua_pushvalue(lua, lua_upvalueindex(3));
    lua_insert(lua, 1);
    const int results = costs::catches(lua);
    if (lua_toboolean(lua, -results) != 0) return results - 1;
    if (lua_isstring(lua, -1) != 0) {
      luaL_where(lua, 1);
      lua_insert(lua, -2);
      lua_concat(lua, 2);
    }
    return lua_error(lua);
  }
  static int wraps(lua_State* lua) {
    costs::original(lua);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_pushcfunction(lua, sandbox(lua).resume_);
    lua_getupvalue(lua, -3, 1);  // the coroutine, in the library's closure
    lua_pushcclosure(lua, resumes_wrapped, 3);
    return 1;
  }

  // --- libraries made by others
  // The library's own function overruns its buffer for the least integer (CVE-2024-31449).
  static int to_hex(lua_State* lua) {
    constexpr lua_Number kLeast = -2147483648.0;
    if (!lua_isnoneornil(lua, 2)) {
      lua_getglobal(lua, "bit");
      lua_getfield(lua, -1, "tobit");
      lua_pushvalue(lua, 2);
      lua_call(lua, 1, 1);
      if (lua_tonumber(lua, -1) == kLeast) {
        lua_pushinteger(lua, -8);
        lua_replace(lua, 2);
      }
      lua_settop(lua, 2);
    }
    return costs::original(lua);
  }

  // Replaces a field of the table on top; the old value is the second upvalue of the new function.
  static void replace(lua_State* lua, Sandbox& sandbox, const char* name, lua_CFunction function) {
    lua_pushlightuserdata(lua, &sandbox);
    lua_getfield(lua, -2, name);
    lua_pushcclosure(lua, function, 2);
    lua_setfield(lua, -2, name);
  }
};

void Sandbox::install(lua_State* lua) {
  const int redis = lua_gettop(lua);
  open_libraries(lua);
  views::prepare(lua);

  lua_pushvalue(lua, LUA_GLOBALSINDEX);
  lua_getfield(lua, -1, "string");
  set_pattern_functions(lua);
  lua_pop(lua, 1);
  push_struct_library(lua);
  lua_setfield(lua, -2, "struct");
  push_msgpack_library(lua);
  lua_setfield(lua, -2, "cmsgpack");
  for (const char* name : kHidden) {
    lua_pushnil(lua);
    lua_setfield(lua, -2, name);
  }
  replace_functions(lua);
  lua_pushvalue(lua, redis);
  lua_setfield(lua, -2, "redis");
  push_cjson(lua);
  lua_setfield(lua, -2, "cjson");
  for (const char* library :
       {"table", "string", "math", "coroutine", "bit", "struct", "cmsgpack", "cjson", "redis"}) {
    lua_getfield(lua, -1, library);
    views::protect(lua);
    lua_setfield(lua, -2, library);
  }
  // Methods of strings come from the view too, because scripts can see their metatable.
  lua_pushliteral(lua, "");
  lua_getmetatable(lua, -1);
  lua_getfield(lua, -3, "string");
  lua_setfield(lua, -2, "__index");
  views::protect(lua);
  string_metatable_ = luaL_ref(lua, LUA_REGISTRYINDEX);
  lua_pop(lua, 1);

  protect_globals(lua);
  // Chunks that scripts load themselves get the interpreter's table of globals.
  lua_replace(lua, LUA_GLOBALSINDEX);
  lua_settop(lua, redis - 1);

  push_weak_table(lua);
  numbered_ = luaL_ref(lua, LUA_REGISTRYINDEX);
}

// Adapts the functions that would see a view's inside, or more than the run.
void Sandbox::replace_functions(lua_State* lua) {
  using Functions = SandboxFunctions;
  for (const auto& [name, function] :
       {std::pair<const char*, lua_CFunction>{"rawget", Functions::reads},
        {"next", Functions::reads},
        {"pairs", Functions::pairs},
        {"rawset", Functions::writes},
        {"setmetatable", Functions::writes},
        {"getmetatable", Functions::metatable_of},
        {"tostring", Functions::text_of},
        {"tonumber", Functions::to_number},
        {"pcall", protected_call},
        {"xpcall", costs::catches},
        {"load", load_pieces},
        {"loadstring", load_text},
        {"unpack", costs::unpacks},
        {"collectgarbage", collect_garbage},
        {"gcinfo", gc_info}}) {
    Functions::replace(lua, *this, name, function);
  }
  lua_getfield(lua, -1, "coroutine");
  lua_getfield(lua, -1, "resume");
  resume_ = lua_tocfunction(lua, -1);
  lua_pop(lua, 2);
  struct Replacement {
    const char* library;
    const char* name;
    lua_CFunction function;
  };
  for (const Replacement& one : {Replacement{"table", "insert", costs::inserts},
                                 {"table", "remove", costs::removes},
                                 {"table", "sort", costs::sorts},
                                 {"table", "concat", costs::walks},
                                 {"table", "foreach", costs::walks},
                                 {"table", "foreachi", costs::walks},
                                 {"table", "maxn", costs::walks},
                                 {"math", "random", Functions::random},
                                 {"math", "randomseed", Functions::seed_random},
                                 {"string", "rep", costs::repeats},
                                 {"string", "format", costs::works_on_texts},
                                 {"string", "upper", costs::works_on_texts},
                                 {"string", "lower", costs::works_on_texts},
                                 {"string", "reverse", costs::works_on_texts},
                                 {"string", "sub", costs::works_on_texts},
                                 {"string", "dump", costs::works_on_texts},
                                 {"struct", "pack", costs::works_on_texts},
                                 {"struct", "unpack", costs::works_on_texts},
                                 {"cmsgpack", "pack", costs::serialises},
                                 {"cmsgpack", "unpack", costs::works_on_texts},
                                 {"cmsgpack", "unpack_one", costs::works_on_texts},
                                 {"cmsgpack", "unpack_limit", costs::works_on_texts},
                                 {"bit", "tohex", Functions::to_hex},
                                 {"coroutine", "resume", costs::catches},
                                 {"coroutine", "wrap", Functions::wraps}}) {
    lua_getfield(lua, -1, one.library);
    Functions::replace(lua, *this, one.name, one.function);
    lua_pop(lua, 1);
  }
}

void Sandbox::protect_globals(lua_State* lua) {
  // Reading falls through to the real globals, whose own metatable complains of what is missing.
  lua_newtable(lua);
  lua_pushcfunction(lua, unknown_global);
  lua_setfield(lua, -2, "__index");
  lua_pushvalue(lua, -1);
  lua_setmetatable(lua, -3);
  views::protect(lua);
  globals_metatable_ = luaL_ref(lua, LUA_REGISTRYINDEX);
  lua_pushvalue(lua, -1);
  globals_ = luaL_ref(lua, LUA_REGISTRYINDEX);
  views::protect(lua);
  push_globals(lua);
  lua_pushvalue(lua, -2);
  lua_setfield(lua, -2, "_G");
  lua_pop(lua, 1);
}

void Sandbox::renew_cjson(lua_State* lua) {
  push_globals(lua);
  push_cjson(lua);
  views::protect(lua);
  lua_setfield(lua, -2, "cjson");
  lua_pop(lua, 1);
}

void Sandbox::begin_script(lua_State* lua) {
  if (serials_ == 0) return;
  serials_ = 0;
  push_weak_table(lua);
  lua_rawseti(lua, LUA_REGISTRYINDEX, numbered_);
}

void Sandbox::push_globals(lua_State* lua) const { lua_rawgeti(lua, LUA_REGISTRYINDEX, globals_); }

}  // namespace picklock::redis
