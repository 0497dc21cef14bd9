// lease_store::Client over the simulated network: one connection per client process, shared by its
// threads. A request without an answer may be sent again. If that opens two sessions, the client
// uses one of them, and the other expires.
#pragma once

#include <optional>
#include <string>

#include "models/lease_store/lease_store.h"
#include "models/servers/client_end.h"
#include "picklock/lease_store.h"
#include "sim/caller.h"

namespace picklock::lease_store {

class SimClient final : public servers::EndOf<Client> {
 public:
  // `store` is connected already. `patience` is how long a request waits for its answer; 0: for
  // ever. `resend` is how often it is sent again.
  void reset(sim::Simulation& simulation, sim::Process& self, LeaseStore& store, Duration patience,
             std::uint32_t resend);
  void forget() override { caller_.forget(); }

  Opened open(Duration ttl, Duration lock_delay) override;
  Status keep_alive(std::string_view session) override;
  Granted acquire(std::string_view key, std::string_view session) override;
  Status release(std::string_view key, std::string_view session) override;
  Status watch(std::string_view key, Duration at_most) override;
  Status close(std::string_view session) override;

 private:
  // Role::none: use the role of the verb in which the request is sent. Nothing: no answer.
  std::optional<std::string> ask(const Request& request, Role role = Role::none);
  Status status_of(const Request& request, std::string_view good, Role role = Role::none);

  sim::Scheduler* scheduler_ = nullptr;
  sim::Caller caller_;
  Duration patience_{};
  std::uint32_t resend_ = 0;
};

}  // namespace picklock::lease_store
