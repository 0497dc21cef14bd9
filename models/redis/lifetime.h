// The life of a server's process: which process it is, for how long it has run, and whether a
// command has ended it.
#pragma once

#include <cstdint>

#include "sim/service.h"

namespace picklock::redis {

class Lifetime {
 public:
  explicit Lifetime(const sim::Service& service) : service_(service) {}

  void reset();  // for a new run
  void started();
  void halted() { ending_ = false; }

  const sim::Process& process() const { return service_.process(); }
  std::uint64_t seed() const { return service_.simulation().scheduler.record().seed(); }
  sim::Instant now() const { return service_.simulation().now(); }
  std::int64_t uptime_seconds() const { return (now() - started_at_) / std::chrono::seconds(1); }

  // SHUTDOWN: the process ends as soon as the command under way is over. From here on no other
  // command begins.
  void end();
  bool ending() const { return ending_; }

 private:
  void on_end();

  const sim::Service& service_;
  sim::Instant started_at_{};
  bool ending_ = false;
  sim::Timer timer_;
};

}  // namespace picklock::redis
