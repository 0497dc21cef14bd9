#include "models/redis/blocked_clients.h"

#include <algorithm>
#include <utility>

#include "models/redis/command_loop.h"
#include "models/redis/connections.h"
#include "models/redis/replication.h"
#include "models/redis/wire.h"

namespace picklock::redis {

void BlockedClients::reset() {
  timer_.bind<&BlockedClients::on_end>(service_.simulation().scheduler, &service_.process(), *this);
  blocked_.clear();
}

void BlockedClients::halted() {
  for (const Blocked& blocked : blocked_) {
    if (blocked.request != nullptr) service_.simulation().network.release(*blocked.request);
  }
  blocked_.clear();
}

void BlockedClients::block(Call& call, std::int64_t replicas, std::int64_t timeout_ms) {
  call.written = true;
  call.session.blocked = true;
  const std::int64_t until_ms = timeout_ms == 0 ? 0 : keys_.clock().ms() + timeout_ms;
  blocked_.push_back({.session = &call.session, .replicas = replicas, .until_ms = until_ms});
  await_end();
}

void BlockedClients::keep(sim::Message& request) {
  request.taken = true;
  blocked_.back().request = &request;
}

void BlockedClients::forget(Session& session) {
  const auto mine = std::find_if(blocked_.begin(), blocked_.end(),
                                 [&](const Blocked& one) { return one.session == &session; });
  if (mine->request != nullptr) service_.simulation().network.release(*mine->request);
  blocked_.erase(mine);
}

void BlockedClients::serve() {
  for (std::size_t i = 0; i < blocked_.size();) {
    const Blocked blocked = blocked_[i];
    const std::int64_t there =
        replication_.replicas().acknowledged_by(blocked.session->written_until);
    if (there < blocked.replicas) {
      ++i;
      continue;
    }
    Reply reply;
    reply.set_integer(there);
    unblock(blocked, reply);
  }
}

void BlockedClients::unblock(const Blocked& blocked, const Reply& reply) {
  Session& session = *blocked.session;
  std::erase_if(blocked_, [&](const Blocked& one) { return one.session == &session; });
  session.blocked = false;
  if (blocked.request == nullptr) {
    sim::Payload bytes;
    write_reply(bytes, reply, session.protocol);
    session.unasked += bytes.view();
  } else {
    sim::Message& answer = service_.reply_to(*blocked.request);
    if (session.wants_replies()) write_reply(answer.payload, reply, session.protocol);
    loop_.finish(*blocked.request, answer, session,
                 answer.payload.size() > 0 ? Executor::Result::answered : Executor::Result::silent);
  }
  if (session.connected) loop_.go_on_with(session);
}

// The server looks at it whenever the event loop turns, which without traffic is ten times a second
// (R53).
void BlockedClients::time_out_all() {
  for (std::size_t i = 0; i < blocked_.size();) {
    const Blocked blocked = blocked_[i];
    if (blocked.until_ms == 0 || keys_.clock().ms() <= blocked.until_ms) {
      ++i;
      continue;
    }
    Reply reply;
    reply.set_integer(replication_.replicas().acknowledged_by(blocked.session->written_until));
    unblock(blocked, reply);
  }
}

void BlockedClients::await_end() {
  std::int64_t first_ms = INT64_MAX;
  for (const Blocked& blocked : blocked_) {
    if (blocked.until_ms != 0) first_ms = std::min(first_ms, blocked.until_ms);
  }
  constexpr std::int64_t kLast = INT64_MAX / 1'000'000 - 1;
  if (first_ms >= kLast) return;
  timer_.join();
  const sim::Instant over = keys_.clock().passes(first_ms);
  if (over == sim::kNever) return;
  timer_.arm_on(sim::ClockKind::monotonic, keys_.cycle().next_from(over));
}

void BlockedClients::on_end() {
  time_out_all();
  if (!blocked_.empty()) await_end();
}

void BlockedClients::unblock_all() {
  while (!blocked_.empty()) {
    const Blocked blocked = blocked_.front();
    Reply reply;
    reply.set_error(
        "UNBLOCKED force unblock from blocking operation, instance state changed (master -> "
        "replica?)");
    blocked.session->closing = true;
    unblock(blocked, reply);
    if (blocked.session->connected && blocked.request == nullptr)
      connections_.hang_up(*blocked.session);
  }
}

}  // namespace picklock::redis
