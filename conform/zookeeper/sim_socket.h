// A client's end of one simulated connection after the other, whose thread waits for what it
// receives.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "models/zookeeper/ensemble.h"
#include "models/zookeeper/wire.h"
#include "sim/simulation.h"

namespace picklock::conform::zookeeper {

class SimSocket final : public sim::Endpoint {
 public:
  SimSocket(sim::Simulation& simulation, sim::Process& self)
      : simulation_(simulation), self_(self) {}

  // Hangs up before.
  void dial(picklock::zookeeper::Server& server, std::uint32_t ordinal) {
    hang_up();
    connection_ = &simulation_.network.dial(self_, *this, server.process(), server,
                                            picklock::zookeeper::protocol(), ordinal);
  }
  void hang_up() {
    if (connection_ != nullptr) simulation_.network.close(*connection_);
    connection_ = nullptr;
    received_.clear();
  }
  bool open() const { return connection_ != nullptr; }

  void send(std::string_view bytes) {
    if (connection_ == nullptr) return;
    sim::Message& message = simulation_.network.make(*connection_, 0);
    message.payload.append(bytes);
    simulation_.network.send(message);
  }
  // The next message; none: the connection has ended, or none came in time.
  std::optional<std::string> receive(std::optional<sim::Duration> patience = std::nullopt) {
    const std::int64_t until = patience ? now() + patience->count() : INT64_MAX;
    while (received_.empty() && connection_ != nullptr && now() < until) {
      waiting_ = simulation_.scheduler.running();
      if (patience) {
        simulation_.scheduler.park_until(sim::ClockKind::monotonic, until);
      } else {
        simulation_.scheduler.park();
      }
      waiting_ = nullptr;
    }
    if (received_.empty()) return std::nullopt;
    std::string bytes = std::move(received_.front());
    received_.pop_front();
    return bytes;
  }

  // --- sim::Endpoint
  void on_message(sim::Connection& from, sim::Message& message) override {
    if (&from != connection_) return;
    received_.emplace_back(message.payload.view());
    wake();
  }
  void on_reset(sim::Connection& from) override {
    if (&from != connection_) return;
    connection_ = nullptr;
    wake();
  }

 private:
  std::int64_t now() const {
    return simulation_.scheduler.local_time(self_, sim::ClockKind::monotonic);
  }
  void wake() {
    if (waiting_ != nullptr)
      simulation_.scheduler.threads().wake(*std::exchange(waiting_, nullptr));
  }

  sim::Simulation& simulation_;
  sim::Process& self_;
  sim::Connection* connection_ = nullptr;
  sim::Thread* waiting_ = nullptr;
  std::deque<std::string> received_;
};

}  // namespace picklock::conform::zookeeper
