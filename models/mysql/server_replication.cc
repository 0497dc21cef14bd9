#include <algorithm>
#include <utility>

#include "models/mysql/server.h"
#include "models/mysql/tables.h"

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
  write(Event{.kind = Event::Kind::commit,
              .position = position + 1,
              .changes = logged.changes,
              .origin = in_ring() ? sources_[position].origin : 0},
        message.payload);
  simulation().network.send_unasked(message);
}

void Server::came(std::string_view bytes, history::TenureId by) {
  std::optional<Event> event = read_event(bytes);
  if (!event || event->kind != Event::Kind::commit) return;
  if (in_ring()) {
    relay(*std::move(event), by);
    return;
  }
  if (primary_) return;
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
  while (!primary_ || in_ring()) {
    caller_.aim(source_->process(), *source_);
    if (!caller_.connected() && caller_.connect(pause)) {
      caller_.post(Role::none, [this](sim::Payload& payload) {
        write(Event{.kind = Event::Kind::dump, .position = in_ring() ? received_ : binlog_.size()},
              payload);
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

// ---------------------------------------------------------------- several primaries

// A transaction that has gone round the ring is not applied again.
void Server::relay(Event event, history::TenureId by) {
  if (event.position != received_ + 1) return;
  received_ = event.position;
  if (event.origin == number_) return;
  relayed_.push_back({std::move(event), by});
  if (relayed_.size() == 1) apply_next();
}

Statement Server::step_of_applier() const {
  const Changes& changes = relayed_.front().event.changes;
  if (step_ == 0) return {.op = Op::begin};
  if (step_ > changes.size()) return {.op = Op::commit};
  const Change& change = changes[step_ - 1];
  if (!change.row) return {.op = Op::remove, .table = change.table, .key = change.key};
  Statement statement{
      .op = Op::insert, .table = change.table, .on_duplicate = OnDuplicate::updates};
  for (const Value& value : *change.row) statement.values.push_back({.value = value});
  const auto schema =
      std::find_if(schemas().begin(), schemas().end(),
                   [&change](const Schema& one) { return one.name == change.table; });
  for (std::size_t i = 1; i < schema->columns.size(); ++i)
    statement.set.push_back({schema->columns[i], {.value = (*change.row)[i]}});
  return statement;
}

// Begins with the transaction that has come.
void Server::apply_next() {
  if (applier_ == 0) applier_ = engine_.open();
  step_ = 0;
  go_on_applying();
}

// Applies what has come, as far as no client has a row that it changes.
void Server::go_on_applying() {
  while (!relayed_.empty() && !process().down()) {
    const std::optional<Answer> done = engine_.execute(applier_, step_of_applier(), wall_clock());
    settle({.tenure = relayed_.front().by});
    if (!done || process().down()) return;
    step_taken(*done);
  }
}

// The victim of a deadlock begins anew.
void Server::step_taken(const Answer& answer) {
  const bool last = step_ > relayed_.front().event.changes.size();
  step_ = answer.error == Error::deadlock || last ? 0 : step_ + 1;
  if (!last || !answer.ok()) return;
  if (!logged_) log_relayed();
  relayed_.pop_front();
  logged_ = false;
}

// The next primary of the ring gets it even if it has changed nothing here.
void Server::log_relayed() {
  logged_ = true;
  const Relayed& relayed = relayed_.front();
  sources_.push_back({.origin = relayed.event.origin, .position = relayed.event.position});
  append({relayed.event.changes, relayed.by});
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
  for (Server* one : group_) one->source_ = next;
  next->promote();
  // Only now, so that an entry which the replica has is seen to live on there.
  grants_->pass_to(*next->grants_);
}

// ---------------------------------------------------------------- groups

void Group::reset(history::RecordedSimulation& simulation, std::span<sim::Process* const> processes,
                  models::Tenures& tenures, std::span<const std::string> lock_keys,
                  const Settings& settings, Grants::OverBy over_by, models::Keys* any) {
  while (servers_.size() < processes.size()) servers_.emplace_back();
  members_.clear();
  ends_.clear();
  for (std::size_t i = 0; i < processes.size(); ++i) members_.push_back(&servers_[i]);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    servers_[i].reset(simulation, *processes[i], members_, tenures, lock_keys, settings, over_by,
                      any);
    ends_.push_back({processes[i], &servers_[i]});
  }
}

bool Group::takes_writes(const sim::Process& process) const {
  return std::any_of(members_.begin(), members_.end(), [&process](const Server* member) {
    return &member->process() == &process && member->is_primary();
  });
}

}  // namespace picklock::mysql
