#include "models/redis/lua_sandbox.h"

#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <lua.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "models/redis/lua_msgpack.h"
#include "models/redis/lua_pattern.h"
#include "models/redis/lua_run.h"
#include "models/redis/lua_struct.h"

extern "C" {
int luaopen_bit(lua_State* lua);
int luaopen_cjson(lua_State* lua);
}

namespace picklock::redis {
namespace {

constexpr const char* kReadOnlyTable = "Attempt to modify a readonly table";

// These functions reach the machine or the interpreter's internals.
constexpr std::array kHidden = {"dofile",  "loadfile", "print",  "newproxy",
                                "getfenv", "setfenv",  "module", "require"};

int unknown_global(lua_State* lua) {
  const char* name = lua_tostring(lua, 2);
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'",
                    name == nullptr ? "?" : name);
}

int read_only(lua_State* lua) { return luaL_error(lua, kReadOnlyTable); }

// The cost in instructions of work that the interpreter does not count.
constexpr std::size_t kCallWork = 5;
constexpr std::size_t kCoroutineWork = 20;
constexpr std::size_t kErrorWork = 40;
constexpr std::size_t kLoadWork = 100;
constexpr std::size_t kBytesAnInstruction = 16;

// Raises the error without a position, as the interpreter of Redis does.
int refuse(lua_State* lua) {
  lua_pushstring(lua, kReadOnlyTable);
  return lua_error(lua);
}

// Redis's own pcall: an error table becomes its bare text (R75).
int protected_call(lua_State* lua) {
  const int count = lua_gettop(lua);
  lua_pushboolean(lua, 1);
  lua_insert(lua, 1);
  if (const int status = lua_pcall(lua, count - 1, LUA_MULTRET, 0); status != 0) {
    ScriptRun& run = ScriptRun::of(lua);
    run.pass_on_escaped();
    // Frees the memory that the failed call has used, which the script needs to continue.
    if (status == LUA_ERRMEM) lua_gc(lua, LUA_GCCOLLECT, 0);
    run.charge(lua, kErrorWork);
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

// Only source may be loaded, because the interpreter does not check compiled code. A blank before
// compiled code makes it invalid source.
constexpr char kCompiled = '\033';

int loaded(lua_State* lua, int status) {
  ScriptRun& run = ScriptRun::of(lua);
  run.pass_on_escaped();
  run.charge(lua, kLoadWork);
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

int load_pieces(lua_State* lua) {
  const char* name = luaL_optstring(lua, 2, "=(load)");
  luaL_checktype(lua, 1, LUA_TFUNCTION);
  lua_settop(lua, 3);
  Pieces pieces;
  return loaded(lua, lua_load(lua, next_piece, &pieces, name));
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
  // Calls the library's own function in the frame of its replacement.
  static int original(lua_State* lua) { return lua_tocfunction(lua, lua_upvalueindex(2))(lua); }

  // Wraps a function that catches errors, whose first result is whether there was none.
  static int catches(lua_State* lua) {
    const int results = original(lua);
    ScriptRun& run = ScriptRun::of(lua);
    run.pass_on_escaped();
    run.charge(lua, lua_toboolean(lua, -results) != 0 ? kCoroutineWork : kErrorWork);
    return results;
  }

  // View -> table, in the registry.
  static constexpr const char* kViews = "picklock.views";
  static void push_views(lua_State* lua) { lua_getfield(lua, LUA_REGISTRYINDEX, kViews); }

  // Replaces a view by its table. False: the value is no view.
  static bool see_through(lua_State* lua, int index) {
    if (!lua_istable(lua, index)) return false;
    push_views(lua);
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

  // --- what works on much at once, and takes time for it
  static void charge(lua_State* lua, std::size_t instructions) {
    ScriptRun::of(lua).charge(lua, instructions);
  }
  // The cost of bytes that are copied or examined one by one.
  static std::size_t work_on_texts(lua_State* lua, int first) {
    std::size_t size = 0;
    for (int i = first; i <= lua_gettop(lua); ++i) {
      if (lua_type(lua, i) == LUA_TSTRING) size += lua_objlen(lua, i);
    }
    return kCallWork + size / kBytesAnInstruction;
  }
  static int works_on_texts(lua_State* lua) {
    charge(lua, work_on_texts(lua, 1));
    const int results = original(lua);
    charge(lua, work_on_texts(lua, lua_gettop(lua) - results + 1));
    return results;
  }
  // Libraries that read a table's own fields must not get a view. The search for views stops at
  // this depth and at this number of tables.
  static constexpr int kDeepestView = 20;
  static constexpr int kMostTables = 10'000;
  static bool holds_view(lua_State* lua, int table, int depth, int& left) {
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
  static void push_without_views(lua_State* lua, int table, int depth, int& left) {
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
  static int serialises(lua_State* lua) {
    for (int i = 1; i <= lua_gettop(lua); ++i) {
      int left = kMostTables;
      if (!lua_istable(lua, i) || !holds_view(lua, i, 0, left)) continue;
      left = kMostTables;
      push_without_views(lua, i, 0, left);
      lua_replace(lua, i);
    }
    return works_on_texts(lua);
  }
  static int repeats(lua_State* lua) {
    const lua_Number times = lua_tonumber(lua, 2);
    if (times > 0 && times < 1e9) charge(lua, static_cast<std::size_t>(times) / 4);
    return works_on_texts(lua);
  }
  static std::size_t length(lua_State* lua) { return lua_istable(lua, 1) ? lua_objlen(lua, 1) : 0; }
  static int walks(lua_State* lua) {
    see_through(lua, 1);
    charge(lua, length(lua));
    return works_on_texts(lua);
  }
  static int sorts(lua_State* lua) {
    const std::size_t size = length(lua);
    charge(lua, size * static_cast<std::size_t>(std::bit_width(size)));
    return original(lua);
  }
  // Charges for the elements after the place, which are moved.
  static void charge_shift(lua_State* lua, int arguments) {
    const lua_Number place = lua_gettop(lua) >= arguments ? lua_tonumber(lua, 2) : 0;
    const auto size = static_cast<lua_Number>(length(lua));
    if (place >= 1 && place < size) charge(lua, static_cast<std::size_t>(size - place));
  }
  static int inserts(lua_State* lua) {
    if (see_through(lua, 1)) return refuse(lua);
    charge_shift(lua, 3);
    return original(lua);
  }
  static int removes(lua_State* lua) {
    charge_shift(lua, 2);
    return original(lua);
  }
  static int unpacks(lua_State* lua) {
    const int results = original(lua);
    charge(lua, static_cast<std::size_t>(results));
    return results;
  }

  // --- coroutines
  // The function that coroutine.wrap returns: resumes the coroutine and raises its error, with a
  // position. An error handler runs where the error is raised, so an exception that is no error
  // must be passed on before.
  static int resumes_wrapped(lua_State* lua) {
    lua_pushvalue(lua, lua_upvalueindex(3));
    lua_insert(lua, 1);
    const int results = catches(lua);
    if (lua_toboolean(lua, -results) != 0) return results - 1;
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

  static int loads(lua_State* lua) {
    charge(lua, work_on_texts(lua, 1));
    return load_string(lua);
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
    return original(lua);
  }
  // Its functions find their settings in their only upvalue.
  static void wrap_cjson(lua_State* lua, const char* name, lua_CFunction function) {
    lua_getfield(lua, -1, name);
    lua_getupvalue(lua, -1, 1);
    lua_insert(lua, -2);
    lua_pushcclosure(lua, function, 2);
    lua_setfield(lua, -2, name);
  }
  static void wrap_cjson(lua_State* lua) {
    wrap_cjson(lua, "encode", serialises);
    wrap_cjson(lua, "decode", works_on_texts);
    wrap_cjson(lua, "new", makes_cjson);
  }
  static int makes_cjson(lua_State* lua) {
    original(lua);
    wrap_cjson(lua);
    return 1;
  }
  static int configures_cjson(lua_State* lua) {
    ScriptRun::of(lua).cjson_configured = true;
    return original(lua);
  }
  static void push_cjson(lua_State* lua) {
    lua_pushcfunction(lua, luaopen_cjson);
    lua_call(lua, 0, 1);
    wrap_cjson(lua);
    for (const char* setting :
         {"encode_sparse_array", "encode_max_depth", "decode_max_depth", "encode_number_precision",
          "encode_keep_buffer", "encode_invalid_numbers", "decode_invalid_numbers"}) {
      wrap_cjson(lua, setting, configures_cjson);
    }
  }

  // Replaces a field of the table on top; the old value is the second upvalue of the new function.
  static void replace(lua_State* lua, Sandbox& sandbox, const char* name, lua_CFunction function) {
    lua_pushlightuserdata(lua, &sandbox);
    lua_getfield(lua, -2, name);
    lua_pushcclosure(lua, function, 2);
    lua_setfield(lua, -2, name);
  }

  // Replaces the table on top by a view: reading goes through, writing is refused.
  static void protect(lua_State* lua) {
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
};

void Sandbox::install(lua_State* lua) {
  using Functions = SandboxFunctions;
  const int redis = lua_gettop(lua);
  open_libraries(lua);
  lua_newtable(lua);
  lua_setfield(lua, LUA_REGISTRYINDEX, Functions::kViews);

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
  Functions::push_cjson(lua);
  lua_setfield(lua, -2, "cjson");
  for (const char* library :
       {"table", "string", "math", "coroutine", "bit", "struct", "cmsgpack", "cjson", "redis"}) {
    lua_getfield(lua, -1, library);
    Functions::protect(lua);
    lua_setfield(lua, -2, library);
  }
  // Methods of strings come from the view too, because scripts can see their metatable.
  lua_pushliteral(lua, "");
  lua_getmetatable(lua, -1);
  lua_getfield(lua, -3, "string");
  lua_setfield(lua, -2, "__index");
  Functions::protect(lua);
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
        {"pcall", protected_call},
        {"xpcall", Functions::catches},
        {"load", load_pieces},
        {"loadstring", Functions::loads},
        {"unpack", Functions::unpacks},
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
  for (const Replacement& one : {Replacement{"table", "insert", Functions::inserts},
                                 {"table", "remove", Functions::removes},
                                 {"table", "sort", Functions::sorts},
                                 {"table", "concat", Functions::walks},
                                 {"table", "foreach", Functions::walks},
                                 {"table", "foreachi", Functions::walks},
                                 {"table", "maxn", Functions::walks},
                                 {"math", "random", Functions::random},
                                 {"math", "randomseed", Functions::seed_random},
                                 {"string", "rep", Functions::repeats},
                                 {"string", "format", Functions::works_on_texts},
                                 {"string", "upper", Functions::works_on_texts},
                                 {"string", "lower", Functions::works_on_texts},
                                 {"string", "reverse", Functions::works_on_texts},
                                 {"string", "sub", Functions::works_on_texts},
                                 {"string", "dump", Functions::works_on_texts},
                                 {"struct", "pack", Functions::works_on_texts},
                                 {"struct", "unpack", Functions::works_on_texts},
                                 {"cmsgpack", "pack", Functions::serialises},
                                 {"cmsgpack", "unpack", Functions::works_on_texts},
                                 {"cmsgpack", "unpack_one", Functions::works_on_texts},
                                 {"cmsgpack", "unpack_limit", Functions::works_on_texts},
                                 {"bit", "tohex", Functions::to_hex},
                                 {"coroutine", "resume", Functions::catches},
                                 {"coroutine", "wrap", Functions::wraps}}) {
    lua_getfield(lua, -1, one.library);
    Functions::replace(lua, *this, one.name, one.function);
    lua_pop(lua, 1);
  }
}

void Sandbox::protect_globals(lua_State* lua) {
  using Functions = SandboxFunctions;
  // Reading falls through to the real globals, whose own metatable complains of what is missing.
  lua_newtable(lua);
  lua_pushcfunction(lua, unknown_global);
  lua_setfield(lua, -2, "__index");
  lua_pushvalue(lua, -1);
  lua_setmetatable(lua, -3);
  Functions::protect(lua);
  globals_metatable_ = luaL_ref(lua, LUA_REGISTRYINDEX);
  lua_pushvalue(lua, -1);
  globals_ = luaL_ref(lua, LUA_REGISTRYINDEX);
  Functions::protect(lua);
  push_globals(lua);
  lua_pushvalue(lua, -2);
  lua_setfield(lua, -2, "_G");
  lua_pop(lua, 1);
}

void Sandbox::renew_cjson(lua_State* lua) {
  push_globals(lua);
  SandboxFunctions::push_cjson(lua);
  SandboxFunctions::protect(lua);
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
