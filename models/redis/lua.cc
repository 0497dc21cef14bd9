#include "models/redis/lua.h"

#include <lua.hpp>

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <vector>

#include "models/redis/script.h"

namespace picklock::models::redis {
namespace {

constexpr int kDeepest = 60;

// Names a script may not see: they reach the machine, or the interpreter's insides (R79).
constexpr std::array kHidden = {"dofile",  "loadfile", "print",  "newproxy",
                                "getfenv", "setfenv",  "module", "require"};

struct Running {
  ScriptHost* host = nullptr;
  Reply reply;  // of the command a script has just called
  std::vector<std::string_view> argv;
  std::deque<std::string> numbers;  // arguments given as numbers, as text
  int line = 1;                     // where redis.call last raised
};

Running& running(lua_State* lua) {
  lua_getfield(lua, LUA_REGISTRYINDEX, "picklock");
  auto* found = static_cast<Running*>(lua_touserdata(lua, -1));
  lua_pop(lua, 1);
  return *found;
}

void push(lua_State* lua, const Reply& reply, int depth = 0);

void push_field(lua_State* lua, const char* name, std::string_view text) {
  lua_createtable(lua, 0, 1);
  lua_pushlstring(lua, text.data(), text.size());
  lua_setfield(lua, -2, name);
}

// Null becomes false, a status or an error a table (R72).
void push(lua_State* lua, const Reply& reply, int depth) {
  luaL_checkstack(lua, 4, "reply too deep");
  switch (reply.kind) {
    case Reply::Kind::status:
      push_field(lua, "ok", reply.text);
      break;
    case Reply::Kind::error:
      push_field(lua, "err", reply.text);
      break;
    case Reply::Kind::integer:
      lua_pushnumber(lua, static_cast<lua_Number>(reply.integer));
      break;
    case Reply::Kind::bulk:
      lua_pushlstring(lua, reply.text.data(), reply.text.size());
      break;
    case Reply::Kind::array:
      lua_createtable(lua, static_cast<int>(reply.elements.size()), 0);
      for (std::size_t i = 0; i < reply.elements.size(); ++i) {
        push(lua, reply.elements[i], depth + 1);
        lua_rawseti(lua, -2, static_cast<int>(i + 1));
      }
      break;
    case Reply::Kind::nil:
    case Reply::Kind::unknown:
    case Reply::Kind::unsent:
      lua_pushboolean(lua, 0);
      break;
  }
}

std::int64_t truncated(lua_Number number) {
  constexpr lua_Number kLimit = 9223372036854775808.0;
  if (!(number > -kLimit && number < kLimit)) return INT64_MIN;
  return static_cast<std::int64_t>(number);
}

// What a script returns, as a reply (R71).
void convert(lua_State* lua, Reply& reply, int depth) {
  switch (lua_type(lua, -1)) {
    case LUA_TSTRING: {
      std::size_t size = 0;
      const char* text = lua_tolstring(lua, -1, &size);
      reply.set_bulk({text, size});
      return;
    }
    case LUA_TNUMBER:
      reply.set_integer(truncated(lua_tonumber(lua, -1)));
      return;
    case LUA_TBOOLEAN:
      if (lua_toboolean(lua, -1) != 0) {
        reply.set_integer(1);
      } else {
        reply.set(Reply::Kind::nil);
      }
      return;
    case LUA_TTABLE:
      break;
    default:
      reply.set(Reply::Kind::nil);
      return;
  }
  if (depth > kDeepest || lua_checkstack(lua, 4) == 0) {
    reply.set_error("ERR reached lua stack limit");
    return;
  }
  for (const auto& [field, status] : {std::pair{"err", false}, std::pair{"ok", true}}) {
    lua_pushstring(lua, field);
    lua_rawget(lua, -2);
    if (lua_type(lua, -1) == LUA_TSTRING) {
      std::size_t size = 0;
      const char* text = lua_tolstring(lua, -1, &size);
      std::string line(text, size);
      for (char& letter : line) {
        if (letter == '\r' || letter == '\n') letter = ' ';
      }
      if (status) {
        reply.set_status(line);
      } else {
        reply.set_error(line);
      }
      lua_pop(lua, 1);
      return;
    }
    lua_pop(lua, 1);
  }
  reply.set(Reply::Kind::array);
  for (int i = 1;; ++i) {
    lua_rawgeti(lua, -1, i);
    if (lua_isnil(lua, -1)) {
      lua_pop(lua, 1);
      return;
    }
    reply.elements.emplace_back();
    convert(lua, reply.elements.back(), depth + 1);
    lua_pop(lua, 1);
  }
}

int raise(lua_State* lua, std::string_view message) {
  push_field(lua, "err", message);
  return lua_error(lua);
}

int call_command(lua_State* lua, bool raises) {
  Running& script = running(lua);
  const int count = lua_gettop(lua);
  constexpr std::string_view kNeedsOne =
      "ERR Please specify at least one argument for this redis.call() call";
  constexpr std::string_view kOnlyText =
      "ERR Lua redis lib command arguments must be strings or integers";
  std::string_view wrong;
  script.argv.clear();
  script.numbers.clear();
  if (count == 0) wrong = kNeedsOne;
  for (int i = 1; i <= count && wrong.empty(); ++i) {
    if (lua_type(lua, i) == LUA_TNUMBER) {
      // The interpreter would turn the number on its stack into a string; a copy is turned instead.
      lua_pushvalue(lua, i);
      std::size_t size = 0;
      const char* text = lua_tolstring(lua, -1, &size);
      script.numbers.emplace_back(text, size);
      lua_pop(lua, 1);
      script.argv.push_back(script.numbers.back());
    } else if (lua_type(lua, i) == LUA_TSTRING) {
      std::size_t size = 0;
      const char* text = lua_tolstring(lua, i, &size);
      script.argv.emplace_back(text, size);
    } else {
      wrong = kOnlyText;
    }
  }
  if (wrong.empty()) {
    script.host->run_command(script.argv, script.reply);
  } else {
    script.reply.set_error(wrong);
  }
  push(lua, script.reply);
  if (!raises || !script.reply.is_error()) return 1;
  lua_Debug caller{};
  if (lua_getstack(lua, 1, &caller) != 0 && lua_getinfo(lua, "l", &caller) != 0)
    script.line = caller.currentline;
  return lua_error(lua);
}

int redis_call(lua_State* lua) { return call_command(lua, true); }
int redis_pcall(lua_State* lua) { return call_command(lua, false); }

int redis_sha1hex(lua_State* lua) {
  if (lua_gettop(lua) != 1) return raise(lua, "ERR wrong number of arguments");
  std::size_t size = 0;
  const char* text = lua_tolstring(lua, 1, &size);
  const std::string hex = sha1_hex({text == nullptr ? "" : text, text == nullptr ? 0 : size});
  lua_pushlstring(lua, hex.data(), hex.size());
  return 1;
}

template <bool Status>
int redis_reply_table(lua_State* lua) {
  if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING)
    return raise(lua, "ERR wrong number or type of arguments");
  std::size_t size = 0;
  const char* text = lua_tolstring(lua, 1, &size);
  push_field(lua, Status ? "ok" : "err", {text, size});
  return 1;
}

int unknown_global(lua_State* lua) {
  const char* name = lua_tostring(lua, 2);
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'",
                    name == nullptr ? "?" : name);
}

