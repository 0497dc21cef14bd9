#include "sim/service.h"

namespace picklock::sim {

Nemesis::Step Service::step(const Message& request, Side side, Message* reply) const {
  const Protocol& protocol = request.connection->protocol();
  const bool named = simulation_->nemesis.asks_for_commands() && protocol.command != nullptr;
  return {.client = request.connection->client(),
          .server = *process_,
          .role = request.role,
          .phase = Phase::applied,
          .side = side,
          .thread = request.thread,
          .tag = request.tag,
          .command = named ? protocol.command(request.payload.view()) : std::string_view(),
          .message = reply};
}

bool Service::about_to_apply(Message& request) {
  if (!request.announced) {
    request.announced = true;
    simulation_->nemesis.step(step(request, Side::before, nullptr));
  }
  return process_->running();
}

Message& Service::reply_to(Message& request) {
  Message& reply = simulation_->network.make(*request.connection, 1);
  reply.role = request.role;
  reply.answers = request.number;
  reply.thread = request.thread;
  reply.waiter = request.waiter;
  reply.tag = request.tag;
  if (request.stray) reply.mark_stray();
  return reply;
}

void Service::on_message(Connection&, Message& request) {
  const bool watched = !simulation_->nemesis.idle();
  if (watched && !about_to_apply(request)) {
    if (process_->down()) return;
    // A fault paused the process just before: the request is handled when it resumes.
    simulation_->network.hand_over_later(request);
    return;
  }
  Message& reply = reply_to(request);
  if (!apply(request, reply.payload)) {
    simulation_->network.release(reply);
  } else if (watched) {
    answer(request, reply);
  } else {
    simulation_->network.send(reply);
  }
}

void Service::answer(Message& request, Message& reply) {
  if (!simulation_->nemesis.idle()) simulation_->nemesis.step(step(request, Side::after, &reply));
  if (process_->down()) {
    simulation_->network.release(reply);
    return;
  }
  simulation_->network.send_when_running(reply);
}

void Service::tell(std::string_view what) const {
  Tracer& tracer = simulation_->scheduler.record().tracer();
  if (!tracer.on()) return;
  tracer.add({.at = simulation_->now(), .kind = TraceKind::told, .process = process_->id()}, what);
}

}  // namespace picklock::sim
