#include "sim/caller.h"

namespace picklock::sim {

// Taken off the list however the wait ends: a killed thread unwinds through here.
class Caller::Waiting {
 public:
  Waiting(Caller& caller, Pending& pending) : caller_(caller), pending_(pending) {
    pending_.next = caller_.pending_;
    caller_.pending_ = &pending_;
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    for (Pending** at = &caller_.pending_; *at != nullptr; at = &(*at)->next) {
      if (*at == &pending_) {
        *at = pending_.next;
        break;
      }
    }
    if (pending_.answer != nullptr) caller_.simulation_->network.release(*pending_.answer);
  }

 private:
  Caller& caller_;
  Pending& pending_;
};

void Caller::reset(Simulation& simulation, Process& self, Process& server, Endpoint& server_end,
                   const Protocol& protocol) {
  simulation_ = &simulation;
  self_ = &self;
  server_ = &server;
  server_end_ = &server_end;
  protocol_ = &protocol;
  pending_ = nullptr;
  listener_ = {};
  calls_ = dials_ = 0;
  connection_ = &simulation.network.connect(self, *this, server, server_end, protocol);
}

void Caller::forget() { connection_ = nullptr; }

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
    return false;
  }
  // Another thread of this process may have dialled at the same time; the first connection serves
  // both.
  if (connection_ == nullptr) connection_ = pending.connection;
  return true;
}

// A step passes, and what it brings upon this process takes effect before the thread goes on.
inline void Caller::strike(Pending& pending, std::uint8_t role, Phase phase, Side side,
                           Message* message) {
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

Answer Caller::exchange(Message& request, std::uint8_t role, Duration patience) {
  Scheduler& scheduler = simulation_->scheduler;
  Thread& thread = *scheduler.running();
  Connection& connection = *connection_;
  request.role = role;
  scheduler.will_use(thread, connection);
  request.thread = thread.id();
  request.waiter = thread.slot() + 1;
  request.tenure = thread.tenure;
  request.call = ++calls_;

  Pending pending{.thread = &thread, .connection = &connection, .call = request.call};
  strike(pending, role, Phase::sent, Side::before, &request);
  if (!connection.usable()) {
    simulation_->network.release(request);
    return {Answer::Status::unreachable, nullptr, nullptr};
  }
  Waiting waiting(*this, pending);
  const std::uint32_t number = request.number;
  simulation_->network.send(request);
  strike(pending, role, Phase::sent, Side::after, nullptr);

  // The patience begins where the request has left, not where a pause has caught it before.
  const bool patient = pending.answer != nullptr || pending.reset || wait(patience);
  if (pending.answer == nullptr) {
    if (!patient) {
      if (scheduler.recorder().tracing()) {
        scheduler.recorder().trace({.at = scheduler.now(),
                                    .kind = TraceKind::timed_out,
                                    .role = role,
                                    .process = self_->id(),
                                    .peer = connection.server().id(),
                                    .message = number,
                                    .tenure = thread.tenure});
      }
      give_up(connection);
      return {Answer::Status::timed_out, nullptr, nullptr};
    }
    return {Answer::Status::reset, nullptr, nullptr};
  }
  Answer answer(Answer::Status::ok, &simulation_->network, std::exchange(pending.answer, nullptr));
  strike(pending, role, Phase::replied, Side::before, nullptr);
  strike(pending, role, Phase::replied, Side::after, nullptr);
  return answer;
}

void Caller::give_up(Connection& connection) {
  simulation_->network.close(connection);
  drop(connection);
}

void Caller::drop(const Connection& connection) {
  if (connection_ != &connection) return;
  connection_ = nullptr;
  if (listener_.lost != nullptr) listener_.lost(listener_.self);
}

void Caller::on_message(Connection&, Message& message) {
  for (Pending* pending = pending_; pending != nullptr; pending = pending->next) {
    if (pending->call != message.call || pending->answer != nullptr || pending->call == 0) continue;
    pending->answer = &message;
    message.taken = true;
    simulation_->scheduler.wake(*pending->thread);
    return;
  }
  if (message.unasked && listener_.came != nullptr)
    listener_.came(listener_.self, message.payload.view());
}

void Caller::on_opened(Connection& connection) {
  for (Pending* pending = pending_; pending != nullptr; pending = pending->next) {
    if (pending->connection != &connection || pending->call != 0) continue;
    pending->opened = true;
    simulation_->scheduler.wake(*pending->thread);
  }
}

void Caller::on_reset(Connection& connection) {
  drop(connection);
  for (Pending* pending = pending_; pending != nullptr; pending = pending->next) {
    if (pending->connection != &connection) continue;
    pending->reset = true;
    simulation_->scheduler.wake(*pending->thread);
  }
}

}  // namespace picklock::sim
