#include "models/redis/blocked_clients.h"

#include <algorithm>
#include <utility>

#include "models/redis/command_loop.h"
#include "models/redis/connections.h"
#include "models/redis/effects.h"
#include "models/redis/executor.h"
#include "models/redis/propagation.h"
#include "models/redis/replication.h"
#include "models/redis/wire.h"

namespace picklock::redis {

void BlockedClients::reset() {
  timer_.bind<&BlockedClients::on_end>(service_.simulation().scheduler, &service_.process(), *this);
  blocked_.clear();
  ready_.clear();
  released_.clear();
}

void BlockedClients::halted() {
  for (const Blocked& blocked : blocked_) {
    if (blocked.request != nullptr) service_.simulation().network.release(*blocked.request);
  }
  blocked_.clear();
  ready_.clear();
  released_.clear();
}

void BlockedClients::block(Call& call, Blocked blocked, std::int64_t timeout_ms) {
  call.written = true;
  call.session.blocked = true;
  blocked.session = &call.session;
  if (timeout_ms != 0 && __builtin_add_overflow(keys_.clock().ms(), timeout_ms, &blocked.until_ms))
    blocked.until_ms = 0;
  blocked_.push_back(std::move(blocked));
  await_end();
}

void BlockedClients::block(Call& call, std::int64_t replicas, std::int64_t timeout_ms) {
  block(call, {.replicas = replicas}, timeout_ms);
}

void BlockedClients::block_on_lists(Call& call, Argv keys, std::int64_t timeout_ms) {
  block(call,
        {.keys = {keys.begin(), keys.end()},
         .command = std::string(call[0]),
         .actor = keys_.recorder().actor()},
        timeout_ms);
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
    if (!blocked.keys.empty() || there < blocked.replicas) {
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
    unblock(blocked, timed_out(blocked));
  }
}

Reply BlockedClients::timed_out(const Blocked& blocked) const {
  Reply reply;
  if (!blocked.keys.empty()) {
    reply.set(Reply::Kind::nil_array);
  } else {
    reply.set_integer(replication_.replicas().acknowledged_by(blocked.session->written_until));
  }
  return reply;
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

void BlockedClients::swapped(std::uint32_t one, std::uint32_t other) {
  for (const Blocked& blocked : blocked_) {
    const std::uint32_t database = blocked.session->database;
    if (database != one && database != other) continue;
    for (const std::string& key : blocked.keys) ready_.emplace_back(database, key);
  }
}

bool BlockedClients::unblock_later(std::int64_t id, bool error) {
  const bool blocked = std::any_of(blocked_.begin(), blocked_.end(), [id](const Blocked& one) {
    return static_cast<std::int64_t>(one.session->id) == id;
  });
  if (blocked) released_.emplace_back(id, error);
  return blocked;
}

// A client that goes on may release or serve another one.
void BlockedClients::settle_all() {
  while (!released_.empty()) {
    const auto [id, error] = released_.front();
    released_.erase(released_.begin());
    const auto found =
        std::find_if(blocked_.begin(), blocked_.end(),
                     [id = id](const Blocked& one) { return one.session->id == id; });
    if (found == blocked_.end()) continue;
    const Blocked blocked = *found;
    Reply reply = timed_out(blocked);
    if (error) reply.set_error("UNBLOCKED client unblocked via CLIENT UNBLOCK");
    unblock(blocked, reply);
  }
  while (!ready_.empty()) {
    const auto [database, key] = std::move(ready_.front());
    ready_.pop_front();
    serve_list(database, key);
  }
}

// In the order in which they were blocked, as long as there are elements.
void BlockedClients::serve_list(std::uint32_t database, std::string_view key) {
  for (std::size_t i = 0; i < blocked_.size();) {
    const Entry* const entry = keys_.live(database, key);
    if (entry == nullptr || entry->value.type() != Type::list) return;
    const Blocked& one = blocked_[i];
    const bool waits = one.session->database == database &&
                       std::find(one.keys.begin(), one.keys.end(), key) != one.keys.end();
    if (waits) {
      pop_for(Blocked(one), key);
      i = 0;  // the client goes on, and may have been blocked again
    } else {
      ++i;
    }
  }
}

void BlockedClients::pop_for(const Blocked& blocked, std::string_view key) {
  const Actor actor = keys_.recorder().act_for(blocked.actor);
  const std::string_view argv[] = {blocked.command, key, "0"};
  Reply reply;
  Call call{
      .server = context_, .keys = keys_, .session = *blocked.session, .argv = argv, .reply = reply};
  executor_.invoke(call, *command_named(blocked.command));
  if (context_.effects.size() > 0) propagation_.hand_on();
  keys_.recorder().act_for(actor);
  unblock(blocked, reply);
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
