// CLIENT PAUSE: what arrives meanwhile, and what becomes of it (R107).
#include <algorithm>
#include <utility>

#include "models/redis/server.h"

namespace picklock::redis {

bool Server::pause_over() const { return keyspace_.clock_ms() > paused_until_ms_; }

// The longer and the stricter of two counts. It is looked at ten times a second (R107).
void Server::pause_clients(std::int64_t until_ms, Pause what) {
  if (paused_ == Pause::none && until_ms < keyspace_.clock_ms()) return;
  if (paused_ == Pause::none) paused_until_ms_ = until_ms;
  paused_until_ms_ = std::max(paused_until_ms_, until_ms);
  paused_ = std::max(paused_, what);
  keyspace_.hold_expiry(true);
  if (!has_pause_timer_) {
    pause_timer_ = simulation().scheduler.add_timer(&process(), &Server::on_pause_end, this, 0);
    has_pause_timer_ = true;
  }
  await_pause_end();
}

void Server::await_pause_end() {
  sim::Scheduler& scheduler = simulation().scheduler;
  const sim::LocalClock& clock = process().clock();
  constexpr std::int64_t kLast = INT64_MAX / 1'000'000 - 1;
  if (paused_until_ms_ >= kLast) return;
  const sim::Instant over =
      clock.when(sim::ClockKind::wall, (paused_until_ms_ + 1) * 1'000'000, now());
  if (over == sim::kNever) return;
  const std::int64_t local =
      clock.read(sim::ClockKind::monotonic, std::max(over, now() + sim::Duration(1)));
  scheduler.arm_on(pause_timer_, sim::ClockKind::monotonic, keyspace_.next_cycle(local));
}

void Server::on_pause_end(void* self, std::uint32_t) {
  auto& server = *static_cast<Server*>(self);
  if (server.paused_ != Pause::none && (!server.waiting_.empty() || !server.pause_over())) {
    server.await_pause_end();
    return;
  }
  server.end_pause();
}

// What is held goes on after the command under way.
void Server::unpause_clients() {
  if (paused_ == Pause::none) return;
  paused_ = Pause::none;
  keyspace_.hold_expiry(false);
  simulation().scheduler.arm(pause_timer_, now());
}

void Server::end_pause() {
  paused_ = Pause::none;
  keyspace_.hold_expiry(false);
  release_held();
  release_postponed();
}

// Connection by connection, in the order in which they were stopped.
void Server::release_held() {
  released_.swap(held_);
  for (const sim::Message* request : released_) {
    if (Session* session = session_behind(*request)) session->held = 0;
  }
  for (std::size_t first = 0; first < released_.size(); ++first) {
    if (released_[first] == nullptr) continue;
    const sim::Connection* const connection = released_[first]->connection;
    for (std::size_t i = first; i < released_.size(); ++i) {
      if (released_[i] == nullptr || released_[i]->connection != connection) continue;
      sim::Message& request = *std::exchange(released_[i], nullptr);
      Session* const session = session_behind(request);
      if (session == nullptr || process().down()) {
        simulation().network.release(request);
      } else if (process().paused()) {
        hold(request, *session);
      } else if (must_wait(*session)) {
        put_off(request, *session);
      } else {
        serve(request, *session);
      }
    }
  }
  released_.clear();
  // The process was stopped over it, and goes on with the rest when it runs again.
  if (!held_.empty() && paused_ == Pause::none) simulation().scheduler.arm(pause_timer_, now());
}

// Likewise; one that is stopped again meanwhile is at the end of the next round.
void Server::release_postponed() {
  if (!released_sessions_.empty()) return;  // it is under way
  while (paused_ == Pause::none && !stopped_.empty()) {
    released_sessions_.swap(stopped_);
    for (Session* const& session : released_sessions_) {
      if (session == nullptr) continue;
      CommandQueue commands;
      std::swap(commands, session->postponed);
      commands.each(queued_words_, [&](Argv argv) {
        if (session == nullptr) return;  // closed meanwhile
        sim::Payload bytes;
        execute(*session, argv, bytes);
        if (session != nullptr) session->unasked += bytes.view();
      });
    }
    released_sessions_.clear();
  }
}

}  // namespace picklock::redis
