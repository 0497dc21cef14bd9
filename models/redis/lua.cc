#include "models/redis/lua.h"

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdio>
#include <deque>
#include <lua.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "models/redis/lua_sandbox.h"
#include "models/redis/script.h"

namespace picklock::models::redis {
namespace {

// Of replies nested in each other: what is deeper than a client reads is answered by the error that
// the real server has at its interpreter's limit, some 8000.
constexpr int kDeepest = 30;

using NumberText = std::array<char, 32>;

// Redis shows numbers as arguments in full, the interpreter does not.
std::string_view text_of(lua_Number number, NumberText& text) {
  const int size = std::snprintf(text.data(), text.size(), "%.17g", number);
  return {text.data(), static_cast<std::size_t>(size)};
}

struct Running {
  ScriptHost* host = nullptr;
  Reply reply;  // of the command a script has just called
  std::vector<std::string_view> argv;
  std::vector<NumberText> numbers;  // arguments given as numbers
  std::string text;
};

Running& running(lua_State* lua) {
  lua_getfield(lua, LUA_REGISTRYINDEX, "picklock");
  auto* found = static_cast<Running*>(lua_touserdata(lua, -1));
  lua_pop(lua, 1);
  return *found;
}

std::string_view string_at(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* text = lua_tolstring(lua, index, &size);
  return text == nullptr ? std::string_view() : std::string_view(text, size);
}

void push_string(lua_State* lua, std::string_view text) {
  lua_pushlstring(lua, text.data(), text.size());
}

void push_field(lua_State* lua, const char* name, std::string_view text) {
  lua_createtable(lua, 0, 1);
  push_string(lua, text);
  lua_setfield(lua, -2, name);
}

// Null becomes false, a status or an error a table (R72).
void push(lua_State* lua, const Reply& reply) {
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
    case Reply::Kind::number:
    case Reply::Kind::verbatim:
      push_string(lua, reply.text);
      break;
    case Reply::Kind::array:
    case Reply::Kind::map:
    case Reply::Kind::set:
    case Reply::Kind::pairs:
    case Reply::Kind::push:
      lua_createtable(lua, static_cast<int>(reply.elements.size()), 0);
      for (std::size_t i = 0; i < reply.elements.size(); ++i) {
        push(lua, reply.elements[i]);
        lua_rawseti(lua, -2, static_cast<int>(i + 1));
      }
      break;
    case Reply::Kind::nil:
    case Reply::Kind::nil_array:
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

// Status and error texts end where a C string does.
std::string_view to_first_zero(std::string_view text) { return text.substr(0, text.find('\0')); }

std::string_view without_line_end(std::string_view text) {
  while (text.ends_with('\r') || text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

// A table says by a field that it is no array. False: it does not.
bool convert_tagged(lua_State* lua, Reply& reply) {
  lua_pushliteral(lua, "err");
  lua_rawget(lua, -2);
  if (lua_type(lua, -1) == LUA_TSTRING) {
    reply.set_error(without_line_end(to_first_zero(string_at(lua, -1))));
    lua_pop(lua, 1);
    return true;
  }
  lua_pop(lua, 1);
  lua_pushliteral(lua, "ok");
  lua_rawget(lua, -2);
  if (lua_type(lua, -1) == LUA_TSTRING) {
    reply.set_status(to_first_zero(string_at(lua, -1)));
    lua_pop(lua, 1);
    return true;
  }
  lua_pop(lua, 1);
  lua_pushliteral(lua, "double");
  lua_rawget(lua, -2);
  if (lua_type(lua, -1) == LUA_TNUMBER) {
    NumberText text;
    reply.set_bulk(text_of(lua_tonumber(lua, -1), text));
    lua_pop(lua, 1);
    return true;
  }
  lua_pop(lua, 1);
  return false;
}

// What a script returns, as a reply (R71).
void convert(lua_State* lua, Reply& reply, int depth) {
  switch (lua_type(lua, -1)) {
    case LUA_TSTRING:
      reply.set_bulk(string_at(lua, -1));
      return;
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
  if (convert_tagged(lua, reply)) return;
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

// ---------------------------------------------------------------- the library `redis`

// The words of a command; empty: `wrong` says why not (R76).
std::span<const std::string_view> words(lua_State* lua, Running& script, std::string_view& wrong) {
  const auto count = static_cast<std::size_t>(lua_gettop(lua));
  if (count == 0) wrong = "ERR Please specify at least one argument for this redis lib call";
  script.argv.clear();
  if (script.numbers.size() < count) script.numbers.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int index = static_cast<int>(i + 1);
    switch (lua_type(lua, index)) {
      case LUA_TNUMBER:
        script.argv.push_back(text_of(lua_tonumber(lua, index), script.numbers[i]));
        break;
      case LUA_TSTRING:
        script.argv.push_back(string_at(lua, index));
        break;
      default:
        wrong = "ERR Lua redis lib command arguments must be strings or integers";
        return {};
    }
  }
  return script.argv;
}

int call_command(lua_State* lua, bool raises) {
  Running& script = running(lua);
  std::string_view wrong;
  const auto argv = words(lua, script, wrong);
  if (argv.empty()) {
    push_field(lua, "err", wrong);
    return raises ? lua_error(lua) : 1;
  }
  script.host->run_command(argv, script.reply);
  push(lua, script.reply);
  if (script.reply.is_error()) {
    lua_pushboolean(lua, 1);
    lua_setfield(lua, -2, "ignore_error_stats_update");  // a field that scripts can see
  }
  return raises && script.reply.is_error() ? lua_error(lua) : 1;
}

int redis_call(lua_State* lua) { return call_command(lua, true); }
int redis_pcall(lua_State* lua) { return call_command(lua, false); }

int redis_sha1hex(lua_State* lua) {
  if (lua_gettop(lua) != 1) return raise(lua, "ERR wrong number of arguments");
  push_string(lua, sha1_hex(string_at(lua, 1)));
  return 1;
}

bool is_one_string(lua_State* lua) {
  if (lua_gettop(lua) == 1 && lua_type(lua, 1) == LUA_TSTRING) return true;
  push_field(lua, "err", "ERR wrong number or type of arguments");
  return false;
}

int redis_status_reply(lua_State* lua) {
  if (is_one_string(lua)) push_field(lua, "ok", string_at(lua, 1));
  return 1;
}

// One word alone is no code: it gets the generic one.
int redis_error_reply(lua_State* lua) {
  if (!is_one_string(lua)) return 1;
  std::string_view text = to_first_zero(string_at(lua, 1));
  if (text.starts_with('-')) text.remove_prefix(1);
  text = without_line_end(text);
  std::string& whole = running(lua).text;
  whole.assign(text.find(' ') == std::string_view::npos ? "ERR " : "").append(text);
  push_field(lua, "err", whole);
  return 1;
}

int redis_log(lua_State* lua) {
  if (lua_gettop(lua) < 2) return raise(lua, "ERR redis.log() requires two arguments or more.");
  if (lua_isnumber(lua, 1) == 0)
    return raise(lua, "ERR First argument must be a number (log level).");
  const lua_Number level = lua_tonumber(lua, 1);
  if (!(level > -1 && level < 4)) return raise(lua, "ERR Invalid debug level.");
  return 0;
}

int redis_replicate_commands(lua_State* lua) {
  lua_pushboolean(lua, 1);
  return 1;
}

// The keys of the library, which becomes the table on top of the stack.
void push_library(lua_State* lua) {
  lua_newtable(lua);
  for (const auto& [name, function] : {std::pair<const char*, lua_CFunction>{"call", redis_call},
                                       {"pcall", redis_pcall},
                                       {"sha1hex", redis_sha1hex},
                                       {"status_reply", redis_status_reply},
                                       {"error_reply", redis_error_reply},
                                       {"log", redis_log},
                                       {"replicate_commands", redis_replicate_commands}}) {
    lua_pushcfunction(lua, function);
    lua_setfield(lua, -2, name);
  }
  for (const auto& [name, value] : {std::pair{"LOG_DEBUG", 0},
                                    {"LOG_VERBOSE", 1},
                                    {"LOG_NOTICE", 2},
                                    {"LOG_WARNING", 3},
                                    {"REDIS_VERSION_NUM", 0x07000f}}) {
    lua_pushinteger(lua, value);
    lua_setfield(lua, -2, name);
  }
  lua_pushliteral(lua, "7.0.15");
  lua_setfield(lua, -2, "REDIS_VERSION");
}

// Runs where an error was raised: any error becomes a table that says where that was.
int locate(lua_State* lua) {
  lua_Debug place{};
  bool found = lua_getstack(lua, 1, &place) != 0 && lua_getinfo(lua, "Sl", &place) != 0;
  if (found && *place.what == 'C')
    found = lua_getstack(lua, 2, &place) != 0 && lua_getinfo(lua, "Sl", &place) != 0;
  if (!lua_istable(lua, 1)) {
    lua_getglobal(lua, "tostring");
    lua_pushvalue(lua, 1);
    lua_call(lua, 1, 1);
    lua_pushliteral(lua, "ERR ");
    lua_insert(lua, -2);
    lua_concat(lua, 2);
    lua_createtable(lua, 0, 3);
    lua_insert(lua, -2);
    lua_setfield(lua, -2, "err");
    lua_replace(lua, 1);
  }
  lua_settop(lua, 1);
  if (found) {
    lua_pushstring(lua, place.source);
    lua_setfield(lua, 1, "source");
    lua_pushinteger(lua, place.currentline);
    lua_setfield(lua, 1, "line");
  }
  return 1;
}

}  // namespace

struct Lua::State {
  lua_State* lua = nullptr;
  Sandbox sandbox;
  Running running;
  std::deque<Compiled> scripts;
  boost::unordered_flat_map<std::string_view, const Compiled*> by_body;  // views into `scripts`
  boost::unordered_flat_map<std::string_view, const Compiled*> by_sha;
};

Lua::Lua() : state_(std::make_unique<State>()) {
  lua_State* lua = state_->lua = luaL_newstate();
  if (lua == nullptr) throw std::runtime_error("no memory for a Lua interpreter");
  push_library(lua);
  state_->sandbox.install(lua);
  lua_pushlightuserdata(lua, &state_->running);
  lua_setfield(lua, LUA_REGISTRYINDEX, "picklock");
}

Lua::~Lua() { lua_close(state_->lua); }

void Lua::reset() { state_->sandbox.reseed(); }

const Lua::Compiled* Lua::known(std::string_view sha) const {
  const auto found = state_->by_sha.find(sha);
  return found == state_->by_sha.end() ? nullptr : found->second;
}

const Lua::Compiled* Lua::compile(std::string_view body, std::string& error) {
  const auto found = state_->by_body.find(body);
  if (found != state_->by_body.end()) return found->second;
  lua_State* lua = state_->lua;
  // Compiled code is refused: the interpreter believes whatever it finds there.
  const bool binary = body.starts_with('\033');
  if (binary) lua_pushliteral(lua, "user_script:1: unexpected symbol near 'char(27)'");
  if (binary || luaL_loadbuffer(lua, body.data(), body.size(), "@user_script") != 0) {
    error = "ERR Error compiling script (new function): ";
    error += to_first_zero(string_at(lua, -1));
    lua_pop(lua, 1);
    return nullptr;
  }
  state_->scripts.push_back({luaL_ref(lua, LUA_REGISTRYINDEX), std::string(body), sha1_hex(body)});
  const Compiled* compiled = &state_->scripts.back();
  state_->by_body.emplace(compiled->body, compiled);
  state_->by_sha.emplace(compiled->sha, compiled);
  return compiled;
}

void Lua::run(const Compiled& script, std::span<const std::string_view> keys,
              std::span<const std::string_view> args, ScriptHost& host, Reply& reply) {
  lua_State* lua = state_->lua;
  state_->running.host = &host;
  state_->sandbox.begin_script(lua);
  state_->sandbox.push_globals(lua);
  for (const auto& [name, values] : {std::pair{"KEYS", keys}, std::pair{"ARGV", args}}) {
    lua_createtable(lua, static_cast<int>(values.size()), 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      push_string(lua, values[i]);
      lua_rawseti(lua, -2, static_cast<int>(i + 1));
    }
    lua_setfield(lua, -2, name);
  }
  lua_settop(lua, 0);
  lua_pushcfunction(lua, locate);
  lua_rawgeti(lua, LUA_REGISTRYINDEX, script.function);
  if (lua_pcall(lua, 0, 1, 1) == 0) {
    convert(lua, reply, 0);
    lua_settop(lua, 0);
    return;
  }
  // An error reply raised by redis.call keeps its own text, any other is an ERR of the script; both
  // are told by which script and line (R74, R78).
  std::string& text = state_->running.text;
  if (lua_istable(lua, -1)) {
    lua_getfield(lua, -1, "err");
    text = lua_isstring(lua, -1) != 0 ? to_first_zero(string_at(lua, -1)) : "ERR unknown error";
    lua_getfield(lua, -2, "source");
    lua_getfield(lua, -3, "line");
    if (lua_isstring(lua, -1) != 0 && lua_isstring(lua, -2) != 0) {
      text.append(" script: ").append(script.sha).append(", on ");
      text.append(string_at(lua, -2)).append(":").append(string_at(lua, -1)).append(".");
    }
  } else {
    text = "ERR Error running script ";
    text.append(script.sha).append(", ");
    text.append(lua_isstring(lua, -1) != 0 ? string_at(lua, -1) : "execution failure");
  }
  lua_settop(lua, 0);
  reply.set_error(text);
}

}  // namespace picklock::models::redis
