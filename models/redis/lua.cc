#include "models/redis/lua.h"

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <lua.hpp>
#include <stdexcept>
#include <utility>

#include "models/redis/lua_bytecode.h"
#include "models/redis/lua_redis.h"
#include "models/redis/lua_run.h"
#include "models/redis/lua_sandbox.h"
#include "models/redis/lua_values.h"
#include "picklock/redis.h"
#include "sim/text_hash.h"

namespace picklock::redis {
namespace {

constexpr std::array kFlagNames = {
    std::pair{"no-writes", kNoWrites}, std::pair{"allow-oom", kAllowOom},
    std::pair{"allow-stale", kAllowStale}, std::pair{"no-cluster", kNoCluster},
    std::pair{"allow-cross-slot-keys", kAllowCrossSlot}};

// Takes the next word off a line, without its quotes. False: the line is at its end, or a quote is
// not closed.
bool take_word(std::string_view& line, std::string& word) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  word.clear();
  const std::size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    line = {};
    return false;
  }
  line.remove_prefix(begin);
  while (!line.empty() && kBlanks.find(line.front()) == std::string_view::npos) {
    const char first = line.front();
    line.remove_prefix(1);
    if (first != '"' && first != '\'') {
      word += first;
      continue;
    }
    const std::size_t end = line.find(first);
    if (end == std::string_view::npos) return false;
    word.append(line.substr(0, end));
    line.remove_prefix(end + 1);
  }
  return true;
}

// Reads a list such as `no-writes,allow-oom`. False: `error` names an unknown flag.
bool read_flags(std::string_view list, std::uint8_t& flags, std::string& error) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    bool known = false;
    for (const auto& [flag_name, flag] : kFlagNames) {
      if (name != flag_name) continue;
      flags |= flag;
      known = true;
    }
    if (!known) {
      error = "ERR Unexpected flag in script shebang: " + std::string(name);
      return false;
    }
    if (comma == std::string_view::npos) return true;
    list.remove_prefix(comma + 1);
    if (list.empty()) {
      error = "ERR Unexpected flag in script shebang: ";
      return false;
    }
  }
  return true;
}

// Reads the flags of a script and removes its first line except the line end, which keeps line
// numbers right. False: `error` says what is wrong (R85).
bool read_shebang(std::string_view& source, std::uint8_t& flags, std::string& error) {
  if (!source.starts_with("#!")) return true;
  const std::size_t end = to_first_zero(source).find('\n');
  if (end == std::string_view::npos) {
    error = "ERR Invalid script shebang";
    return false;
  }
  std::string_view line = source.substr(0, end);
  source.remove_prefix(end);
  std::string word;
  if (!take_word(line, word)) {
    error = "ERR Invalid engine in script shebang";
    return false;
  }
  if (word != "#!lua") {
    error = "ERR Unexpected engine in script shebang: " + word;
    return false;
  }
  flags |= kFlagsDeclared;
  while (take_word(line, word)) {
    constexpr std::string_view kFlags = "flags=";
    if (!word.starts_with(kFlags)) {
      error = "ERR Unknown lua shebang option: " + word;
      return false;
    }
    if (!read_flags(std::string_view(word).substr(kFlags.size()), flags, error)) return false;
  }
  return true;
}

// Error handler: turns any error into a table that says where it was raised.
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

// The error on top of the stack as the caller is told it, with script and line if they are known
// (R74, R78).
void describe_error(lua_State* lua, std::string_view sha, std::string& text) {
  if (!lua_istable(lua, -1)) {
    constexpr std::size_t kLongest = 100;
    text.assign("ERR Error running script ").append(sha).append(", ");
    text.append(lua_isstring(lua, -1) != 0 ? to_first_zero(string_at(lua, -1)).substr(0, kLongest)
                                           : "execution failure");
    return;
  }
  // Nothing here may call into the script again.
  const auto field = [lua](const char* name, int table) {
    lua_pushstring(lua, name);
    lua_rawget(lua, table);
  };
  field("err", -2);
  text = lua_isstring(lua, -1) != 0 ? to_first_zero(string_at(lua, -1)) : "ERR unknown error";
  field("source", -3);
  field("line", -4);
  if (lua_isstring(lua, -1) != 0 && lua_isstring(lua, -2) != 0) {
    text.append(" script: ").append(sha).append(", on ");
    text.append(string_at(lua, -2)).append(":").append(string_at(lua, -1)).append(".");
  }
}

// Names and functions that every script needs. They stay at the bottom of the stack so that they
// are not looked up each time.
enum Floor { kGlobals = 1, kKeys, kArgv, kLocate, kTags, kTop = kTags + kTagCount - 1 };

}  // namespace

