#include "models/redis/lua_run.h"

#include <lua.hpp>
#include <utility>

#include "models/redis/lua_values.h"

namespace picklock::redis {

ScriptRun& ScriptRun::of(lua_State* lua) {
  void* self = nullptr;
  lua_getallocf(lua, &self);
  return *static_cast<ScriptRun*>(self);
}

lua_State* ScriptRun::open_interpreter() {
  lua_ = lua_newstate(&ScriptRun::allocate, this);
  if (lua_ != nullptr) lua_gc(lua_, LUA_GCSTOP, 0);
  return lua_;
}

void ScriptRun::begin(ScriptHost& host) {
  host_ = &host;
  protocol = 2;
  unpaid_ = 0;
  limit_ = used_ + kMostMemory;
  collect_at_ = used_ + kMuchMemory;
  lua_sethook(lua_, &ScriptRun::on_count, LUA_MASKCOUNT, kPortion);
}

void ScriptRun::end() {
  limit_ = SIZE_MAX;
  collect_at_ = SIZE_MAX;
  if (std::exchange(hungry_, false)) tidy_at_ = 0;  // the script has left much garbage
}

void ScriptRun::tidy() {
  constexpr std::size_t kWorthIt = std::size_t{256} << 10;
  if (used_ < tidy_at_) return;
  lua_gc(lua_, LUA_GCCOLLECT, 0);
  lua_gc(lua_, LUA_GCSTOP, 0);
  tidy_at_ = used_ + kWorthIt;
}

void ScriptRun::pay(lua_State* lua) {
  pass_on_escaped();
  const auto due = static_cast<std::int64_t>(unpaid_);
  unpaid_ = 0;
  if (due > 0) guarded([&] { host_->spend(kInstruction * due); });
  if (!host_->script_kill_wanted()) return;
  // From here on the hook runs at every line, as on the real server, because a script may catch the
  // error.
  lua_sethook(lua, &ScriptRun::on_count, LUA_MASKLINE, 0);
  push_error(lua, "ERR Script killed by user with SCRIPT KILL...");
  lua_error(lua);
}

void ScriptRun::on_count(lua_State* lua, lua_Debug* event) {
  ScriptRun& run = of(lua);
  if (event->event == LUA_HOOKCOUNT) run.unpaid_ += static_cast<std::size_t>(kPortion);
  run.pay(lua);
}

void* ScriptRun::allocate(void* self, void* block, std::size_t old_size, std::size_t size) {
  auto& run = *static_cast<ScriptRun*>(self);
  if (size == 0) {
    run.memory_.free(block, old_size);
    run.used_ -= old_size;
    return nullptr;
  }
  const std::size_t used = run.used_ - old_size + size;
  if (size > old_size && old_size >= kLargeBlock) run.strained_ = true;
  if (size > old_size && used > run.limit_) return nullptr;
  void* const moved = run.memory_.resize(block, old_size, size);
  if (moved == nullptr) return nullptr;
  run.used_ = used;
  if (used > run.collect_at_) {
    run.collect_at_ = SIZE_MAX;
    run.hungry_ = run.strained_ = true;
    lua_gc(run.lua_, LUA_GCRESTART, 0);
  }
  return moved;
}

}  // namespace picklock::redis
