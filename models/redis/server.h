// One Redis server: a command loop over a keyspace, one command at a time, in the order of arrival.
// Commands that run an interpreter or take time run on a thread of the server's own, and what
// arrives meanwhile waits for them.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/redis/commands.h"
#include "models/redis/keyspace.h"
#include "models/redis/lua.h"
#include "models/redis/reply.h"
#include "models/redis/session.h"
#include "sim/service.h"

namespace picklock::models::redis {

class Server final : public sim::Service, private ScriptHost {
 public:
  // Empty, for a new run.
  void reset(sim::Simulation& simulation, sim::Process& process, Tenures& tenures, Keys& keys);

  // --- sim::Program
  void start(sim::Keeps keeps) override;
  void halted() override;
  void clock_changed() override;
  bool evict(std::string_view key) override;
  void on_reset(sim::Connection& connection) override;

  // --- connections
  // One that is not on the simulated network: for tests, and for a socket in front of the model.
  Session& connect();
  void disconnect(Session& session);
  std::span<Session* const> sessions() const { return connected_; }  // in the order of arrival

  // One command on behalf of a tenure (0: nobody's), as if it had just arrived; its answer, and
  // what is pushed to the same connection with it, in order, go to `out`. Scripts included: the
  // caller provides the stack.
  void execute(Session& session, Argv argv, sim::Payload& out, sim::TenureId tenure = 0,
               std::uint8_t role = 0);
  // A frame that nobody asked for.
  void push(Session& session, const Reply& frame);

  // --- for commands
  Lua& lua();
  void run_script(Call& call, const Lua::Compiled& script, bool read_only, Argv keys, Argv args);
  // Lets time pass while nobody is served. Outside a run the server's clock is set on instead.
  void spend(sim::Duration time) override;
  // The script under way: whether there is one, has called a command that writes, is to end.
  bool script_running() const { return script_call_ != nullptr; }
  bool script_wrote() const { return script_wrote_; }
  bool script_kill_wanted() const override { return script_kill_wanted_; }
  void want_script_kill() { script_kill_wanted_ = true; }

 private:
  using Service::simulation;

  bool apply(sim::Message& request, sim::Payload& answer) override;
  // --- from a script
  void run_command(Argv argv, Reply& reply) override;
  void speak(std::uint8_t protocol) override { script_session_.protocol = protocol; }

  void run_own_thread();
  Session& session_of(sim::Connection& connection);
  Session& open_session();
  void perform(Call& call, sim::Payload& out);
  void end_scripts();

  Keyspace keyspace_;
  std::deque<Session> sessions_;  // every one there ever was; reused when closed
  std::vector<Session*> connected_;
  std::uint64_t session_ids_ = 0;

  std::shared_ptr<Lua> lua_;     // a script that is yet to be unwound holds its own
  Call* script_call_ = nullptr;  // the command that runs a script
  Session script_session_;       // in whose name its commands run
  bool script_read_only_ = false;
  bool script_wrote_ = false;
  bool script_kill_wanted_ = false;
  std::vector<sim::Message*> waiting_;  // what is for the own thread, and what came behind it
  sim::Thread* own_thread_ = nullptr;

  Session* answering_ = nullptr;  // whose command is under way, and where its answer goes
  sim::Payload* out_ = nullptr;
  std::vector<std::string_view> argv_;
  std::vector<std::string_view> own_argv_;
  Reply reply_;
  Reply own_reply_;
};

}  // namespace picklock::models::redis
