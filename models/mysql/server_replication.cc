#include <algorithm>
#include <utility>

#include "models/mysql/server.h"

namespace picklock::mysql {
namespace {

using namespace std::chrono_literals;

constexpr sim::Duration kDialAgain = 1s;  // of a replica that has lost its primary

}  // namespace

// ---------------------------------------------------------------- replication

void Server::serve_replica(sim::Connection& connection, std::string_view bytes) {
  const std::optional<Event> event = read_event(bytes);
  if (!event) return;
  if (event->kind == Event::Kind::heartbeat) {
    sim::Message& beat = simulation().network.make(connection, 1);
    write(*event, beat.payload);
    simulation().network.send_unasked(beat);
    return;
  }
  followers_.push_back(&connection);
  for (std::uint64_t i = event->position; i < binlog_.size(); ++i) publish(i, connection);
}

void Server::publish(std::uint64_t position, sim::Connection& follower) {
  const Logged& logged = binlog_[position];
  sim::Message& message = simulation().network.make(follower, 1);
  message.tag = logged.tenure;
  write(Event{.kind = Event::Kind::commit, .position = position + 1, .changes = logged.changes},
        message.payload);
  simulation().network.send_unasked(message);
}

void Server::came(std::string_view bytes, history::TenureId by) {
  std::optional<Event> event = read_event(bytes);
  if (!event || event->kind != Event::Kind::commit || primary_) return;
  if (event->position != binlog_.size() + 1) return;  // of a diverged history
  engine_.apply(event->changes);
  append({std::move(event->changes), by});
  await();
}

// The thread of a replica: it keeps the connection to the primary, and acts as the group's operator
// when the primary is silent.
void Server::follow() {
  sim::Scheduler& scheduler = simulation().scheduler;
  follower_ = scheduler.running();
  const sim::Duration limit = settings_.promote_after;
  const sim::Duration pause =
      limit > sim::Duration::zero() ? std::min(limit / 4, kDialAgain) : kDialAgain;
  std::int64_t heard = now();
  while (!primary_) {
    caller_.aim(source_->process(), *source_);
    if (!caller_.connected() && caller_.connect(pause)) {
      caller_.post(Role::none, [this](sim::Payload& payload) {
        write(Event{.kind = Event::Kind::dump, .position = binlog_.size()}, payload);
      });
    } else if (caller_.connected() && limit > sim::Duration::zero()) {
      caller_.post(Role::none, [](sim::Payload& payload) {
        write(Event{.kind = Event::Kind::heartbeat}, payload);
      });
    }
    heard = std::max(heard, caller_.last_heard());
    if (limit > sim::Duration::zero() && now() - heard >= limit.count()) {
      promote();
      break;
    }
    if (limit > sim::Duration::zero() || !caller_.connected()) {
      scheduler.park_until(sim::ClockKind::monotonic, now() + pause.count());
    } else {
      scheduler.park();
    }
  }
  caller_.hang_up();
  follower_ = nullptr;
}

void Server::promote() {
  if (primary_) return;
  primary_ = true;
  tell("becomes the primary");
  look({.cause = history::Cause::failover});
  await();
}

void Server::fail_over(sim::Process* to) {
  if (!primary_) return;
  Server* next = nullptr;
  for (Server* one : group_) {
    if (one == this || one->process().down()) continue;
    if (to != nullptr ? &one->process() == to : next == nullptr || one->commits() > next->commits())
      next = one;
  }
  if (next == nullptr) return;
  primary_ = false;
  for (Grants& grants : grants_) grants.forget(history::Cause::failover);
  for (Server* one : group_) one->source_ = next;
  next->promote();
}

// ---------------------------------------------------------------- groups

void Group::reset(history::RecordedSimulation& simulation, std::span<sim::Process* const> processes,
                  models::Tenures& tenures, std::span<const std::string> lock_keys,
                  const Settings& settings, Grants::OverBy over_by) {
  while (servers_.size() < processes.size()) servers_.emplace_back();
  members_.clear();
  ends_.clear();
  for (std::size_t i = 0; i < processes.size(); ++i) members_.push_back(&servers_[i]);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    servers_[i].reset(simulation, *processes[i], members_, tenures, lock_keys, settings, over_by);
    ends_.push_back({processes[i], &servers_[i]});
  }
}

}  // namespace picklock::mysql
