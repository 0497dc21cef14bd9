#include "models/redis/sim_client.h"

#include "models/redis/wire.h"

namespace picklock::models::redis {

void SimClient::reset(sim::Simulation& simulation, sim::Process& self, Server& server,
                      Duration patience) {
  scheduler_ = &simulation.scheduler;
  patience_ = patience;
  caller_.reset(simulation, self, server.process(), server, protocol());
}

Reply SimClient::call(Role role, std::span<const std::string_view> argv) {
  const std::uint8_t step =
      role == Role::none ? scheduler_->running()->role : static_cast<std::uint8_t>(role);
  const sim::Answer answer = caller_.call(
      step, patience_, [argv](sim::Payload& payload) { write_request(payload, argv); });
  Reply reply;
  if (answer.ok()) {
    std::string_view bytes = answer.bytes();
    if (!read_reply(bytes, reply)) reply.set_error("ERR Protocol error, the reply is not whole");
  } else {
    reply.kind = answer.status() == sim::Answer::Status::unreachable ? Reply::Kind::unsent
                                                                     : Reply::Kind::unknown;
  }
  return reply;
}

}  // namespace picklock::models::redis
