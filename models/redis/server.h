// One Redis server: a command loop over a keyspace, one command at a time, expiry by its own wall
// clock, and scripts in real Lua on a stack of their own. What happens to a key that a tenure owns
// goes into the history.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/keys.h"
#include "models/redis/lua.h"
#include "models/redis/reply.h"
#include "models/redis/store.h"
#include "models/tenures.h"
#include "sim/service.h"

namespace picklock::models::redis {

class Server final : public sim::Service, private ScriptHost {
 public:
  // Empty, for a new run.
  void reset(sim::Simulation& simulation, sim::Process& process, Tenures& tenures, Keys& keys);

  void start(sim::Keeps keeps) override;
  void halted() override;
  void clock_changed() override;
  bool evict(std::string_view key) override;

  // One command on behalf of a tenure (0: nobody's), as if it had just arrived. Scripts included:
  // the caller provides the stack. For tests and for a socket in front of the model.
  void execute(std::span<const std::string_view> argv, Reply& reply, sim::TenureId tenure = 0,
               std::uint8_t role = 0);

 private:
  friend struct Commands;
  using Argv = std::span<const std::string_view>;

  bool apply(sim::Message& request, sim::Payload& answer) override;
  void run_command(Argv argv, Reply& reply) override;  // from a script
  void run_scripts();                                  // the body of the script thread

  // --- for commands
  std::int64_t now_ms() const {
    return frozen_ms_;
  }  // expiry is judged by the time the command began (R25)
  std::int64_t clock_ms() const;
  Entry* live(std::string_view key);
  void put(std::string_view key, std::string_view value, std::int64_t deadline_ms);
  void remove(Entry& entry, sim::Cause cause, bool mourned = false);
  void set_deadline(Entry& entry, std::int64_t deadline_ms);
  void note(sim::What what, sim::Cause cause, const Entry& entry, sim::TenureId owner);
  sim::Instant dies(
      const Entry& entry) const;  // the instant at which it will be dead, on this clock
  void watch_death(Entry& entry);
  static void on_death(void* self, std::uint32_t slot);
  void eval(Argv argv, Reply& reply, bool by_sha);

  Tenures* tenures_ = nullptr;
  Keys* keys_ = nullptr;
  Store store_;
  std::vector<sim::TimerId> death_timers_;  // by slot
  std::int64_t frozen_ms_ = 0;
  sim::TenureId actor_ = 0;
  std::uint8_t role_ = 0;

  std::unique_ptr<Lua> lua_;
  std::vector<const Lua::Compiled*> cached_;  // what EVALSHA finds; gone after a restart (R81)
  std::vector<sim::Message*> waiting_;        // scripts, and what came behind them
  sim::Thread* script_thread_ = nullptr;

  std::vector<std::string_view> argv_;
  std::vector<std::string_view> script_argv_;
  Reply reply_;
  Reply script_reply_;
};

}  // namespace picklock::models::redis
