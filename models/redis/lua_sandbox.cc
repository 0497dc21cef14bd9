#include "models/redis/lua_sandbox.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <lua.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "models/redis/lua_run.h"

namespace picklock::models::redis {
namespace {

// Stack that scripts may take where Lua's limit of 200 nested calls is not enough to stay within
// the 1 MiB a server has: each gsub holds a buffer of 8 KiB, each coroutine counts from zero anew,
// and a pattern recurses once per item.
constexpr std::size_t kStackForCalls = 560 * 1024;
constexpr std::size_t kGsubStack = 9 * 1024;
constexpr std::size_t kCoroutineStack = 180 * 1024;
constexpr std::size_t kLongestPattern = 1000;

constexpr const char* kReadOnly = "Attempt to modify a readonly table";

// They reach the machine, or the interpreter's insides.
constexpr std::array kHidden = {"dofile",  "loadfile", "print",  "newproxy",
                                "getfenv", "setfenv",  "module", "require"};

int unknown_global(lua_State* lua) {
  const char* name = lua_tostring(lua, 2);
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'",
                    name == nullptr ? "?" : name);
}

int read_only(lua_State* lua) { return luaL_error(lua, kReadOnly); }

// Raised where the interpreter of Redis does so itself: without a position.
int refuse(lua_State* lua) {
  lua_pushstring(lua, kReadOnly);
  return lua_error(lua);
}

// Redis's own: a table with an error text comes out as the bare text (R75).
int protected_call(lua_State* lua) {
  const int count = lua_gettop(lua);
  lua_pushboolean(lua, 1);
  lua_insert(lua, 1);
  if (lua_pcall(lua, count - 1, LUA_MULTRET, 0) != 0) {
    ScriptRun::of(lua).pass_on_escaped();
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

// Memory in use depends on scripts before, and on the machine.
int collect_garbage(lua_State* lua) {
  static const char* const kOptions[] = {"stop", "restart",  "collect",    "count",
                                         "step", "setpause", "setstepmul", nullptr};
  const int option = luaL_checkoption(lua, 1, "collect", kOptions);
  lua_pushnumber(lua, option == 3 ? 64 : 0);
  return 1;
}

int gc_info(lua_State* lua) {
  lua_pushinteger(lua, 64);
  return 1;
}

// Source only: the interpreter believes whatever it finds in compiled code.
int load_source(lua_State* lua, std::string_view source, const char* name) {
  if (source.starts_with('\033')) {
    lua_pushnil(lua);
    lua_pushliteral(lua, "attempt to load a binary chunk");
    return 2;
  }
  if (luaL_loadbuffer(lua, source.data(), source.size(), name) == 0) return 1;
  lua_pushnil(lua);
  lua_insert(lua, -2);
  return 2;
}

int load_string(lua_State* lua) {
  std::size_t size = 0;
  const char* source = luaL_checklstring(lua, 1, &size);
  return load_source(lua, {source, size}, luaL_optstring(lua, 2, source));
}

int load_pieces(lua_State* lua) {
  const char* name = luaL_optstring(lua, 2, "=(load)");
  luaL_checktype(lua, 1, LUA_TFUNCTION);
  std::string source;
  for (;;) {
    luaL_checkstack(lua, 2, "too many nested functions");
    lua_pushvalue(lua, 1);
    // What goes wrong in the reader is an answer too.
    const bool read = lua_pcall(lua, 0, 1, 0) == 0;
    if (!read) ScriptRun::of(lua).pass_on_escaped();
    if (read && lua_isnil(lua, -1)) break;
    if (!read || lua_isstring(lua, -1) == 0) {
      if (read) lua_pushliteral(lua, "reader function must return a string");
      lua_pushnil(lua);
      lua_insert(lua, -2);
      return 2;
    }
    std::size_t size = 0;
    const char* piece = lua_tolstring(lua, -1, &size);
    if (size == 0) break;
    source.append(piece, size);
    lua_pop(lua, 1);
  }
  return load_source(lua, source, name);
}

}  // namespace

struct SandboxFunctions {
  static Sandbox& sandbox(lua_State* lua) {
    return *static_cast<Sandbox*>(lua_touserdata(lua, lua_upvalueindex(1)));
  }
  // The library's own function, called in the frame of the one that stands for it.
  static int original(lua_State* lua) { return lua_tocfunction(lua, lua_upvalueindex(2))(lua); }

  // A function that catches errors.
  static int catches(lua_State* lua) {
    const int results = original(lua);
    ScriptRun::of(lua).pass_on_escaped();
    return results;
  }

  // Replaces a view by its table; false: it is none.
  static bool see_through(lua_State* lua, int index) {
    if (!lua_istable(lua, index)) return false;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, sandbox(lua).views_);
    lua_pushvalue(lua, index);
    lua_rawget(lua, -2);
    const bool view = !lua_isnil(lua, -1);
    if (view) lua_replace(lua, index);
    lua_pop(lua, view ? 1 : 2);
    return view;
  }

  static int reads(lua_State* lua) {
    see_through(lua, 1);
    return original(lua);
  }
  static int writes(lua_State* lua) { return see_through(lua, 1) ? refuse(lua) : original(lua); }

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
    if (!see_through(lua, 1)) return original(lua);
    lua_pushnil(lua);
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
        return original(lua);
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
        const lua_Number width = static_cast<lua_Number>(high) - low + 1;
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

  // --- what would outgrow the stack
  class Spent {
   public:
    Spent(lua_State* lua, Sandbox& sandbox, std::size_t stack) : sandbox_(sandbox), stack_(stack) {
      if (sandbox.stack_spent_ + stack > kStackForCalls) luaL_error(lua, "C stack overflow");
      sandbox.stack_spent_ += stack;
    }
    Spent(const Spent&) = delete;
    Spent& operator=(const Spent&) = delete;
    ~Spent() { sandbox_.stack_spent_ -= stack_; }

   private:
    Sandbox& sandbox_;
    std::size_t stack_;
  };

  static void check_pattern(lua_State* lua) {
    std::size_t size = 0;
    if (lua_type(lua, 2) == LUA_TSTRING) lua_tolstring(lua, 2, &size);
    if (size > kLongestPattern) luaL_error(lua, "pattern too complex");
  }
  static int matches(lua_State* lua) {
    check_pattern(lua);
    return original(lua);
  }
  static int substitutes(lua_State* lua) {
    check_pattern(lua);
    const Spent spent(lua, sandbox(lua), kGsubStack);
    return original(lua);
  }
  static int resumes(lua_State* lua) {
    const Spent spent(lua, sandbox(lua), kCoroutineStack);
    return catches(lua);
  }
  // What coroutine.wrap makes: resumes, and raises what the coroutine failed of, with a position. A
  // handler of errors runs where one is raised, so that what is none must be told before.
  static int resumes_wrapped(lua_State* lua) {
    {
      const Spent spent(lua, sandbox(lua), kCoroutineStack);
      lua_pushvalue(lua, lua_upvalueindex(3));
      lua_insert(lua, 1);
      const int results = catches(lua);
      if (lua_toboolean(lua, -results) != 0) return results - 1;
    }
    if (lua_isstring(lua, -1) != 0) {
      luaL_where(lua, 1);
      lua_insert(lua, -2);
      lua_concat(lua, 2);
    }
    return lua_error(lua);
  }
  static int wraps(lua_State* lua) {
    original(lua);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_pushcfunction(lua, sandbox(lua).resume_);
    lua_getupvalue(lua, -3, 1);  // the coroutine, in the library's closure
    lua_pushcclosure(lua, resumes_wrapped, 3);
    return 1;
  }

  // The field of the table on top, replaced; what stood there is its second upvalue.
  static void replace(lua_State* lua, Sandbox& sandbox, const char* name, lua_CFunction function) {
    lua_pushlightuserdata(lua, &sandbox);
    lua_getfield(lua, -2, name);
    lua_pushcclosure(lua, function, 2);
    lua_setfield(lua, -2, name);
  }

  // Replaces the table on top by a view: reading goes through, writing is refused.
  static void protect(lua_State* lua, Sandbox& sandbox) {
    const int table = lua_gettop(lua);
    lua_newtable(lua);
    lua_createtable(lua, 0, 3);
    lua_pushvalue(lua, table);
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, read_only);
    lua_setfield(lua, -2, "__newindex");
    lua_setmetatable(lua, -2);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, sandbox.views_);
    lua_pushvalue(lua, -2);
    lua_pushvalue(lua, table);
    lua_rawset(lua, -3);
    lua_pop(lua, 1);
    lua_remove(lua, table);
  }
};

