// Keeps a simulation in step with sockets: virtual time advances by the clock, and what arrives
// from outside becomes an event at the instant that is reached. Everything runs on one thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <vector>

#include "serve/clock.h"
#include "sim/pacer.h"
#include "sim/scheduler.h"

namespace picklock::serve {

class Loop final : public sim::Pacer {
 public:
  explicit Loop(double speed) : clock(speed) {}

  // For handlers of sockets: `event` runs when the simulation takes it in.
  void arrive(std::function<void()> event) { arrived_.push_back(std::move(event)); }
  // Runs once before the loop waits: what is to be written goes out together.
  void before_wait(std::function<void()> task) { tasks_.push_back(std::move(task)); }

  // A new run begins.
  void restart() {
    clock.restart();
    reached_ = sim::kStart;
  }
  // Called each time that something has been taken in.
  void after_taking_in(std::function<void()> task) { after_ = std::move(task); }

  // --- sim::Pacer
  sim::Instant wait(sim::Instant next) override;
  void take_in() override;

  Clock clock;
  boost::asio::io_context io{1};

 private:
  std::vector<std::function<void()>> arrived_;
  std::vector<std::function<void()>> taken_;
  std::vector<std::function<void()>> tasks_;
  std::function<void()> after_;
  sim::Instant reached_{};
  unsigned since_poll_ = 0;
};

}  // namespace picklock::serve
