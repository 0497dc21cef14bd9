#include "models/redis/script_runner.h"

#include <utility>

#include "models/redis/command_loop.h"
#include "models/redis/config.h"
#include "models/redis/executor.h"
#include "models/redis/redirection.h"
#include "models/redis/refusals.h"
#include "models/redis/replication.h"

namespace picklock::redis {

void ScriptRunner::spend(sim::Duration time) {
  // Other commands may run meanwhile; afterwards this one continues with its own time and actor.
  struct Resumed {
    Keyspace& keys;
    std::int64_t now_ms = keys.clock().frozen_ms();
    Actor actor = keys.recorder().actor();
    ~Resumed() {
      keys.cycle().hold(false);
      keys.clock().freeze_at(now_ms);
      keys.recorder().act_for(actor);
    }
  };
  const Resumed resumed{keys_};
  keys_.cycle().hold(true);
  sim::Scheduler& scheduler = service_.simulation().scheduler;
  if (!loop_.on_own_thread()) {
    scheduler.processes().step_clock(service_.process(), time);
    return;
  }
  scheduler.sleep(time);
  if (!running()) return;
  if (!too_long_ && !has_taken_too_long()) return;
  too_long_ = true;
  loop_.serve_waiting(call_->session);
}

bool ScriptRunner::has_taken_too_long() const {
  const std::int64_t limit_ms = config_.busy_after_ms();
  const std::int64_t now =
      service_.simulation().scheduler.local_time(service_.process(), sim::ClockKind::monotonic);
  return limit_ms != 0 && (now - began_) / 1'000'000 >= limit_ms;
}

Lua& ScriptRunner::lua() {
  if (lua_ == nullptr) {
    lua_ = std::make_shared<Lua>();
    made_in_ = service_.simulation().runs;
  }
  return *lua_;
}

// An interpreter that is parked in the middle of a script is not used again, nor is one in which
// later scripts could tell what earlier ones did.
void ScriptRunner::halted() {
  if (std::exchange(call_, nullptr) != nullptr) lua_.reset();
  if (lua_ != nullptr && lua_->strained()) lua_.reset();
  too_long_ = false;
  if (lua_ != nullptr) lua_->reset();
}

// The outcome of a script under strain depends on all scripts before it, so these must be of this
// run.
void ScriptRunner::note_strain(const Lua& lua) const {
  sim::Simulation& simulation = service_.simulation();
  if (lua.strained() && made_in_ != simulation.runs) simulation.stale = true;
}

void ScriptRunner::run(Call& call, const Lua::Compiled& script, bool read_only, Argv keys,
                       Argv args) {
  // A script judges expiry by its own beginning, also where it is part of a transaction (R25).
  const std::int64_t frozen_ms = keys_.clock().frozen_ms();
  keys_.clock().freeze();
  call_ = &call;
  session_.database = call.session.database;
  session_.protocol = 2;
  began_ =
      service_.simulation().scheduler.local_time(service_.process(), sim::ClockKind::monotonic);
  read_only_ = read_only;
  allows_oom_ = script.is(kAllowOom);
  wrote_ = kill_wanted_ = false;
  const std::shared_ptr<Lua> lua = lua_;
  try {
    lua->run(script, keys, args, *this, call.reply);
  } catch (...) {
    note_strain(*lua);
    if (call_ == &call) halted();
    throw;
  }
  note_strain(*lua);
  call_ = nullptr;
  too_long_ = false;
  keys_.clock().freeze_at(frozen_ms);
}

// Texts inside scripts differ from those outside (R76, R77).
std::string_view ScriptRunner::refusal(const Command* command, Argv argv) const {
  if (command == nullptr) return "ERR Unknown Redis command called from script";
  if (!command->takes(argv.size()))
    return "ERR Wrong number of args calling Redis command from script";
  if (command->is(kNoScript)) return "ERR This Redis command is not allowed from script";
  if (read_only_ && (command->is(kWrite) || command->is(kMayReplicate)))
    return "ERR Write commands are not allowed from read-only scripts.";  // R85
  if (command->is(kWrite) && !wrote_) {
    if (replication_.is_replica()) return kReadOnly;                // R49
    if (replication_.replicas().too_few()) return kTooFewReplicas;  // R57
  }
  // As it was when the script began, and not once it has written: half a script would be worse
  // (R106).
  if (refusals_.is_rare()) {
    if (refusals_.short_of_memory() && !wrote_ && !allows_oom_ && command->is(kMayGrow))
      return kOutOfMemory;
    if (context_.redirection.slots() != nullptr) {
      const std::string_view text = context_.redirection.reason_in_script(*command, argv);
      if (!text.empty()) return text;
    }
  }
  if (command->run == nullptr) return "ERR Unknown Redis command called from script";
  return {};
}

void ScriptRunner::run_command(Argv argv, Reply& reply) {
  const Command* const command = command_called(argv);
  if (const std::string_view text = refusal(command, argv); !text.empty()) {
    reply.set_error(text);
    return;
  }
  wrote_ = wrote_ || command->is(kWrite);
  Call call{.server = context_, .keys = keys_, .session = session_, .argv = argv, .reply = reply};
  executor_.invoke(call, *command);
  context_.monitors.show(nullptr, session_.database, *command, argv);
}

}  // namespace picklock::redis