int read_only(lua_State* lua) { return luaL_error(lua, "Attempt to modify a readonly table"); }

// The libraries as scripts see them: a view that reads through and refuses to be written.
void push_read_only_view(lua_State* lua, int table, bool strict) {
  lua_newtable(lua);
  lua_newtable(lua);
  lua_pushvalue(lua, table);
  if (strict) {
    // Reading falls through to the real table, whose own metatable complains of what is missing.
    lua_newtable(lua);
    lua_pushcfunction(lua, unknown_global);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);
  }
  lua_setfield(lua, -2, "__index");
  lua_pushcfunction(lua, read_only);
  lua_setfield(lua, -2, "__newindex");
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
  lua_setmetatable(lua, -2);
}

}  // namespace

struct Lua::State {
  lua_State* lua = nullptr;
  Running running;
  std::deque<Compiled> scripts;
  boost::unordered_flat_map<std::string, const Compiled*> by_body;
  boost::unordered_flat_map<std::string, const Compiled*> by_sha;
  int environment = 0;
};

Lua::Lua() : state_(std::make_unique<State>()) {
  lua_State* lua = state_->lua = luaL_newstate();
  if (lua == nullptr) throw std::runtime_error("no memory for a Lua interpreter");
  for (const auto& [name, open] : {std::pair<const char*, lua_CFunction>{"", luaopen_base},
                                   {LUA_TABLIBNAME, luaopen_table},
                                   {LUA_STRLIBNAME, luaopen_string},
                                   {LUA_MATHLIBNAME, luaopen_math}}) {
    lua_pushcfunction(lua, open);
    lua_pushstring(lua, name);
    lua_call(lua, 1, 0);
  }
  for (const char* name : kHidden) {
    lua_pushnil(lua);
    lua_setglobal(lua, name);
  }
  lua_newtable(lua);
  for (const auto& [name, function] : {std::pair<const char*, lua_CFunction>{"call", redis_call},
                                       {"pcall", redis_pcall},
                                       {"sha1hex", redis_sha1hex},
                                       {"status_reply", redis_reply_table<true>},
                                       {"error_reply", redis_reply_table<false>}}) {
    lua_pushcfunction(lua, function);
    lua_setfield(lua, -2, name);
  }
  lua_setglobal(lua, "redis");
  for (const char* library : {"table", "string", "math", "redis"}) {
    lua_getglobal(lua, library);
    push_read_only_view(lua, lua_gettop(lua), false);
    lua_setglobal(lua, library);
    lua_pop(lua, 1);
  }
  push_read_only_view(lua, LUA_GLOBALSINDEX, true);
  lua_pushvalue(lua, -1);
  lua_setglobal(lua, "_G");
  state_->environment = luaL_ref(lua, LUA_REGISTRYINDEX);
  lua_pushlightuserdata(lua, &state_->running);
  lua_setfield(lua, LUA_REGISTRYINDEX, "picklock");
}

