#include "sim/caller.h"

namespace picklock::sim {

// Its destructor takes the request off the list even if the thread is killed and unwinds.
class Caller::Waiting {
 public:
  Waiting(Caller& caller, Pending& pending) : caller_(caller), pending_(pending) {
    pending_.before = caller_.newest_;
    (pending_.before != nullptr ? pending_.before->next : caller_.oldest_) = &pending_;
    caller_.newest_ = &pending_;
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    (pending_.before != nullptr ? pending_.before->next : caller_.oldest_) = pending_.next;
    (pending_.next != nullptr ? pending_.next->before : caller_.newest_) = pending_.before;
    if (pending_.answer != nullptr) caller_.simulation_->network.release(*pending_.answer);
  }

 private:
  Caller& caller_;
  Pending& pending_;
};

void Caller::reset(Simulation& simulation, Process& self, Process& server, Endpoint& server_end,
                   const Protocol& protocol, std::uint32_t number) {
  constexpr std::uint32_t kMostDials = 1u << 20;  // of one caller, so that no two share a number
  simulation_ = &simulation;
  self_ = &self;
  server_ = &server;
  server_end_ = &server_end;
  protocol_ = &protocol;
  oldest_ = newest_ = nullptr;
  listener_ = {};
  keeps_ = false;
  heard_ = 0;
  abandoned_.clear();
  dials_ = number * kMostDials;
  connection_ = number == 0 ? &simulation.network.connect(self, *this, server, server_end, protocol)
                            : nullptr;
}

void Caller::open_early() {
  if (connection_ != nullptr) return;
  connection_ =
      &simulation_->network.connect(*self_, *this, *server_, *server_end_, *protocol_, dials_);
}

void Caller::forget() {
  connection_ = nullptr;
  abandoned_.clear();
}

void Caller::hang_up() {
  if (connection_ == nullptr) return;
  Connection& connection = *connection_;
  simulation_->network.close(connection);
  on_reset(connection);
}

inline bool Caller::wait(Duration patience) {
  Scheduler& scheduler = simulation_->scheduler;
  const std::int64_t now = scheduler.local_time(*self_, ClockKind::monotonic);
  if (patience <= Duration::zero() || patience.count() >= INT64_MAX - now) {
    scheduler.park();
    return true;
  }
  return scheduler.park_patiently(now + patience.count());
}

bool Caller::dial(Duration patience) {
  Scheduler& scheduler = simulation_->scheduler;
  Pending pending{.thread = scheduler.running()};
  pending.connection =
      &simulation_->network.dial(*self_, *this, *server_, *server_end_, *protocol_, ++dials_);
  Waiting waiting(*this, pending);
  if (!wait(patience) || !pending.opened) {
    simulation_->network.close(*pending.connection);
    if (Program* const program = self_->program()) program->found_no_server();
    return false;
  }
  // Another thread of this process may have dialed at the same time; the first connection serves
  // both.
  if (connection_ == nullptr) connection_ = pending.connection;
  hear();
  return true;
}

// Reports a step. A fault that it triggers on this process takes effect before the thread
// continues.
inline void Caller::strike(Pending& pending, Role role, Phase phase, Side side, Message* message) {
  Nemesis& nemesis = simulation_->nemesis;
  if (nemesis.idle()) return;
  Scheduler& scheduler = simulation_->scheduler;
  if (message != nullptr && nemesis.asks_for_commands() && protocol_->command != nullptr) {
    // The request's bytes do not outlive its arrival.
    pending.command_size =
        protocol_->command(message->payload.view()).copy(pending.command, sizeof pending.command);
  }
  nemesis.step({.client = *self_,
                .server = pending.connection->server(),
                .role = role,
                .phase = phase,
                .side = side,
                .thread = pending.thread->id(),
                .command = {pending.command, pending.command_size},
                .message = message});
  if (message != nullptr && pending.thread->killed()) simulation_->network.release(*message);
  scheduler.obey();
}

inline void Caller::address(Message& request, Role role) {
  const Thread& thread = *simulation_->scheduler.running();
  request.role = role;
  request.thread = thread.id();
  request.waiter = thread.slot() + 1;
  request.tag = thread.tag;
}

// False: the connection broke just before, and the request never left.
inline bool Caller::send(Pending& pending, Message& request, Role role) {
  strike(pending, role, Phase::sent, Side::before, &request);
  if (pending.connection->usable()) return true;
  simulation_->network.release(request);
  return false;
}

Answer Caller::exchange(Message& request, Role role, Duration patience, Late* late) {
  Scheduler& scheduler = simulation_->scheduler;
  Thread& thread = *scheduler.running();
  Connection& connection = *connection_;
  scheduler.threads().will_use(thread, connection);
  address(request, role);
  Pending pending{.thread = &thread, .connection = &connection, .request = request.number};
  if (!send(pending, request, role)) return {Answer::Status::unreachable, nullptr, nullptr};
  Waiting waiting(*this, pending);
  simulation_->network.send(request);
  strike(pending, role, Phase::sent, Side::after, nullptr);

  // The patience begins when the request has left, not when a pause stopped the thread before that.
  bool patient = pending.answer != nullptr || pending.reset;
  if (!patient) {
    if (late == nullptr || scheduler.threads().begin_interruptible(thread))
      patient = wait(patience);
    if (late != nullptr) {
      scheduler.threads().end_interruptible(thread);
      if (pending.answer == nullptr && !pending.reset && thread.take_interrupt()) {
        abandoned_.push_back({&connection, pending.request, std::move(*late)});
        return {Answer::Status::interrupted, nullptr, nullptr};
      }
    }
  }
  return pending.answer != nullptr ? answered(pending, role) : given_up(pending, role, patient);
}

std::pair<Answer, Answer> Caller::exchange_both(Message& first, Message& second, Role role,
                                                Duration patience) {
  Scheduler& scheduler = simulation_->scheduler;
  Thread& thread = *scheduler.running();
  Connection& connection = *connection_;
  address(first, role);
  address(second, {});  // only the first request of the pair has steps
  Pending one{.thread = &thread, .connection = &connection, .request = first.number};
  Pending other{.thread = &thread, .connection = &connection, .request = second.number};
  const auto unsent = [] { return Answer(Answer::Status::unreachable, nullptr, nullptr); };
  if (!send(one, first, role)) {
    simulation_->network.release(second);
    return {unsent(), unsent()};
  }
  Waiting waits_for_one(*this, one);
  Waiting waits_for_other(*this, other);
  simulation_->network.send(first);
  simulation_->network.send(second);
  strike(one, role, Phase::sent, Side::after, nullptr);

  const std::int64_t now = scheduler.local_time(*self_, ClockKind::monotonic);
  const bool endless = patience <= Duration::zero() || patience.count() >= INT64_MAX - now;
  bool patient = true;
  while (patient && other.answer == nullptr && !other.reset) {
    if (endless) {
      scheduler.park();
    } else {
      patient = scheduler.park_patiently(now + patience.count());
    }
  }
  Answer of_one = one.answer != nullptr ? answered(one, role) : given_up(one, role, patient);
  Answer of_other = other.answer != nullptr ? answered(other, {}) : given_up(other, {}, patient);
  return {std::move(of_one), std::move(of_other)};
}

void Caller::dispatch(Message& request, Role role) {
  address(request, role);
  request.waiter = 0;
  Pending pending{.thread = simulation_->scheduler.running(),
                  .connection = connection_,
                  .request = request.number};
  if (!send(pending, request, role)) return;
  simulation_->network.send(request);
  strike(pending, role, Phase::sent, Side::after, nullptr);
}

Answer Caller::answered(Pending& pending, Role role) {
  Answer answer(Answer::Status::ok, &simulation_->network, std::exchange(pending.answer, nullptr));
  strike(pending, role, Phase::replied, Side::before, nullptr);
  strike(pending, role, Phase::replied, Side::after, nullptr);
  return answer;
}

Answer Caller::given_up(const Pending& pending, Role role, bool patient) {
  Scheduler& scheduler = simulation_->scheduler;
  if (patient) return {Answer::Status::reset, nullptr, nullptr};
  if (scheduler.record().tracer().on()) {
    scheduler.record().tracer().add({.at = scheduler.now(),
                                     .kind = TraceKind::timed_out,
                                     .role = role,
                                     .process = self_->id(),
                                     .peer = pending.connection->server().id(),
                                     .message = pending.request,
                                     .tag = scheduler.running()->tag});
  }
  if (!keeps_) give_up(*pending.connection);
  return {Answer::Status::timed_out, nullptr, nullptr};
}

void Caller::give_up(Connection& connection) {
  simulation_->network.close(connection);
  drop(connection);
}

void Caller::drop(const Connection& connection) {
  std::erase_if(abandoned_,
                [&connection](const Abandoned& one) { return one.connection == &connection; });
  if (connection_ != &connection) return;
  connection_ = nullptr;
  if (listener_.lost != nullptr) listener_.lost(listener_.self);
}

void Caller::on_message(Connection& connection, Message& message) {
  hear();
  if (message.answers == 0) {
    if (listener_.came != nullptr)
      listener_.came(listener_.self, message.payload.view(), message.tag);
    return;
  }
  // Answers come in the order of their requests, so that of a thousand threads it is the first.
  for (Pending* pending = oldest_; pending != nullptr; pending = pending->next) {
    if (pending->request != message.answers || pending->answer != nullptr) continue;
    pending->answer = &message;
    message.taken = true;
    simulation_->scheduler.threads().wake(*pending->thread);
    return;
  }
  for (Abandoned& one : abandoned_) {
    if (one.request != message.answers || one.connection != &connection) continue;
    const Late late = std::move(one.late);
    std::swap(one, abandoned_.back());
    abandoned_.pop_back();
    late(message.payload.view());
    return;
  }
}

void Caller::on_opened(Connection& connection) {
  for (Pending* pending = newest_; pending != nullptr; pending = pending->before) {
    if (pending->connection != &connection || pending->request != 0) continue;
    pending->opened = true;
    simulation_->scheduler.threads().wake(*pending->thread);
  }
}

void Caller::on_reset(Connection& connection) {
  drop(connection);
  for (Pending* pending = newest_; pending != nullptr; pending = pending->before) {
    if (pending->connection != &connection) continue;
    pending->reset = true;
    simulation_->scheduler.threads().wake(*pending->thread);
  }
}

}  // namespace picklock::sim
