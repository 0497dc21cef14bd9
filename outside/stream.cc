#include "outside/stream.h"

#include <algorithm>
#include <utility>

namespace picklock::outside {
namespace {

// A client that sends so much before it has an answer is cut off.
constexpr std::size_t kMostHeld = std::size_t{64} << 20;

}  // namespace

void Stream::dial(sim::Simulation& simulation, sim::Process& client, const servers::Door& door,
                  std::unique_ptr<servers::Wire> wire, std::uint32_t ordinal) {
  simulation_ = &simulation;
  wire_ = std::move(wire);
  connection_ = &simulation.network.dial(client, *this, *door.process, *door.endpoint,
                                         *door.protocol, ordinal);
}

void Stream::write(std::string_view bytes) {
  if (refused_) return;
  in_ += bytes;
  cut();
}

void Stream::close() {
  if (connection_ != nullptr) simulation_->network.close(*connection_);
  forget();
}

void Stream::forget() {
  connection_ = nullptr;
  in_ = std::string();
}

void Stream::cut() {
  if (!open_) return;
  std::string_view rest = in_;
  while (!ended_ && is_up()) {
    sim::Network& network = simulation_->network;
    sim::Message& message = network.make(*connection_, 0);
    switch (wire_->cut(rest, message.payload)) {
      case servers::Cut::request:
        sender_ = sender(wire_->name_given(message.payload.view()));
        send(message, sender_);
        continue;
      case servers::Cut::nothing:
        network.release(message);
        continue;
      case servers::Cut::held:
        held_ = true;
        network.release(message);
        break;
      case servers::Cut::partial:
        network.release(message);
        break;
      case servers::Cut::malformed:
        // The server refuses it in its turn, and hangs up. Nobody reads what is behind it.
        refused_ = true;
        message.payload.clear();
        message.payload.append(rest);
        send(message, sender_);
        rest = {};
        break;
    }
    break;
  }
  if (connection_ == nullptr) return;
  in_.erase(0, in_.size() - rest.size());
  if (held_ && in_.size() > kMostHeld) overrun();
}

// A fault may strike before the request has left, and then it leaves later or never.
void Stream::send(sim::Message& message, sim::Tag sender) {
  message.role = wire_->role_of(message.payload.view());
  message.tag = sender;
  if (simulation_->nemesis.idle()) return simulation_->network.send(message);
  const sim::Protocol& protocol = connection_->protocol();
  std::string command;
  if (protocol.command != nullptr) command = protocol.command(message.payload.view());
  const Asked asked{.request = message.number,
                    .role = message.role,
                    .sender = sender,
                    .command = std::move(command)};
  if (!strike(sim::Phase::sent, sim::Side::before, asked, &message))
    return simulation_->network.release(message);
  simulation_->network.send_when_running(message);
  asked_.push_back(asked);
  strike(sim::Phase::sent, sim::Side::after, asked);
}

bool Stream::strike(sim::Phase phase, sim::Side side, const Asked& asked, sim::Message* message) {
  simulation_->nemesis.step({.client = connection_->client(),
                             .server = connection_->server(),
                             .role = asked.role,
                             .phase = phase,
                             .side = side,
                             .tag = asked.sender,
                             .command = asked.command,
                             .message = message});
  return is_up();
}

void Stream::on_message(sim::Connection&, sim::Message& message) {
  if (connection_ == nullptr) return;
  const auto found = std::find_if(asked_.begin(), asked_.end(), [&message](const Asked& one) {
    return message.answers != 0 && one.request == message.answers;
  });
  std::optional<Asked> asked;
  if (found != asked_.end()) {
    asked = std::move(*found);
    asked_.erase(found);
    if (!strike(sim::Phase::replied, sim::Side::before, *asked)) return;
  }
  if (message.answers == 0) pushed(message.number);
  out_.clear();
  const bool goes_on = wire_->put(message.payload.view(), out_);
  // A client that reads may close the connection, or end.
  readable(out_);
  if (connection_ != nullptr && asked && !strike(sim::Phase::replied, sim::Side::after, *asked))
    return;
  // A request behind the last one is not served.
  if (connection_ != nullptr && goes_on && std::exchange(held_, false)) cut();
  if (connection_ != nullptr && !goes_on && !std::exchange(ended_, true)) ended(false);
}

void Stream::on_opened(sim::Connection&) {
  if (connection_ == nullptr) return;
  open_ = true;
  sim::Message& greeting = simulation_->network.make(*connection_, 0);
  if (wire_->open(greeting.payload)) {
    sender_ = sender(std::nullopt);
    send(greeting, sender_);
  } else {
    simulation_->network.release(greeting);
  }
  opened();
  cut();
}

void Stream::on_reset(sim::Connection&) {
  if (connection_ != nullptr && !std::exchange(ended_, true)) ended(true);
}

}  // namespace picklock::outside