struct Lua::State {
  ScriptRun run;
  lua_State* lua = nullptr;
  Sandbox sandbox;
  std::uint64_t epoch = 1;
  std::deque<Compiled> scripts;
  using ByText = boost::unordered_flat_map<std::string_view, Compiled*, sim::TextHash>;
  ByText by_body;  // views into `scripts`
  ByText by_sha;

  void set_global_array(int name, std::span<const std::string_view> values) const {
    lua_pushvalue(lua, name);
    lua_createtable(lua, static_cast<int>(values.size()), 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      push_string(lua, values[i]);
      lua_rawseti(lua, -2, static_cast<int>(i + 1));
    }
    lua_rawset(lua, kGlobals);
  }
};

Lua::Lua() : state_(std::make_unique<State>()) {
  lua_State* lua = state_->lua = state_->run.open_interpreter();
  if (lua == nullptr) throw std::runtime_error("no memory for a Lua interpreter");
  push_redis_library(lua);
  state_->sandbox.install(lua);
  state_->sandbox.push_globals(lua);
  lua_pushliteral(lua, "KEYS");
  lua_pushliteral(lua, "ARGV");
  lua_pushcfunction(lua, locate);
  push_tags(lua);
}

Lua::~Lua() { lua_close(state_->lua); }

void Lua::reset() {
  constexpr std::size_t kWorthKeeping = 1000;
  state_->sandbox.reseed();
  forget_scripts();
  if (state_->scripts.size() <= kWorthKeeping) return;
  state_->by_body.clear();
  state_->by_sha.clear();
  for (const Compiled& script : state_->scripts)
    luaL_unref(state_->lua, LUA_REGISTRYINDEX, script.function);
  state_->scripts.clear();
}

bool Lua::strained() const { return state_->run.strained(); }

void Lua::forget_scripts() {
  ++state_->epoch;
  if (std::exchange(state_->run.cjson_configured, false)) state_->sandbox.renew_cjson(state_->lua);
}

const Lua::Compiled* Lua::known(std::string_view sha) const {
  const auto found = state_->by_sha.find(sha);
  const bool there = found != state_->by_sha.end() && found->second->epoch == state_->epoch;
  return there ? found->second : nullptr;
}

std::uint8_t Lua::flags_of(std::string_view body) {
  std::uint8_t flags = 0;
  std::string error;
  return read_shebang(body, flags, error) ? flags : std::uint8_t{0};
}

const Lua::Compiled* Lua::compile(std::string_view body, std::string& error) {
  const auto found = state_->by_body.find(body);
  if (found != state_->by_body.end()) {
    found->second->epoch = state_->epoch;
    return found->second;
  }
  lua_State* lua = state_->lua;
  std::string_view source = body;
  std::uint8_t flags = 0;
  if (!read_shebang(source, flags, error)) return nullptr;
  // The interpreter does not check compiled code, so such a body must fail as source.
  std::string harmless;
  if (source.starts_with('\033')) source = harmless = ' ' + std::string(source);
  if (luaL_loadbuffer(lua, source.data(), source.size(), "@user_script") != 0) {
    error = "ERR Error compiling script (new function): ";
    error += to_first_zero(string_at(lua, -1));
    lua_pop(lua, 1);
    return nullptr;
  }
  // Without the read-only view, the lookup of a global takes half the time.
  if (!sets_globals(lua)) {
    lua_pushvalue(lua, kGlobals);
    lua_setfenv(lua, -2);
  }
  state_->scripts.push_back({.function = luaL_ref(lua, LUA_REGISTRYINDEX),
                             .flags = flags,
                             .epoch = state_->epoch,
                             .body = std::string(body),
                             .sha = sha1_hex(body)});
  Compiled* const compiled = &state_->scripts.back();
  state_->by_body.emplace(compiled->body, compiled);
  state_->by_sha.emplace(compiled->sha, compiled);
  return compiled;
}

void Lua::run(const Compiled& script, std::span<const std::string_view> keys,
              std::span<const std::string_view> args, ScriptHost& host, Reply& reply) {
  lua_State* lua = state_->lua;
  ScriptRun& run = state_->run;
  state_->sandbox.begin_script(lua);
  state_->set_global_array(kKeys, keys);
  state_->set_global_array(kArgv, args);
  lua_rawgeti(lua, LUA_REGISTRYINDEX, script.function);
  run.begin(host);
  const int status = lua_pcall(lua, 0, 1, kLocate);
  run.end();
  run.pass_on_escaped();
  if (status == 0) {
    to_reply(lua, reply, run.protocol, kTags);
  } else {
    describe_error(lua, script.sha, run.text);
    reply.set_error(run.text);
  }
  lua_settop(lua, kTop);
  run.tidy();
}

}  // namespace picklock::redis
