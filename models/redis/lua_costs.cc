#include "models/redis/lua_costs.h"

#include <bit>
#include <lua.hpp>

#include "models/redis/lua_run.h"
#include "models/redis/lua_views.h"

namespace picklock::redis::costs {
namespace {

// The cost in instructions of work that the interpreter does not count.
constexpr std::size_t kCallWork = 5;
constexpr std::size_t kCoroutineWork = 20;
constexpr std::size_t kErrorWork = 40;
constexpr std::size_t kLoadWork = 100;
constexpr std::size_t kBytesAnInstruction = 16;

std::size_t length(lua_State* lua) { return lua_istable(lua, 1) ? lua_objlen(lua, 1) : 0; }

// Charges for the elements after the place, which are moved.
void charge_shift(lua_State* lua, int arguments) {
  const lua_Number place = lua_gettop(lua) >= arguments ? lua_tonumber(lua, 2) : 0;
  const auto size = static_cast<lua_Number>(length(lua));
  if (place >= 1 && place < size) charge(lua, static_cast<std::size_t>(size - place));
}

}  // namespace

void charge(lua_State* lua, std::size_t instructions) {
  ScriptRun::of(lua).charge(lua, instructions);
}

void charge_error(lua_State* lua) { charge(lua, kErrorWork); }

void charge_load(lua_State* lua) { charge(lua, kLoadWork); }

int original(lua_State* lua) { return lua_tocfunction(lua, lua_upvalueindex(2))(lua); }

int catches(lua_State* lua) {
  const int results = original(lua);
  ScriptRun& run = ScriptRun::of(lua);
  run.pass_on_escaped();
  run.charge(lua, lua_toboolean(lua, -results) != 0 ? kCoroutineWork : kErrorWork);
  return results;
}

std::size_t of_texts(lua_State* lua, int first) {
  std::size_t size = 0;
  for (int i = first; i <= lua_gettop(lua); ++i) {
    if (lua_type(lua, i) == LUA_TSTRING) size += lua_objlen(lua, i);
  }
  return kCallWork + size / kBytesAnInstruction;
}

int works_on_texts(lua_State* lua) {
  charge(lua, of_texts(lua, 1));
  const int results = original(lua);
  charge(lua, of_texts(lua, lua_gettop(lua) - results + 1));
  return results;
}

int serialises(lua_State* lua) {
  views::strip_arguments(lua);
  return works_on_texts(lua);
}

int repeats(lua_State* lua) {
  const lua_Number times = lua_tonumber(lua, 2);
  if (times > 0 && times < 1e9) charge(lua, static_cast<std::size_t>(times) / 4);
  return works_on_texts(lua);
}

int walks(lua_State* lua) {
  views::see_through(lua, 1);
  charge(lua, length(lua));
  return works_on_texts(lua);
}

int sorts(lua_State* lua) {
  const std::size_t size = length(lua);
  charge(lua, size * static_cast<std::size_t>(std::bit_width(size)));
  return original(lua);
}

int inserts(lua_State* lua) {
  if (views::see_through(lua, 1)) return views::refuse(lua);
  charge_shift(lua, 3);
  return original(lua);
}

int removes(lua_State* lua) {
  charge_shift(lua, 2);
  return original(lua);
}

int unpacks(lua_State* lua) {
  const int results = original(lua);
  charge(lua, static_cast<std::size_t>(results));
  return results;
}

}  // namespace picklock::redis::costs
