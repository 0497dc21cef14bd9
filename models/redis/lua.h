// Lua 5.1 as Redis embeds it: scripts see KEYS, ARGV and redis.call; what they return becomes a
// reply (R71-R83). One interpreter serves a server for its life in this process, and what compiled
// once is kept; scripts cannot leave anything behind in it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "models/redis/reply.h"

struct lua_State;

namespace picklock::models::redis {

// What a script may do to the server it runs on.
class ScriptHost {
 public:
  virtual void run_command(std::span<const std::string_view> argv, Reply& reply) = 0;

 protected:
  ~ScriptHost() = default;
};

class Lua {
 public:
  Lua();
  Lua(const Lua&) = delete;
  Lua& operator=(const Lua&) = delete;
  ~Lua();

  // As in a server just started: what one script may leave to the next is the state of math.random
  // (R80).
  void reset();

  // Compiles a script and keeps it; the name is the SHA-1 of its body. Null: `error` says why
  // (R83).
  struct Compiled {
    int function = 0;  // in the interpreter's registry
    std::string body;
    std::string sha;
  };
  const Compiled* compile(std::string_view body, std::string& error);
  const Compiled* known(std::string_view sha) const;

  void run(const Compiled& script, std::span<const std::string_view> keys,
           std::span<const std::string_view> args, ScriptHost& host, Reply& reply);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace picklock::models::redis
