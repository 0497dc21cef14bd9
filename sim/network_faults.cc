// The failures of a network: lost and held messages, broken connections, partitions, crashes.
#include "sim/network.h"

#include <algorithm>

namespace picklock::sim {

void Network::lose(Message& message) {
  scheduler_.record().digest().add(message.mark);
  if (scheduler_.record().tracer().on()) trace(TraceKind::lost, message);
  let_go(*message.connection);
  release(message);
}

void Network::forget(std::uint32_t slot) { lose(messages_[slot]); }

void Network::keep_back(Connection& connection, Connection::Direction& direction,
                        Message& message) {
  if (scheduler_.record().tracer().on()) trace(TraceKind::held, message);
  if (direction.blocks > 0 && !direction.hold)
    is_found_blocked(*connection.end_[message.direction], *connection.end_[1 - message.direction]);
  message.next = 0;
  if (direction.first_held == 0) {
    direction.first_held = message.slot + 1;
    direction.held_since = scheduler_.now();
    if (patience_ > Duration::zero()) {
      Timer& timer = patience_timers_.at_least(patience_timers_used_++);
      timer.bind<&Network::out_of_patience>(scheduler_, nullptr, *this, connection.index_);
      timer.arm(scheduler_.now() + patience_);
    }
  } else {
    messages_[direction.last_held - 1].next = message.slot + 1;
  }
  direction.last_held = message.slot + 1;
  refresh(connection);
}

void Network::out_of_patience(std::uint32_t index) {
  Connection& connection = connections_[index];
  if (connection.broken_) return;
  for (const auto& direction : connection.direction_) {
    if (direction.first_held != 0 && direction.held_since + patience_ <= scheduler_.now()) {
      reset_connection(connection, 0);
      reset_connection(connection, 1);
      return;
    }
  }
}

void Network::flush(Connection& connection, std::uint8_t side) {
  auto& direction = connection.direction_[side];
  Connection::Way& way = connection.way_[side];
  std::uint32_t next = direction.first_held;
  direction.first_held = direction.last_held = 0;
  direction.held_since = kNever;
  while (next != 0) {
    Message& message = messages_[next - 1];
    next = message.next;
    Instant due = scheduler_.now() + way.latency->draw(way.random);
    if (due <= way.last_due) due = way.last_due + Duration(1);
    way.last_due = due;
    message.reach(Stage::released);
    direction.behind = due;
    scheduler_.queue().push(due, EventKind::deliver, message.slot, 0);
  }
  refresh(connection);
}

void Network::drop_held(Connection& connection, std::uint8_t way) {
  auto& direction = connection.direction_[way];
  std::uint32_t next = direction.first_held;
  direction.first_held = direction.last_held = 0;
  while (next != 0) {
    Message& message = messages_[next - 1];
    next = message.next;
    lose(message);
  }
}

// Notifies one end that the connection is gone. Messages in flight on it are lost.
void Network::reset_connection(Connection& connection, int end_that_hears) {
  connection.broken_ = true;
  drop_held(connection, 0);
  drop_held(connection, 1);
  refresh(connection);
  Process& process = *connection.end_[end_that_hears];
  if (process.down() || connection.incarnation_[end_that_hears] != process.incarnation()) return;
  Message& word = make_signal(connection, 1 - end_that_hears, MessageKind::reset);
  word.reach(Stage::arrived);  // the end is notified by its own kernel
  word.mark = connection.hash_ ^ 7;
  if (scheduler_.record().tracer().on()) {
    scheduler_.record().tracer().add({.at = scheduler_.now(),
                                      .kind = TraceKind::reset,
                                      .process = process.id(),
                                      .peer = connection.end_[1 - end_that_hears]->id()});
  }
  enqueue(word, scheduler_.now());
}

const Network::Cut* Network::first_cut(const Process& from, const Process& to) const {
  for (const Cut& cut : cuts_) {
    if (cut.from == from.id() && cut.to == to.id()) return &cut;
  }
  return nullptr;
}

void Network::block(Process& from, Process& to, bool* stopped) {
  if (!blocked(from, to)) {
    scheduler_.record().report({.at = scheduler_.now(),
                                .what = Occurred::link_cut,
                                .process = from.id(),
                                .peer = to.id()});
  }
  cuts_.push_back({from.id(), to.id(), stopped});
  for (std::size_t i = 0; i < connections_used_; ++i) {
    Connection& connection = connections_[i];
    for (int way = 0; way < 2; ++way) {
      if (connection.end_[way] == &from && connection.end_[1 - way] == &to)
        ++connection.direction_[way].blocks;
    }
    refresh(connection);
  }
}

bool Network::blocked(const Process& from, const Process& to) const {
  return first_cut(from, to) != nullptr;
}

bool Network::is_found_blocked(const Process& from, const Process& to) const {
  const Cut* const cut = first_cut(from, to);
  if (cut != nullptr && cut->stopped != nullptr) *cut->stopped = true;
  return cut != nullptr;
}

template <typename Accepts>
bool Network::any_connection(const Process& one, const Process& other, Accepts accepts) const {
  for (std::size_t i = 0; i < connections_used_; ++i) {
    const Connection& connection = connections_[i];
    const bool is_theirs = (connection.end_[0] == &one && connection.end_[1] == &other) ||
                           (connection.end_[0] == &other && connection.end_[1] == &one);
    if (is_theirs && accepts(connection)) return true;
  }
  return false;
}

bool Network::has_connected(const Process& one, const Process& other) const {
  return any_connection(one, other, [](const Connection&) { return true; });
}

bool Network::is_apart(const Process& one, const Process& other) const {
  const auto has_stopped = [](const Cut* cut) {
    return cut != nullptr && (cut->stopped == nullptr || *cut->stopped);
  };
  if (!has_stopped(first_cut(one, other)) && !has_stopped(first_cut(other, one))) return false;
  return !any_connection(one, other, [](const Connection& connection) {
    return connection.open_ && connection.usable();
  });
}

void Network::unblock(Process& from, Process& to, const bool* stopped) {
  const auto ends = [&](const Cut& cut) {
    return cut.from == from.id() && cut.to == to.id() &&
           (stopped == nullptr || cut.stopped == stopped);
  };
  const auto found = std::find_if(cuts_.begin(), cuts_.end(), ends);
  if (found == cuts_.end()) return;
  bool* const mark = found->stopped;
  cuts_.erase(found);
  for (std::size_t i = 0; i < connections_used_; ++i) {
    Connection& connection = connections_[i];
    for (std::uint8_t way = 0; way < 2; ++way) {
      if (connection.end_[way] != &from || connection.end_[1 - way] != &to) continue;
      auto& direction = connection.direction_[way];
      if (direction.blocks == 0 || --direction.blocks > 0 || direction.hold) continue;
      // The last cut has held up what an earlier one had stopped.
      if (direction.first_held != 0 && mark != nullptr) *mark = true;
      flush(connection, way);
    }
  }
  if (!blocked(from, to)) {
    scheduler_.record().report({.at = scheduler_.now(),
                                .what = Occurred::link_healed,
                                .process = from.id(),
                                .peer = to.id()});
  }
}

bool Network::release_hold(Process& from, Process& to) {
  bool any = false;
  for (std::size_t i = 0; i < connections_used_; ++i) {
    Connection& connection = connections_[i];
    for (std::uint8_t way = 0; way < 2; ++way) {
      if (connection.end_[way] != &from || connection.end_[1 - way] != &to) continue;
      auto& direction = connection.direction_[way];
      if (!direction.hold) continue;
      direction.hold = false;
      any = true;
      if (direction.blocks == 0) flush(connection, way);
    }
  }
  return any;
}

void Network::crash(Process& process, bool host, bool silent) {
  for (std::size_t i = 0; i < connections_used_; ++i) {
    Connection& connection = connections_[i];
    if (connection.broken_) continue;
    for (std::uint8_t way = 0; way < 2; ++way) {
      if (connection.end_[way] != &process) continue;
      if (connection.incarnation_[way] != process.incarnation()) continue;
      connection.stale_ = true;
      refresh(connection);
      if (host) drop_held(connection, way);
      if (silent) continue;
      // After the bytes that the kernel still had to send.
      send(make_signal(connection, way, MessageKind::reset));
    }
  }
}

}  // namespace picklock::sim