Lua::~Lua() { lua_close(state_->lua); }

const Lua::Compiled* Lua::known(std::string_view sha) const {
  const auto found = state_->by_sha.find(std::string(sha));
  return found == state_->by_sha.end() ? nullptr : found->second;
}

const Lua::Compiled* Lua::compile(std::string_view body, std::string& error) {
  const auto found = state_->by_body.find(std::string(body));
  if (found != state_->by_body.end()) return found->second;
  lua_State* lua = state_->lua;
  if (luaL_loadbuffer(lua, body.data(), body.size(), "@user_script") != 0) {
    const char* message = lua_tostring(lua, -1);
    error = "ERR Error compiling script (new function): " +
            std::string(message == nullptr ? "?" : message);
    lua_pop(lua, 1);
    return nullptr;
  }
  lua_rawgeti(lua, LUA_REGISTRYINDEX, state_->environment);
  lua_setfenv(lua, -2);
  state_->scripts.push_back({luaL_ref(lua, LUA_REGISTRYINDEX), sha1_hex(body)});
  const Compiled* compiled = &state_->scripts.back();
  state_->by_body.emplace(std::string(body), compiled);
  state_->by_sha.emplace(compiled->sha, compiled);
  return compiled;
}

void Lua::run(const Compiled& script, std::span<const std::string_view> keys,
              std::span<const std::string_view> args, ScriptHost& host, Reply& reply) {
  lua_State* lua = state_->lua;
  state_->running.host = &host;
  state_->running.line = 1;
  for (const auto& [name, values] : {std::pair{"KEYS", keys}, std::pair{"ARGV", args}}) {
    lua_createtable(lua, static_cast<int>(values.size()), 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      lua_pushlstring(lua, values[i].data(), values[i].size());
      lua_rawseti(lua, -2, static_cast<int>(i + 1));
    }
    lua_setglobal(lua, name);
  }
  lua_rawgeti(lua, LUA_REGISTRYINDEX, script.function);
  if (lua_pcall(lua, 0, 1, 0) == 0) {
    convert(lua, reply, 0);
    lua_pop(lua, 1);
    return;
  }
  // An error reply raised by redis.call keeps its own text, any other is an ERR of the script; both
  // are told by which script and line (R74, R78).
  std::string text;
  std::string line = "1";
  if (lua_istable(lua, -1)) {
    lua_getfield(lua, -1, "err");
    const char* message = lua_tostring(lua, -1);
    text = message == nullptr ? "ERR unknown error" : message;
    lua_pop(lua, 1);
    line = std::to_string(state_->running.line);
  } else {
    const char* message = lua_tostring(lua, -1);
    const std::string_view raw = message == nullptr ? "unknown error" : message;
    text = "ERR " + std::string(raw);
    constexpr std::string_view kChunk = "user_script:";
    if (raw.starts_with(kChunk))
      line = raw.substr(kChunk.size(), raw.find(':', kChunk.size()) - kChunk.size());
  }
  lua_pop(lua, 1);
  reply.set_error(text + " script: " + script.sha + ", on @user_script:" + line + ".");
}

}  // namespace picklock::models::redis
