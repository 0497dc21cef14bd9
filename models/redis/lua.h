// Lua 5.1 as Redis embeds it: scripts see KEYS, ARGV and redis.call; what they return becomes a
// reply (R71-R83). One interpreter serves a server for its life in this process, and what compiled
// once is kept; a script leaves nothing behind in it but the state of math.random (R80) and the
// settings of cjson.
//
// A script takes time: see ScriptRun. While time passes the script is parked inside the
// interpreter, and what ends its thread there unwinds through it.
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

// The server, to a script that runs on it.
class ScriptHost {
 public:
  virtual void run_command(std::span<const std::string_view> argv, Reply& reply) = 0;
  // In which protocol commands answer from here on; 2 at the start (redis.setresp).
  virtual void speak(std::uint8_t protocol) = 0;
  // Lets time pass; may throw.
  virtual void spend(sim::Duration time) = 0;
  virtual bool script_kill_wanted() const = 0;

 protected:
  ~ScriptHost() = default;
};

// What the first line of a script says of it: `#!lua flags=no-writes,allow-oom`.
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

  // As in a server just started.
  void reset();

  struct Compiled {
    int function = 0;  // in the interpreter's registry
    std::uint8_t flags = 0;
    std::uint64_t epoch = 0;  // known to the server if it is the present one
    std::string body;
    std::string sha;

    bool is(ScriptFlags flag) const { return (flags & flag) != 0; }
  };
  // Compiles a script and makes it known to EVALSHA; its name is the SHA-1 of its body. Null:
  // `error` says why (R83).
  const Compiled* compile(std::string_view body, std::string& error);
  // What the first line of a body declares; 0: nothing, or it cannot be read.
  static std::uint8_t flags_of(std::string_view body);
  // 40 lower-case digits; null: EVALSHA knows no such script (R81).
  const Compiled* known(std::string_view sha) const;
  // As SCRIPT FLUSH does: the settings of cjson are forgotten too, the state of math.random is not.
  void forget_scripts();

  // Throws what the host throws; the interpreter can then only be destroyed.
  void run(const Compiled& script, std::span<const std::string_view> keys,
           std::span<const std::string_view> args, ScriptHost& host, Reply& reply);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace picklock::redis
