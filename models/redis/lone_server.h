// A Redis model alone on its machine, without a network: commands go straight into the server,
// replies are the bytes that a socket would carry. Virtual time stands still; the server's clock
// can be set.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "history/recorded_simulation.h"
#include "models/redis/server.h"
#include "models/redis/wire.h"
#include "sim/simulation.h"

namespace picklock::redis {

class LoneServer {
 public:
  explicit LoneServer(sim::Duration clock_offset = {}, std::int64_t rate_ppb = 0) {
    simulation.reset(1);
    process = &simulation.scheduler.processes().add("redis-1", clock_offset, rate_ppb);
    keys.reset();
    tenures.reset(keys.id("lock"));
    server.reset(simulation, *process, tenures, keys);
    simulation.scheduler.processes().start(*process);
    first = &server.connect();
  }
  LoneServer(const LoneServer&) = delete;
  LoneServer& operator=(const LoneServer&) = delete;

  Session& connect() { return server.connect(); }
  void disconnect(Session& session) { server.disconnect(session); }
  static bool open(const Session& session) { return session.connected; }
  // Returns the bytes of the answer and of messages pushed to the same connection with it.
  std::string send(Session& session, std::span<const std::string_view> argv) {
    sim::Payload bytes;
    server.execute(session, argv, bytes);
    return std::string(bytes.view());
  }
  // Returns the bytes pushed to a connection since the last call.
  static std::string pushed(Session& session) { return std::exchange(session.unasked, {}); }

  // Sends on the connection that exists from the start.
  std::string send(std::span<const std::string_view> argv) { return send(*first, argv); }
  template <typename... Words>
  std::string operator()(const Words&... words) {
    const std::string_view argv[] = {words...};
    return send(argv);
  }

  void pass(sim::Duration time) { simulation.scheduler.processes().step_clock(*process, time); }
  std::int64_t clock_ms() const {
    return simulation.scheduler.local_time(*process, sim::ClockKind::wall) / 1'000'000;
  }

  history::RecordedSimulation simulation;
  models::Tenures tenures;
  models::Keys keys;
  Server server;
  sim::Process* process = nullptr;
  Session* first = nullptr;
};

}  // namespace picklock::redis
