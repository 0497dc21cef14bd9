// The scripts of a server: how one runs, what it may call, and what time it takes.
#include <utility>

#include "models/redis/server.h"

namespace picklock::redis {

void Server::spend(sim::Duration time) {
  // Whatever happens meanwhile, the command goes on where it was.
  struct Resumed {
    Keyspace& keys;
    std::int64_t now_ms = keys.now_ms();
    history::TenureId actor = keys.actor();
    Role role = keys.role();
    ~Resumed() {
      keys.hold_cycle(false);
      keys.freeze_at(now_ms);
      keys.act_for(actor, role);
    }
  };
  const Resumed resumed{keyspace_};
  keyspace_.hold_cycle(true);
  sim::Scheduler& scheduler = simulation().scheduler;
  if (scheduler.running() == nullptr || scheduler.running() != own_thread_) {
    scheduler.step_clock(process(), time);
    return;
  }
  scheduler.sleep(time);
  if (!script_running()) return;
  const std::int64_t ran_ns =
      scheduler.local_time(process(), sim::ClockKind::monotonic) - script_began_;
  const std::int64_t limit_ms = config_.busy_after_ms();
  if (!busy_ && (limit_ms == 0 || ran_ns / 1'000'000 < limit_ms)) return;
  busy_ = true;
  serve_waiting();
}

// ---------------------------------------------------------------- scripts

Lua& Server::lua() {
  if (lua_ == nullptr) lua_ = std::make_shared<Lua>();
  return *lua_;
}

// One that is parked in the middle of a script is not used again.
void Server::end_scripts() {
  if (std::exchange(script_call_, nullptr) != nullptr) lua_.reset();
  busy_ = false;
  if (lua_ != nullptr) lua_->reset();
}

void Server::run_script(Call& call, const Lua::Compiled& script, bool read_only, Argv keys,
                        Argv args) {
  // A script judges expiry by its own beginning, also where it is part of a transaction (R25).
  const std::int64_t frozen_ms = keyspace_.now_ms();
  keyspace_.freeze();
  script_call_ = &call;
  script_session_.database = call.session.database;
  script_session_.protocol = 2;
  script_began_ = simulation().scheduler.local_time(process(), sim::ClockKind::monotonic);
  script_read_only_ = read_only;
  script_allows_oom_ = script.is(kAllowOom);
  script_wrote_ = script_kill_wanted_ = false;
  const std::shared_ptr<Lua> lua = lua_;
  try {
    lua->run(script, keys, args, *this, call.reply);
  } catch (...) {
    if (script_call_ == &call) end_scripts();
    throw;
  }
  script_call_ = nullptr;
  busy_ = false;
  keyspace_.freeze_at(frozen_ms);
}

// Texts inside scripts differ from those outside (R76, R77).
void Server::run_command(Argv argv, Reply& reply) {
  const Command* command = command_called(argv);
  if (command == nullptr) {
    reply.set_error("ERR Unknown Redis command called from script");
  } else if (!command->takes(argv.size())) {
    reply.set_error("ERR Wrong number of args calling Redis command from script");
  } else if (command->is(kNoScript)) {
    reply.set_error("ERR This Redis command is not allowed from script");
  } else if (script_read_only_ && (command->is(kWrite) || command->is(kMayReplicate))) {
    reply.set_error("ERR Write commands are not allowed from read-only scripts.");  // R85
  } else if (command->is(kWrite) && !script_wrote_ && replication_.is_replica()) {
    reply.set_error(kReadOnly);  // R49
  } else if (command->is(kWrite) && !script_wrote_ && replication_.too_few_replicas()) {
    reply.set_error(kTooFewReplicas);  // R57
  } else if (short_of_memory_ && config_.max_memory() != 0 && !script_wrote_ &&
             !script_allows_oom_ && command->is(kMayGrow)) {
    // As it was when the script began, and not once it has written: half a script would be worse
    // (R106).
    reply.set_error(kOutOfMemory);
  } else if (command->run == nullptr) {
    reply.set_error("ERR Unknown Redis command called from script");
  } else {
    script_wrote_ = script_wrote_ || command->is(kWrite);
    Call call{.server = *this,
              .keys = keyspace_,
              .session = script_session_,
              .argv = argv,
              .reply = reply};
    invoke(call, *command);
  }
}

}  // namespace picklock::redis
