#include "sim/service.h"

namespace picklock::sim {

bool Service::about_to_apply(Message& request) {
  if (!request.announced) {
    request.announced = true;
    simulation_->nemesis.step(sender(request), request.role, Phase::applied, Side::before,
                              *process_, &request);
  }
  return process_->running();
}

Message& Service::reply_to(Message& request) {
  Message& reply = simulation_->network.make(*request.connection, 1);
  reply.role = request.role;
  reply.call = request.call;
  reply.thread = request.thread;
  reply.tenure = request.tenure;
  reply.stray = request.stray;
  return reply;
}

void Service::on_message(Connection&, Message& request) {
  if (!about_to_apply(request)) {
    if (process_->down()) return;
    // Paused at the very moment before: it goes on from here when the process does.
    simulation_->network.hand_over_later(request);
    return;
  }
  Message& reply = reply_to(request);
  if (apply(request, reply.payload)) {
    answer(request, reply);
  } else {
    simulation_->network.release(reply);
  }
}

void Service::answer(Message& request, Message& reply) {
  simulation_->nemesis.step(sender(request), request.role, Phase::applied, Side::after, *process_,
                            &reply);
  if (process_->down()) {
    simulation_->network.release(reply);
    return;
  }
  simulation_->network.send_when_running(reply);
}

}  // namespace picklock::sim
