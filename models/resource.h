// The thing that the lock protects, reached over the network. It knows no lock: it accepts what it
// is sent, or, with ideal fencing, what carries the newest grant it has seen, in the simulator's
// own order of grants (architecture 8.11). Every operation is in the history with its tenure.
#pragma once

#include "models/tenures.h"
#include "sim/caller.h"
#include "sim/service.h"

namespace picklock::models {

class Resource final : public sim::Service {
 public:
  void reset(sim::Simulation& simulation, sim::Process& process, const Tenures& tenures,
             bool fencing);

  static const sim::Protocol& protocol();

 private:
  bool apply(sim::Message& request, sim::Payload& answer) override;

  const Tenures* tenures_ = nullptr;
  bool fencing_ = false;
  std::uint32_t newest_ = 0;
};

// What became of a write, as the client knows it.
enum class Written : std::uint8_t { accepted, rejected, unknown };

class ResourceClient {
 public:
  void reset(sim::Simulation& simulation, sim::Process& self, Resource& resource,
             sim::Duration patience);
  void forget() { caller_.forget(); }
  Written write(std::uint32_t number);  // the how-manieth of this critical section; parks

 private:
  sim::Caller caller_;
  sim::Duration patience_{};
};

}  // namespace picklock::models
