// The resource that the lock protects, reached over the network. It knows no lock. It accepts every
// write, or with fencing only writes that are not older than the newest one seen, by the token of
// the write or by the simulator's own order of grants (architecture "Fencing"). Or every holder
// writes to a log of its own, which a coordinator can close. The history has every operation with
// its tenure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/tenures.h"
#include "picklock/lock.h"
#include "sim/caller.h"
#include "sim/service.h"

namespace picklock::models {

// How the resource recognizes an older grant: not at all, by tokens, by ground truth, or by a log
// that has been closed (docs/facts/failures.md B-11).
enum class FencedBy : std::uint8_t { nothing, tokens, order_of_grants, revocation };

class Resource final : public sim::Service {
 public:
  void reset(history::RecordedSimulation& simulation, sim::Process& process, const Tenures& tenures,
             FencedBy fenced_by);

  static const sim::Protocol& protocol();

 private:
  bool apply(sim::Message& request, sim::Payload& answer) override;
  std::int64_t rank_of(const sim::Message& request) const;
  bool is_stale(const sim::Message& request);

  history::Recorder* recorder_ = nullptr;
  const Tenures* tenures_ = nullptr;
  FencedBy fenced_by_ = FencedBy::nothing;
  std::int64_t newest_ = 0;
  std::vector<std::string> closed_;  // logs
};

class ResourceClient {
 public:
  void reset(sim::Simulation& simulation, sim::Process& self, Resource& resource,
             sim::Duration patience);
  void forget() { caller_.forget(); }
  // Sends write `number` of this critical section, with its fencing token or to the log of this
  // name, if there is one; parks.
  Written write(std::uint32_t number, std::int64_t token = 0, std::string_view log = {});
  // Closes the log: later writes to it are refused. False: there was no answer; parks.
  bool close(std::string_view log);

 private:
  sim::Caller caller_;
  sim::Duration patience_{};
};

}  // namespace picklock::models
