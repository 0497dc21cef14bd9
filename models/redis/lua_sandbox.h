// The part of Lua that scripts see: the libraries that Redis 7.0 allows, read-only. Everything that
// could make a script depend on something other than the run is fixed (R79). Redis patches its
// interpreter for read-only tables; here scripts hold views, and library functions that would see a
// view's inside are adapted.
//
// Two things are left as in any Lua: the order of `pairs` over keys that are tables or functions,
// and the C library behind math.sin and similar functions.
#pragma once

#include <cstddef>
#include <cstdint>

struct lua_State;

namespace picklock::redis {

class Sandbox {
 public:
  // Opens the libraries in a new interpreter; the table `redis` on top of its stack becomes one of
  // them. The sandbox must outlive the interpreter's last script.
  void install(lua_State* lua);

  // Call before each script: removes the traces of earlier scripts.
  void begin_script(lua_State* lua);
  // Resets math.random to the state of a server just started.
  void reseed() { random_ = kFirstRandom; }
  void renew_cjson(lua_State* lua);

  // Pushes the table of globals behind the view.
  void push_globals(lua_State* lua) const;

 private:
  friend struct SandboxFunctions;

  void replace_functions(lua_State* lua);
  void protect_globals(lua_State* lua);

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
