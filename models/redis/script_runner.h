// Runs the scripts of a server: what a script may call, what time it takes, and that other clients
// are served, mostly with BUSY, once it has taken too long (R84).
#pragma once

#include <cstdint>
#include <memory>

#include "models/redis/commands.h"
#include "models/redis/lua.h"
#include "models/redis/parts.h"
#include "sim/service.h"

namespace picklock::redis {

class ScriptRunner final : private ScriptHost {
 public:
  explicit ScriptRunner(const Parts& parts)
      : context_(parts),
        service_(parts.service),
        config_(parts.config),
        keys_(parts.keys),
        executor_(parts.executor),
        loop_(parts.loop),
        refusals_(parts.refusals),
        replication_(parts.replication) {}

  // No script runs, and none is known to EVALSHA.
  void halted();

  // The interpreter, which is made when it is first needed.
  Lua& lua();
  bool has_lua() const { return lua_ != nullptr; }

  void run(Call& call, const Lua::Compiled& script, bool read_only, Argv keys, Argv args);
  // Lets time pass while nobody is served, except for what a script that has taken too long lets
  // through. Outside a run it sets the server's clock forward instead.
  void spend(sim::Duration time) override;

  // --- the script under way
  bool running() const { return call_ != nullptr; }
  bool wrote() const { return wrote_; }        // it has called a command that writes
  bool too_long() const { return too_long_; }  // it has taken too long: others are served
  void kill() { kill_wanted_ = true; }

 private:
  void run_command(Argv argv, Reply& reply) override;
  void speak(std::uint8_t protocol) override { session_.protocol = protocol; }
  bool script_kill_wanted() const override { return kill_wanted_; }
  // Why it does not run; empty: it does.
  std::string_view refusal(const Command* command, Argv argv) const;
  bool has_taken_too_long() const;
  void note_strain(const Lua& lua) const;

  const Context& context_;
  sim::Service& service_;
  const Config& config_;
  Keyspace& keys_;
  Executor& executor_;
  CommandLoop& loop_;
  Refusals& refusals_;
  Replication& replication_;

  std::shared_ptr<Lua> lua_;   // a script that is yet to be unwound holds its own
  std::uint64_t made_in_ = 0;  // the run in which the interpreter was made
  Call* call_ = nullptr;       // the command that runs a script
  Session session_;            // in whose name its commands run
  std::int64_t began_ = 0;     // by the process's monotonic clock
  bool read_only_ = false;
  bool allows_oom_ = false;
  bool wrote_ = false;
  bool kill_wanted_ = false;
  bool too_long_ = false;
};

}  // namespace picklock::redis
