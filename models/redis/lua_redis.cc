#include "models/redis/lua_redis.h"

#include <lua.hpp>
#include <span>
#include <string>
#include <string_view>

#include "models/redis/commands.h"
#include "models/redis/lua_run.h"
#include "models/redis/lua_values.h"
#include "models/redis/numbers.h"
#include "picklock/redis.h"

namespace picklock::redis {
namespace {

// The cost of a command in instructions, in addition to those that call it.
constexpr std::size_t kCommandWork = 10;

int raise(lua_State* lua, std::string_view text_with_code) {
  push_error(lua, text_with_code);
  return lua_error(lua);
}

// The words of a command; empty: `wrong` says why not (R76).
std::span<const std::string_view> words(lua_State* lua, ScriptRun& run, std::string_view& wrong) {
  const auto count = static_cast<std::size_t>(lua_gettop(lua));
  if (count == 0) wrong = "ERR Please specify at least one argument for this redis lib call";
  run.argv.clear();
  if (run.numbers.size() < count) run.numbers.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int index = static_cast<int>(i + 1);
    switch (lua_type(lua, index)) {
      case LUA_TNUMBER:
        run.argv.push_back(text_of(lua_tonumber(lua, index), run.numbers[i]));
        break;
      case LUA_TSTRING: {
        std::size_t size = 0;
        const char* const text = lua_tolstring(lua, index, &size);
        run.argv.emplace_back(text, size);
        break;
      }
      default:
        wrong = "ERR Lua redis lib command arguments must be strings or integers";
        return {};
    }
  }
  return run.argv;
}

int call_command(lua_State* lua, bool raises) {
  ScriptRun& run = ScriptRun::of(lua);
  run.pass_on_escaped();
  run.charge(lua, kCommandWork);
  std::string_view wrong;
  const auto argv = words(lua, run, wrong);
  if (argv.empty()) {
    push_error(lua, wrong);
    return raises ? lua_error(lua) : 1;
  }
  run.guarded([&] { run.host().run_command(argv, run.reply); });
  push_reply(lua, run.reply, run.protocol);
  return raises && run.reply.is_error() ? lua_error(lua) : 1;
}

int call(lua_State* lua) { return call_command(lua, true); }
int pcall(lua_State* lua) { return call_command(lua, false); }

int sha1hex(lua_State* lua) {
  if (lua_gettop(lua) != 1) return raise(lua, "ERR wrong number of arguments");
  push_string(lua, sha1_hex(string_at(lua, 1)));
  return 1;
}

bool is_one_string(lua_State* lua) {
  if (lua_gettop(lua) == 1 && lua_type(lua, 1) == LUA_TSTRING) return true;
  push_error(lua, "ERR wrong number or type of arguments");
  return false;
}

int status_reply(lua_State* lua) {
  if (is_one_string(lua)) push_field(lua, "ok", string_at(lua, 1));
  return 1;
}

int error_reply(lua_State* lua) {
  if (!is_one_string(lua)) return 1;
  std::string_view text = to_first_zero(string_at(lua, 1));
  if (text.starts_with('-')) text.remove_prefix(1);
  std::string& whole = ScriptRun::of(lua).text;
  set_error_text(whole, text);
  push_error(lua, whole);
  return 1;
}

int log(lua_State* lua) {
  if (lua_gettop(lua) < 2) return raise(lua, "ERR redis.log() requires two arguments or more.");
  if (lua_isnumber(lua, 1) == 0)
    return raise(lua, "ERR First argument must be a number (log level).");
  const lua_Number level = lua_tonumber(lua, 1);
  if (!(level > -1 && level < 4)) return raise(lua, "ERR Invalid debug level.");
  return 0;
}

int setresp(lua_State* lua) {
  if (lua_gettop(lua) != 1) return raise(lua, "ERR redis.setresp() requires one argument.");
  const lua_Number version = lua_tonumber(lua, 1);
  if (!(version >= 2 && version < 4)) return raise(lua, "ERR RESP version must be 2 or 3.");
  ScriptRun& run = ScriptRun::of(lua);
  run.protocol = version < 3 ? 2 : 3;
  run.host().speak(run.protocol);
  return 0;
}

// Checks its argument and has no other effect: the replication of a script's writes is not changed.
int set_repl(lua_State* lua) {
  if (lua_gettop(lua) != 1) return raise(lua, "ERR redis.set_repl() requires two arguments.");
  const lua_Number flags = lua_tonumber(lua, 1);
  if (!(flags > -1 && flags < 4)) {
    return raise(lua,
                 "ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or "
                 "REPL_NONE.");
  }
  return 0;
}

int replicate_commands(lua_State* lua) {
  lua_pushboolean(lua, 1);
  return 1;
}

// Every user may do everything.
int acl_check_cmd(lua_State* lua) {
  std::string_view wrong;
  const auto argv = words(lua, ScriptRun::of(lua), wrong);
  if (argv.empty()) return raise(lua, wrong);
  if (command_named(argv[0]) == nullptr)
    return raise(lua, "ERR Invalid command passed to redis.acl_check_cmd()");
  lua_pushboolean(lua, 1);
  return 1;
}

// The debugger is never attached.
int breakpoint(lua_State* lua) {
  lua_pushboolean(lua, 0);
  return 1;
}
int debug(lua_State*) { return 0; }

}  // namespace

void push_redis_library(lua_State* lua) {
  lua_newtable(lua);
  // In the order of the real server, because the order of `pairs` depends on it.
  const auto function = [lua](const char* name, lua_CFunction body) {
    lua_pushcfunction(lua, body);
    lua_setfield(lua, -2, name);
  };
  const auto number = [lua](const char* name, int value) {
    lua_pushinteger(lua, value);
    lua_setfield(lua, -2, name);
  };
  function("call", call);
  function("pcall", pcall);
  function("log", log);
  number("LOG_DEBUG", 0);
  number("LOG_VERBOSE", 1);
  number("LOG_NOTICE", 2);
  number("LOG_WARNING", 3);
  number("REDIS_VERSION_NUM", 0x07000f);
  lua_pushliteral(lua, "7.0.15");
  lua_setfield(lua, -2, "REDIS_VERSION");
  function("setresp", setresp);
  function("sha1hex", sha1hex);
  function("error_reply", error_reply);
  function("status_reply", status_reply);
  function("set_repl", set_repl);
  number("REPL_NONE", 0);
  number("REPL_AOF", 1);
  number("REPL_SLAVE", 2);
  number("REPL_REPLICA", 2);
  number("REPL_ALL", 3);
  function("acl_check_cmd", acl_check_cmd);
  function("breakpoint", breakpoint);
  function("debug", debug);
  function("replicate_commands", replicate_commands);
}

}  // namespace picklock::redis
