// What a script can see of Lua: the libraries Redis 7.0 lets through, unchangeable, and with
// everything pinned that would let something but the run decide what it does (R79). Redis patches
// its interpreter for read-only tables; here scripts hold views, and the functions that would
// reach past one know them.
//
// Left as in any Lua: the order of `pairs` over keys that are tables or functions, and functions
// of the C library behind math.sin and its like.
#pragma once

#include <cstddef>
#include <cstdint>

struct lua_State;

namespace picklock::redis {

class Sandbox {
 public:
  // Opens the libraries in a new interpreter; a table `redis` stands on top of its stack and
  // becomes one of them. Must outlive the interpreter's last script.
  void install(lua_State* lua);

  // Before each script: nothing shows that there was one before.
  void begin_script(lua_State* lua);
  // As in a server just started.
  void reseed() { random_ = kFirstRandom; }
  void renew_cjson(lua_State* lua);

  // The table of globals behind the view, on top of the stack.
  void push_globals(lua_State* lua) const;

 private:
  friend struct SandboxFunctions;
  static constexpr std::uint64_t kFirstRandom = 0x1234ABCD330E;

  std::uint64_t random_ = kFirstRandom;  // Redis's own copy of lrand48
  std::uint32_t serials_ = 0;            // of objects that were printed
  int globals_ = 0;                      // in the registry, as the next three
  int globals_metatable_ = 0;
  int numbered_ = 0;  // object -> serial number
  int string_metatable_ = 0;
  int (*resume_)(lua_State*) = nullptr;  // of the library of coroutines
};

}  // namespace picklock::redis
