// A server as a master and as a replica: what its writes come to, what it does at its master's
// word, and who waits for its replicas.
#include <algorithm>
#include <utility>

#include "models/redis/group.h"
#include "models/redis/server.h"
#include "models/redis/wire.h"

namespace picklock::redis {

bool Call::replicates() const { return server.effects().wanted(); }

void Call::replicate(Argv command) {
  replicated = true;
  server.effects().add(session.database, command);
}

void Server::invoke_and_keep(Call& call, const Command& command) {
  const std::uint64_t before = keyspace_.changes();
  command.run(call);
  if (command.is(kWrite) && !call.replicated && keyspace_.changes() != before)
    effects_.add(call.session.database, call.argv);
}

void Server::hand_on_effects() {
  // On the master's disk before it is on its way, as before it is answered (R95).
  if (persistence_.logs()) persistence_.log(effects_, keyspace_.actor(), keyspace_.role());
  replication_.propagate(effects_, keyspace_.actor(), keyspace_.role());
  effects_.clear();
}

// A dead key goes as a command of its own; with the command that came upon it, if one did.
void Server::on_forgotten(void* self, std::uint32_t database, std::string_view key) {
  auto& server = *static_cast<Server*>(self);
  if (!server.effects_.wanted()) return;
  server.effects_.add(database, {"DEL", key});
  if (server.answering_ == nullptr) server.hand_on_effects();
}

void Server::promoted() {
  if (group_ != nullptr) group_->promoted(*this);
}

void Server::fail_over(sim::Process* to) {
  if (group_ != nullptr) group_->fail_over(*this, to);
}

void Server::receivers_changed() {
  effects_.want(replication_.wants_effects() || persistence_.logs());
}

void Server::obeyed() {
  if (effects_.size() > 0) hand_on_effects();
  if (!config_.save_points().empty()) persistence_.changed();
}

void Server::obey(Argv argv, history::TenureId tenure, Role role) {
  const Command* const command = command_called(argv);
  if (command == nullptr || command->run == nullptr || command->is(kNotQueued)) return;
  keyspace_.freeze();
  keyspace_.act_for(tenure, role);
  keyspace_.obey(true);
  Call call{.server = *this,
            .keys = keyspace_,
            .session = master_session_,
            .argv = argv,
            .reply = reply_};
  invoke(call, *command);
  keyspace_.obey(false);
}

// ---------------------------------------------------------------- WAIT

void Server::block(Call& call, std::int64_t replicas, std::int64_t timeout_ms) {
  call.written = true;
  call.session.blocked = true;
  const std::int64_t until_ms = timeout_ms == 0 ? 0 : keyspace_.clock_ms() + timeout_ms;
  blocked_.push_back({.session = &call.session, .replicas = replicas, .until_ms = until_ms});
  await_blocked_end();
}

void Server::keep_blocked(sim::Message& request) {
  request.taken = true;
  blocked_.back().request = &request;
}

void Server::serve_waiters() {
  for (std::size_t i = 0; i < blocked_.size();) {
    const Blocked blocked = blocked_[i];
    const std::int64_t there = replication_.acknowledged_by(blocked.session->written_until);
    if (there < blocked.replicas) {
      ++i;
      continue;
    }
    Reply reply;
    reply.set_integer(there);
    unblock(blocked, reply);
  }
}

void Server::unblock(const Blocked& blocked, const Reply& reply) {
  Session& session = *blocked.session;
  std::erase_if(blocked_, [&](const Blocked& one) { return one.session == &session; });
  session.blocked = false;
  if (blocked.request == nullptr) {
    sim::Payload bytes;
    write_reply(bytes, reply, session.protocol);
    session.unasked += bytes.view();
  } else {
    sim::Message& answer = reply_to(*blocked.request);
    if (session.wants_replies()) write_reply(answer.payload, reply, session.protocol);
    finish(*blocked.request, answer, session,
           answer.payload.size() > 0 ? Outcome::answered : Outcome::silent);
  }
  if (session.connected) go_on_with(session);
}

// It is looked at whenever the event loop turns, which without traffic is ten times a second (R53).
void Server::time_out_blocked() {
  for (std::size_t i = 0; i < blocked_.size();) {
    const Blocked blocked = blocked_[i];
    if (blocked.until_ms == 0 || keyspace_.clock_ms() <= blocked.until_ms) {
      ++i;
      continue;
    }
    Reply reply;
    reply.set_integer(replication_.acknowledged_by(blocked.session->written_until));
    unblock(blocked, reply);
  }
}

void Server::await_blocked_end() {
  std::int64_t first_ms = INT64_MAX;
  for (const Blocked& blocked : blocked_) {
    if (blocked.until_ms != 0) first_ms = std::min(first_ms, blocked.until_ms);
  }
  constexpr std::int64_t kLast = INT64_MAX / 1'000'000 - 1;
  if (first_ms >= kLast) return;
  sim::Scheduler& scheduler = simulation().scheduler;
  if (!has_blocked_timer_) {
    blocked_timer_ = scheduler.add_timer(&process(), &Server::on_blocked_end, this, 0);
    has_blocked_timer_ = true;
  }
  const sim::LocalClock& clock = process().clock();
  const sim::Instant over = clock.when(sim::ClockKind::wall, (first_ms + 1) * 1'000'000, now());
  if (over == sim::kNever) return;
  const std::int64_t local =
      clock.read(sim::ClockKind::monotonic, std::max(over, now() + sim::Duration(1)));
  scheduler.arm_on(blocked_timer_, sim::ClockKind::monotonic, keyspace_.next_cycle(local));
}

void Server::on_blocked_end(void* self, std::uint32_t) {
  auto& server = *static_cast<Server*>(self);
  server.time_out_blocked();
  if (!server.blocked_.empty()) server.await_blocked_end();
}

void Server::unblock_all() {
  while (!blocked_.empty()) {
    const Blocked blocked = blocked_.front();
    Reply reply;
    reply.set_error(
        "UNBLOCKED force unblock from blocking operation, instance state changed (master -> "
        "replica?)");
    blocked.session->closing = true;
    unblock(blocked, reply);
    if (blocked.session->connected && blocked.request == nullptr) hang_up(*blocked.session);
  }
}

// What the connection has sent while it was blocked.
void Server::go_on_with(Session& session) {
  if (session.held > 0) {
    std::vector<sim::Message*> mine;
    std::erase_if(held_, [&](sim::Message* request) {
      if (session_behind(*request) != &session) return false;
      mine.push_back(request);
      return true;
    });
    session.held = 0;
    for (sim::Message* request : mine) {
      if (!session.connected) {
        simulation().network.release(*request);
      } else if (must_wait(session)) {
        put_off(*request, session);
      } else {
        serve(*request, session);
      }
    }
  }
  if (paused_ == Pause::none) release_postponed();
}

}  // namespace picklock::redis
