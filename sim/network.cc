#include "sim/network.h"

namespace picklock::sim {

void Network::reset() {
  for (std::size_t i = 0; i < used_; ++i) messages_[i].payload.clear();
  free_ = 0;
  used_ = 0;
  numbered_ = 0;
  connections_used_ = 0;
  cuts_.clear();
  link_latency_.clear();
  default_latency_ = {};
  patience_ = {};
  patience_timers_used_ = 0;
  priorities_.set(0, {});
  watcher_ = nullptr;
  waited_.clear();
}

void Network::set_latency(const Process& from, const Process& to, const Latency& latency) {
  link_latency_.push_back({from.id(), to.id(), latency});
}

Connection& Network::add(Process& client, Endpoint& client_end, Process& server,
                         Endpoint& server_end, const Protocol& protocol, std::uint32_t ordinal) {
  Connection& connection = connections_.at_least(connections_used_);
  connection = Connection{};
  connection.index_ = static_cast<std::uint32_t>(connections_used_++);
  connection.end_[0] = &client;
  connection.end_[1] = &server;
  connection.endpoint_[0] = &client_end;
  connection.endpoint_[1] = &server_end;
  connection.incarnation_[0] = client.incarnation();
  connection.incarnation_[1] = server.incarnation();
  connection.protocol_ = &protocol;
  connection.foreground_ = !protocol.background;
  connection.hash_ = mixed(client.hash() + 3 * server.hash() + ordinal);
  for (int way = 0; way < 2; ++way) {
    auto& direction = connection.direction_[way];
    const Process& from = *connection.end_[way];
    const Process& to = *connection.end_[1 - way];
    connection.way_[way].latency = &default_latency_;
    for (const LinkLatency& link : link_latency_) {
      if (link.from == from.id() && link.to == to.id())
        connection.way_[way].latency = &link.latency;
    }
    connection.way_[way].random = Random(scheduler_.record().seed(),
                                         mixed(connection.hash_ + static_cast<std::uint64_t>(way)));
    for (const Cut& cut : cuts_) {
      if (cut.from == from.id() && cut.to == to.id()) ++direction.blocks;
    }
  }
  return connection;
}

Connection& Network::connect(Process& client, Endpoint& client_end, Process& server,
                             Endpoint& server_end, const Protocol& protocol,
                             std::uint32_t ordinal) {
  Connection& connection = add(client, client_end, server, server_end, protocol, ordinal);
  connection.open_ = true;
  refresh(connection);
  return connection;
}

Connection& Network::dial(Process& client, Endpoint& client_end, Process& server,
                          Endpoint& server_end, const Protocol& protocol, std::uint32_t ordinal) {
  Connection& connection = add(client, client_end, server, server_end, protocol, ordinal);
  send(make_signal(connection, 0, MessageKind::open));
  return connection;
}

void Network::close(Connection& connection) {
  if (connection.closed_) return;
  connection.closed_ = true;
  refresh(connection);
  if (connection.broken_) return;
  send(make_signal(connection, 0, MessageKind::closed));
}

void Network::shut(Connection& connection) {
  if (connection.shut_) return;
  connection.shut_ = true;
  refresh(connection);
  if (connection.broken_ || connection.closed_) return;
  send_when_running(make_signal(connection, 1, MessageKind::reset));
}

void Network::refresh(Connection& connection) {
  bool stopped = false;
  for (const auto& direction : connection.direction_) {
    stopped = stopped || direction.blocks > 0 || direction.hold || direction.first_held != 0 ||
              direction.behind != kStart;
  }
  connection.plain_ = connection.open_ && !connection.broken_ && !connection.closed_ &&
                      !connection.shut_ && !connection.stale_ && !stopped;
}

Message& Network::make(Connection& connection, std::uint8_t direction) {
  std::uint32_t slot = 0;
  if (free_ != 0) {
    slot = free_ - 1;
    free_ = messages_[slot].next;
  } else {
    slot = static_cast<std::uint32_t>(used_++);
    messages_.at_least(slot);
  }
  Message& message = messages_[slot];
  message.kind = MessageKind::data;
  message.direction = direction;
  message.role = {};
  if (!message.plain || message.altered) message.clear_marks();
  message.announced = false;
  message.taken = false;
  message.slot = slot;
  message.number = ++numbered_;
  message.answers = 0;
  message.thread = 0;
  message.tag = 0;
  message.connection = &connection;
  message.payload.clear();
  return message;
}

Message& Network::make_signal(Connection& connection, int direction, MessageKind kind) {
  Message& signal = make(connection, static_cast<std::uint8_t>(direction));
  signal.kind = kind;
  signal.plain = false;
  return signal;
}

void Network::send(Message& message) {
  Connection& connection = *message.connection;
  Connection::Way& way = connection.way_[message.direction];
  if (watcher_ != nullptr && message.kind == MessageKind::data) watcher_->leaves(message);
#ifndef PICKLOCK_NO_DIGEST
  message.mark = (connection.hash_ + message.direction) ^ fingerprint(message.payload.view());
#endif
  if (scheduler_.record().tracer().on()) trace(TraceKind::sent, message);
  Instant due = scheduler_.now() + way.latency->draw(way.random);
  if (message.altered) due += send_altered(message);
  if (priorities_.on()) due += wait_of(message);
  // Messages of one direction arrive in order and never at one instant: a permuted tie must not
  // swap two of them.
  if (due <= way.last_due) due = way.last_due + Duration(1);
  way.last_due = due;
  enqueue(message, due);
}

// The kernels' own messages always take the least time.
Duration Network::wait_of(const Message& message) {
  if (message.kind != MessageKind::data) return {};
  const Connection& connection = *message.connection;
  const Duration wait = priorities_.part_of(connection.way_[message.direction].latency->slack,
                                            connection.index_ * 2 + message.direction,
                                            connection.hash_ + message.direction);
  if (scheduler_.record().tracer().on() && wait > Duration::zero())
    waited_.push_back({message.number, wait});
  return wait;
}

// A fault delays the message, or sends a second copy that is not ordered with the others.
Duration Network::send_altered(Message& message) {
  if (message.again_after >= Duration::zero()) {
    Connection::Way& way = message.connection->way_[message.direction];
    Message& copy = make(*message.connection, message.direction);
    copy.role = message.role;
    copy.mark_stray();
    copy.answers = message.answers;
    copy.thread = message.thread;
    copy.tag = message.tag;
    copy.payload.append(message.payload.view());
    copy.mark = message.mark;
    if (scheduler_.record().tracer().on()) trace(TraceKind::copied, copy);
    const Duration under_way = way.latency->draw(way.random);
    enqueue(copy, scheduler_.now() + message.again_after + under_way);
  }
  return message.extra;
}

void Network::enqueue(Message& message, Instant due) {
  hold_open(*message.connection);
  scheduler_.queue().push(due, EventKind::deliver, message.slot, 0);
}

void Network::send_when_running(Message& message) {
  Process& sender = *message.connection->end_[message.direction];
  if (!sender.paused()) {
    send(message);
    return;
  }
  hold_open(*message.connection);
  sender.defer(Event(0, EventKind::send, message.slot, 0));
}

void Network::send_unasked(Message& message) {
  message.mark_unasked();
  message.connection->unread_ += message.payload.size();
  send_when_running(message);
}

void Network::hand_over_later(Message& message) {
  Process& receiver = *message.connection->end_[1 - message.direction];
  message.taken = true;
  message.reach(Stage::handled);
  hold_open(*message.connection);
  receiver.defer(Event(0, EventKind::deliver, message.slot, 0));
}

void Network::send_kept(std::uint32_t slot, const Event& event) {
  Message& message = messages_[slot];
  Process& sender = *message.connection->end_[message.direction];
  if (sender.paused()) {
    sender.defer(event);
    return;
  }
  let_go(*message.connection);
  send(message);
}

void Network::deliver(std::uint32_t slot, const Event& event) {
  Message& message = messages_[slot];
  Connection& connection = *message.connection;
  const int to = 1 - message.direction;
  if (!message.plain || !connection.plain_ || !connection.end_[to]->plain_) {
    deliver_unusual(message, event);
    return;
  }
  if (scheduler_.record().tracer().on()) {
    trace(TraceKind::delivered, message);
    scheduler_.record().hand_over(message.number);
  }
  let_go(connection);
  connection.endpoint_[to]->on_message(connection, message);
  if (!message.taken) release(message);
}

// Whether the message reaches its end now. Otherwise it is lost, held, or comes later.
bool Network::arrives(Message& message) {
  Connection& connection = *message.connection;
  auto& direction = connection.direction_[message.direction];
  if (connection.broken_ && !message.stray) {
    lose(message);
    return false;
  }
  if (message.holds) {
    message.holds = false;
    // The hold may be over before the message that begins it arrives here.
    direction.hold = scheduler_.now() < message.hold_until;
    refresh(connection);
  }
  if (direction.blocks > 0 || direction.hold || direction.first_held != 0) {
    keep_back(connection, direction, message);
    return false;
  }
  if (message.stage == Stage::under_way && !message.stray && scheduler_.now() <= direction.behind) {
    // The message was sent before the direction was released, and the held ones are in flight.
    direction.behind += Duration(1);
    Instant& last_due = connection.way_[message.direction].last_due;
    if (last_due < direction.behind) last_due = direction.behind;
    message.reach(Stage::released);
    scheduler_.queue().push(direction.behind, EventKind::deliver, message.slot, 0);
    return false;
  }
  if (scheduler_.now() > direction.behind && direction.behind != kStart) {
    direction.behind = kStart;
    refresh(connection);
  }
  if (message.lose) {
    lose(message);
    reset_connection(connection, 0);
    reset_connection(connection, 1);
    return false;
  }
  return true;
}

// Whether the process at this end can have the message. Otherwise the kernel has answered.
bool Network::is_received(Message& message, Process& receiver) {
  Connection& connection = *message.connection;
  const int to = 1 - message.direction;
  if (message.kind == MessageKind::open) {
    // The kernel answers even if the process is busy or paused (R116).
    const bool refused = receiver.down();
    connection.incarnation_[1] = receiver.incarnation();
    const bool silent = receiver.silent();
    if (scheduler_.record().tracer().on()) trace(TraceKind::delivered, message);
    lose(message);
    if (silent) return false;
    send(make_signal(connection, 1, refused ? MessageKind::reset : MessageKind::opened));
    return false;
  }
  if (receiver.down() || connection.incarnation_[to] != receiver.incarnation()) {
    const bool silent = receiver.down() && receiver.silent();
    const bool stray = message.stray;
    // A reset answered by a reset would go back and forth for ever between two machines that have
    // both forgotten the connection.
    const bool farewell = message.kind == MessageKind::closed || message.kind == MessageKind::reset;
    lose(message);
    if (silent || stray || farewell || connection.broken_) return false;
    send(make_signal(connection, to, MessageKind::reset));
    return false;
  }
  if (scheduler_.record().tracer().on()) trace(TraceKind::delivered, message);
  if (!receiver.paused() && scheduler_.now() <= receiver.caught_up_) {
    receiver.caught_up_ += Duration(1);
    scheduler_.queue().push(receiver.caught_up_, EventKind::deliver, message.slot, 0);
    return false;
  }
  return true;
}

// Whether a process that needs time for each message can handle this one now. Otherwise it comes
// again.
bool Network::has_turn(Message& message, Process& receiver, bool farewell) {
  Instant& free_at = receiver.free_at_;
  // A message that needs no handling time must still come after those that wait for their turn:
  // at the same instant a permuted tie would let it overtake them.
  const bool waits = receiver.backlog_ && free_at >= scheduler_.now();
  Duration handling = farewell ? Duration() : receiver.handling();
  if (waits && handling == Duration()) handling = Duration(1);
  if (free_at < scheduler_.now()) free_at = scheduler_.now();
  free_at += handling;
  if (free_at > scheduler_.now()) {
    message.reach(Stage::handled);
    receiver.backlog_ = true;
    receiver.refresh();
    scheduler_.queue().push(free_at, EventKind::deliver, message.slot, 0);
    return false;
  }
  if (scheduler_.now() > receiver.caught_up_) {
    receiver.backlog_ = false;
    receiver.refresh();
  }
  return true;
}

void Network::catch_up(Process& process) {
  process.free_at_ = scheduler_.now();
  scheduler_.queue().retime([&](Event& event) {
    if (event.kind() != EventKind::deliver) return;
    const Message& message = messages_[event.target()];
    const int to = 1 - message.direction;
    const Connection& connection = *message.connection;
    if (message.stage != Stage::handled || connection.end_[to] != &process) return;
    if (connection.incarnation_[to] != process.incarnation()) return;
    process.free_at_ += std::max(process.handling(), Duration(1));
    event.at = std::min(event.at, nanoseconds(process.free_at_));
  });
}

void Network::deliver_unusual(Message& message, const Event& event) {
  Connection& connection = *message.connection;
  const int to = 1 - message.direction;
  Process& receiver = *connection.end_[to];
  if (message.stage < Stage::arrived) {
    if (!arrives(message)) return;
    message.reach(Stage::arrived);
    if (!is_received(message, receiver)) return;
  }
  // A process that has ended while the message waited for its turn never handles it, and its
  // successor does not know the connection.
  const bool too_late = receiver.down() || connection.incarnation_[to] != receiver.incarnation();
  if (message.stage == Stage::handled && too_late) return lose(message);
  if (receiver.paused()) {
    receiver.defer(event);
    return;
  }
  const bool farewell =
      to == 1 && (message.kind == MessageKind::closed || message.kind == MessageKind::reset);
  const bool takes_time = message.kind == MessageKind::data || farewell;
  if (takes_time && message.stage != Stage::handled && !has_turn(message, receiver, farewell))
    return;
  let_go(connection);
  if (message.unasked) connection.unread_ -= message.payload.size();
  // Nothing is delivered after the end of a connection: the endpoint may no longer exist.
  const bool behind_end = connection.broken_ && message.kind == MessageKind::data;
  if (to == 0 ? connection.closed_ || message.stray || behind_end : connection.shut_) {
    if (scheduler_.record().tracer().on()) trace(TraceKind::lost, message);
    release(message);
    return;
  }
  if (scheduler_.record().tracer().on()) scheduler_.record().hand_over(message.number);
  message.taken = false;
  Endpoint& endpoint = *connection.endpoint_[to];
  switch (message.kind) {
    case MessageKind::data:
      endpoint.on_message(connection, message);
      break;
    case MessageKind::opened:
      connection.open_ = true;
      refresh(connection);
      endpoint.on_opened(connection);
      break;
    case MessageKind::reset:
      connection.broken_ = true;
      refresh(connection);
      endpoint.on_reset(connection);
      break;
    case MessageKind::closed:
      endpoint.on_closed(connection);
      break;
    case MessageKind::open:
      break;
  }
  if (!message.taken) release(message);
}

namespace {

// How the trace tells of what the kernels say to each other.
TraceKind kind_of(MessageKind signal) {
  if (signal == MessageKind::reset) return TraceKind::reset;
  return signal == MessageKind::opened ? TraceKind::connected : TraceKind::signalled;
}

}  // namespace

void Network::trace(TraceKind kind, const Message& message) {
  if (message.kind != MessageKind::data) {
    if (kind != TraceKind::delivered) return;
    const Connection& connection = *message.connection;
    scheduler_.record().tracer().add({.at = scheduler_.now(),
                                      .kind = kind_of(message.kind),
                                      .process = connection.end_[1 - message.direction]->id(),
                                      .peer = connection.end_[message.direction]->id()});
    return;
  }
  const Connection& connection = *message.connection;
  Tracer& tracer = scheduler_.record().tracer();
  TraceRecord& record = tracer.add_record();
  record.at = scheduler_.now();
  record.kind = kind;
  record.role = message.role;
  record.reply = message.direction == 1;
  record.protocol = tracer.protocol_index(connection.protocol_);
  record.process = connection.end_[message.direction]->id();
  record.peer = connection.end_[1 - message.direction]->id();
  record.message = message.number;
  record.answers = message.answers;
  record.tag = message.tag;
  if (kind != TraceKind::sent && kind != TraceKind::copied) return;
  tracer.attach(record, message.payload.view());
  // A run that is refused need not be run to its end.
  if (!tracer.is_whole()) scheduler_.stop();
}

}  // namespace picklock::sim
