// Lua 5.1 as Redis embeds it: scripts see KEYS, ARGV and redis.call, and their result becomes a
// reply (R71-R83). One interpreter serves a server for its life in this process and keeps compiled
// scripts. A script leaves nothing behind in it except the state of math.random (R80) and the
// settings of cjson.
//
// A script takes time: see ScriptRun. While time passes, the script is parked inside the
// interpreter; an exception that ends its thread there unwinds through the interpreter.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "picklock/redis.h"
#include "sim/time.h"

struct lua_State;

namespace picklock::redis {

// The interface of the server to a script that runs on it.
class ScriptHost {
 public:
  virtual void run_command(std::span<const std::string_view> argv, Reply& reply) = 0;
  // Sets the protocol of later answers; 2 at the start (redis.setresp).
  virtual void speak(std::uint8_t protocol) = 0;
  // Lets time pass; may throw.
  virtual void spend(sim::Duration time) = 0;
  virtual bool script_kill_wanted() const = 0;

 protected:
  ~ScriptHost() = default;
};

// The flags declared by the first line of a script: `#!lua flags=no-writes,allow-oom`.
enum ScriptFlags : std::uint8_t {
  kNoWrites = 1u << 0,
  kAllowOom = 1u << 1,
  kAllowStale = 1u << 2,
  kNoCluster = 1u << 3,
  kAllowCrossSlot = 1u << 4,
  kFlagsDeclared = 1u << 5,  // there is such a line
};

class Lua {
 public:
  Lua();
  Lua(const Lua&) = delete;
  Lua& operator=(const Lua&) = delete;
  ~Lua();

  // Resets to the state of a server just started.
  void reset();

  struct Compiled {
    int function = 0;  // in the interpreter's registry
    std::uint8_t flags = 0;
    std::uint64_t epoch = 0;  // the server knows the script if this is the present epoch
    std::string body;
    std::string sha;

    bool is(ScriptFlags flag) const { return (flags & flag) != 0; }
  };
  // Compiles a script and makes it known to EVALSHA; its name is the SHA-1 of its body. Null:
  // `error` says why (R83).
  const Compiled* compile(std::string_view body, std::string& error);
  // The flags that the first line of a body declares; 0: none, or the line cannot be read.
  static std::uint8_t flags_of(std::string_view body);
  // 40 lower-case digits; null: EVALSHA knows no such script (R81).
  const Compiled* known(std::string_view sha) const;
  // Does what SCRIPT FLUSH does: it also resets the settings of cjson, but not the state of
  // math.random.
  void forget_scripts();

  // A script has used so much memory or stack that what later ones may use depends on it.
  bool strained() const;

  // Passes on exceptions of the host; afterwards the interpreter can only be destroyed.
  void run(const Compiled& script, std::span<const std::string_view> keys,
           std::span<const std::string_view> args, ScriptHost& host, Reply& reply);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace picklock::redis
