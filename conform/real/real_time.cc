#include "conform/real/real_time.h"

#include <algorithm>
#include <cerrno>
#include <span>
#include <system_error>

namespace picklock::conform::real {

RealTime::RealTime(sim::Simulation& simulation) : begun_(std::chrono::steady_clock::now()) {
  simulation.network.set_latency({.low = {}, .high = {}});
  simulation.scheduler.set_pacer(this);
}

sim::Instant RealTime::now() const {
  return sim::kStart + (std::chrono::steady_clock::now() - begun_);
}

sim::Instant RealTime::wait(sim::Instant next) {
  sockets_.clear();
  for (const RealEndpoint* server : servers_) server->watch(sockets_);
  if (sockets_.empty() && next == sim::kNever) return sim::kNever;
  for (;;) {
    const auto ahead = std::max(next - now(), sim::Duration::zero()).count();
    const timespec limit{.tv_sec = ahead / 1'000'000'000, .tv_nsec = ahead % 1'000'000'000};
    const int ready =
        ppoll(sockets_.data(), sockets_.size(), next == sim::kNever ? nullptr : &limit, nullptr);
    if (ready >= 0) return now();
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
  }
}

void RealTime::take_in() {
  std::span<const pollfd> rest = sockets_;
  for (RealEndpoint* server : servers_) {
    const std::size_t its_own = server->watched();
    server->take_in(rest.first(its_own));
    rest = rest.subspan(its_own);
  }
}

}  // namespace picklock::conform::real
