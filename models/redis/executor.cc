#include "models/redis/executor.h"

#include <utility>

#include "models/redis/blocked_clients.h"
#include "models/redis/config.h"
#include "models/redis/lifetime.h"
#include "models/redis/monitors.h"
#include "models/redis/pause_gate.h"
#include "models/redis/persistence.h"
#include "models/redis/propagation.h"
#include "models/redis/refusals.h"
#include "models/redis/replication.h"
#include "models/redis/script_runner.h"
#include "models/redis/slow_readers.h"
#include "models/redis/stats.h"
#include "models/redis/wire.h"
#include "picklock/client.h"

namespace picklock::redis {
namespace {

constexpr std::uint32_t kOfQueue = kRead | kWrite | kMayGrow | kMayReplicate | kOwnStack;

}  // namespace

void Executor::halted() {
  answering_ = nullptr;
  out_ = nullptr;
  of_stream_ = {};
}

std::uint32_t Executor::flags_of(const Call& call, const Command* command) const {
  if (command == nullptr) return 0;
  std::uint32_t flags = command->flags;
  if (call.session.in_multi && (flags & kRunsQueue) != 0)
    flags |= call.session.queued_flags & kOfQueue;
  if ((flags & kRunsScript) != 0 && call.words() > 1 &&
      (!pause_.open() || config_.max_memory() != 0 || replication_.is_replica() ||
       replication_.replicas().too_few())) {
    flags = flags_with_script(scripts_, *command, call.argv);
  }
  return flags;
}

// A command that is refused spoils the transaction it was meant for (R105).
void Executor::refuse(Call& call, std::uint32_t flags, std::string_view text) {
  if (call.session.in_multi) call.session.spoilt = true;
  if ((flags & kRunsQueue) == 0) {
    call.reply.set_error(text);
    return;
  }
  if (text.starts_with("CROSSSLOT") || text.starts_with("MOVED")) {  // R122
    call.reply.set_error(text);
    return call.session.end_transaction();
  }
  if (text.starts_with("ERR ")) text.remove_prefix(4);
  call.reply.set_error("EXECABORT Transaction discarded because of: " + std::string(text));
  call.session.end_transaction();
}

Executor::Result Executor::run(Call& call, const Command* command, sim::Payload& out,
                               bool on_own_thread) {
  Session& session = call.session;
  const std::uint32_t flags = flags_of(call, command);
  refusals_.look_at_memory();
  session.last_command = command;
  bool carried_out = false;
  if (const std::string_view text = refusals_.reason(call, command, flags); !text.empty()) {
    refuse(call, flags, text);
  } else if (pause_.holds_back(flags)) {
    return Result::held;
  } else if (session.in_multi && (flags & kNotQueued) == 0) {
    if (!session.spoilt) {
      session.queued.add(call.argv);
      session.queued_flags |= flags;
    }
    call.reply.set_status("QUEUED");
  } else if (!on_own_thread && (flags & kOwnStack) != 0) {
    return Result::own_thread;
  } else {
    // A script is shown before its commands.
    carried_out = !command->is(kRunsScript);
    if (!carried_out) show(call, *command);
    invoke(call, *command);
  }
  ++stats_.commands;
  session.last_command_at = lifetime_.now();
  if (session.blocked) {
    show(call, *command);
    return Result::blocked;
  }
  if (!call.written) {
    if (call.reply.is_error()) ++stats_.errors;
    if (session.wants_replies()) write_reply(out, call.reply, session.protocol);
  }
  if (session.replies == Replies::skip_next) {
    session.replies = Replies::skip_this;
  } else if (session.replies == Replies::skip_this) {
    session.replies = Replies::on;
  }
  if (carried_out) show(call, *command);
  return out.size() != 0 ? Result::answered : Result::silent;
}

void Executor::show(const Call& call, const Command& command) const {
  context_.monitors.show(&call.session, call.session.database, command, call.argv);
}

Executor::Result Executor::execute(const Order& order, Reply& reply, sim::Payload& out) {
  if (lifetime_.ending()) return Result::silent;
  Session& session = order.session;
  keys_.clock().freeze();
  const Actor actor{.tenure = order.tenure, .role = order.role};
  keys_.recorder().act_for(actor);
  const bool requests = order.role == Role::acquire && order.tenure != 0 && answering_ == nullptr;
  if (requests) keys_.recorder().arrived();
  Session* const before = std::exchange(answering_, &session);
  sim::Payload* const out_before = std::exchange(out_, &out);
  Call call{
      .server = context_, .keys = keys_, .session = session, .argv = order.argv, .reply = reply};
  const Result result = run(call, order.command, out, order.on_own_thread);
  if (effects_.wanted()) {
    if (before == nullptr && effects_.size() > 0) propagation_.hand_on();
    const bool queued =
        session.in_multi && order.command != nullptr && !order.command->is(kNotQueued);
    if (!queued) session.written_until = replication_.stream().offset;
  }
  if (!config_.save_points().empty()) persistence_.changed();
  answering_ = before;
  out_ = out_before;
  if (requests && (result == Result::answered || result == Result::silent))
    keys_.recorder().answered(actor, reply.is_error());
  if (result == Result::blocked) replication_.replicas().ask_for_acknowledgements();
  slow_readers_.close_due();
  if (before == nullptr) context_.blocked.settle();
  return result;
}

void Executor::invoke_and_keep(Call& call, const Command& command) {
  const std::uint64_t before = keys_.changes();
  command.run(call);
  if (command.is(kWrite) && !call.replicated && keys_.changes() != before)
    effects_.add(call.session.database, call.argv);
}

void Executor::obey(Argv argv, history::TenureId tenure, Role role) {
  const Command* const command = command_called(argv);
  if (command == nullptr || command->run == nullptr || command->is(kNotQueued)) return;
  keys_.clock().freeze();
  keys_.recorder().act_for({.tenure = tenure, .role = role});
  keys_.source().obey(true);
  Call call{.server = context_,
            .keys = keys_,
            .session = of_stream_,
            .argv = argv,
            .reply = reply_of_stream_};
  invoke(call, *command);
  keys_.source().obey(false);
}

void Executor::obeyed() {
  if (effects_.size() > 0) propagation_.hand_on();
  if (!config_.save_points().empty()) persistence_.changed();
}

}  // namespace picklock::redis