void Sandbox::install(lua_State* lua) {
  using Functions = SandboxFunctions;
  const int redis = lua_gettop(lua);
  for (const auto& [name, open] : {std::pair<const char*, lua_CFunction>{"", luaopen_base},
                                   {LUA_TABLIBNAME, luaopen_table},
                                   {LUA_STRLIBNAME, luaopen_string},
                                   {LUA_MATHLIBNAME, luaopen_math}}) {
    lua_pushcfunction(lua, open);
    lua_pushstring(lua, name);
    lua_call(lua, 1, 0);
  }
  lua_newtable(lua);
  views_ = luaL_ref(lua, LUA_REGISTRYINDEX);

  lua_pushvalue(lua, LUA_GLOBALSINDEX);
  for (const char* name : kHidden) {
    lua_pushnil(lua);
    lua_setfield(lua, -2, name);
  }
  for (const auto& [name, function] :
       {std::pair<const char*, lua_CFunction>{"rawget", Functions::reads},
        {"next", Functions::reads},
        {"pairs", Functions::pairs},
        {"rawset", Functions::writes},
        {"setmetatable", Functions::writes},
        {"getmetatable", Functions::metatable_of},
        {"tostring", Functions::text_of},
        {"pcall", protected_call},
        {"xpcall", Functions::catches},
        {"load", load_pieces},
        {"loadstring", load_string},
        {"collectgarbage", collect_garbage},
        {"gcinfo", gc_info}}) {
    Functions::replace(lua, *this, name, function);
  }
  struct Replacement {
    const char* library;
    const char* name;
    lua_CFunction function;
  };
  lua_getfield(lua, -1, "coroutine");
  lua_getfield(lua, -1, "resume");
  resume_ = lua_tocfunction(lua, -1);
  lua_pop(lua, 2);
  for (const Replacement& one : {Replacement{"table", "insert", Functions::writes},
                                 {"table", "foreach", Functions::reads},
                                 {"math", "random", Functions::random},
                                 {"math", "randomseed", Functions::seed_random},
                                 {"string", "find", Functions::matches},
                                 {"string", "match", Functions::matches},
                                 {"string", "gmatch", Functions::matches},
                                 {"string", "gfind", Functions::matches},
                                 {"string", "gsub", Functions::substitutes},
                                 {"coroutine", "resume", Functions::resumes},
                                 {"coroutine", "wrap", Functions::wraps}}) {
    lua_getfield(lua, -1, one.library);
    Functions::replace(lua, *this, one.name, one.function);
    lua_pop(lua, 1);
  }
  lua_pushvalue(lua, redis);
  lua_setfield(lua, -2, "redis");
  for (const char* library : {"table", "string", "math", "coroutine", "redis"}) {
    lua_getfield(lua, -1, library);
    Functions::protect(lua, *this);
    lua_setfield(lua, -2, library);
  }
  // Methods of strings come from the view too, for their metatable can be seen.
  lua_pushliteral(lua, "");
  lua_getmetatable(lua, -1);
  lua_getfield(lua, -3, "string");
  lua_setfield(lua, -2, "__index");
  Functions::protect(lua, *this);
  string_metatable_ = luaL_ref(lua, LUA_REGISTRYINDEX);
  lua_pop(lua, 1);

  // Reading falls through to the real globals, whose own metatable complains of what is missing.
  lua_newtable(lua);
  lua_pushcfunction(lua, unknown_global);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, -2);
  lua_pushvalue(lua, -1);
  globals_ = luaL_ref(lua, LUA_REGISTRYINDEX);
  Functions::protect(lua, *this);
  push_globals(lua);
  lua_pushvalue(lua, -2);
  lua_setfield(lua, -2, "_G");
  lua_pop(lua, 1);
  // Chunks that scripts load themselves get what the interpreter holds for globals.
  lua_replace(lua, LUA_GLOBALSINDEX);
  lua_settop(lua, redis - 1);

  lua_newtable(lua);
  numbered_ = luaL_ref(lua, LUA_REGISTRYINDEX);
}

void Sandbox::begin_script(lua_State* lua) {
  stack_spent_ = 0;
  if (serials_ == 0) return;
  serials_ = 0;
  lua_newtable(lua);
  lua_rawseti(lua, LUA_REGISTRYINDEX, numbered_);
}

void Sandbox::push_globals(lua_State* lua) const { lua_rawgeti(lua, LUA_REGISTRYINDEX, globals_); }

}  // namespace picklock::models::redis
