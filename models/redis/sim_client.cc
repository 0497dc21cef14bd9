#include "models/redis/sim_client.h"

#include "models/redis/wire.h"

namespace picklock::models::redis {

void SimClient::reset(sim::Simulation& simulation, sim::Process& self, const Node& server,
                      Duration patience, std::uint32_t resend, Discovery* discovery) {
  scheduler_ = &simulation.scheduler;
  patience_ = patience;
  resend_ = resend;
  discovery_ = discovery;
  caller_.reset(simulation, self, *server.process, *server.endpoint, protocol());
}

bool SimClient::find_server() {
  if (discovery_ == nullptr || caller_.connected()) return true;
  const Node* node = discovery_->find(patience_);
  if (node == nullptr) return false;
  caller_.aim(*node->process, *node->endpoint);
  return true;
}

Reply SimClient::call(Role role, std::span<const std::string_view> argv) {
  const std::uint8_t step =
      role == Role::none ? scheduler_->running()->role : static_cast<std::uint8_t>(role);
  Reply reply;
  bool left = false;  // a copy that got no answer
  for (std::uint32_t copy = 0; copy <= resend_; ++copy) {
    if (!find_server()) continue;
    const sim::Answer answer = caller_.call(
        step, patience_, [argv](sim::Payload& payload) { write_request(payload, argv); });
    if (answer.ok()) {
      std::string_view bytes = answer.bytes();
      if (!read_reply(bytes, reply)) reply.set_error("ERR Protocol error, the reply is not whole");
      reply.resent = left;
      // A master that was replaced: the next command asks who leads now.
      const bool demoted = reply.is_error() && reply.text.starts_with("READONLY");
      if (demoted && discovery_ != nullptr && discovery_->by() == FindBy::sentinel)
        caller_.hang_up();
      return reply;
    }
    left = left || answer.status() != sim::Answer::Status::unreachable;
  }
  reply.kind = left ? Reply::Kind::unknown : Reply::Kind::unsent;
  return reply;
}

}  // namespace picklock::models::redis
