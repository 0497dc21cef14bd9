// A Redis model alone on its machine, for tests: commands go straight in, replies come out as the
// bytes a socket would carry. Test-only.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/redis/server.h"
#include "models/redis/wire.h"
#include "sim/simulation.h"

namespace picklock::models::redis {

class LoneServer {
 public:
  explicit LoneServer(sim::Duration clock_offset = {}, std::int64_t rate_ppb = 0) {
    simulation.reset(1);
    process = &simulation.scheduler.add_process("redis-1", clock_offset, rate_ppb);
    tenures.reset();
    keys.reset();
    server.reset(simulation, *process, tenures, keys);
    simulation.scheduler.start(*process);
  }

  std::string send(std::span<const std::string_view> argv) {
    server.execute(argv, reply);
    sim::Payload bytes;
    write_reply(bytes, reply);
    return std::string(bytes.view());
  }
  template <typename... Words>
  std::string operator()(const Words&... words) {
    const std::string_view argv[] = {words...};
    return send(argv);
  }

  // Virtual time stands still outside a run; the machine's clock can be set.
  void pass(sim::Duration time) { simulation.scheduler.step_clock(*process, time); }
  std::int64_t clock_ms() const {
    return simulation.scheduler.local_time(*process, sim::ClockKind::wall) / 1'000'000;
  }

  sim::Simulation simulation;
  Tenures tenures;
  Keys keys;
  Server server;
  sim::Process* process = nullptr;
  Reply reply;
};

}  // namespace picklock::models::redis
