// The resource that the lock protects, reached over the network. It knows no lock. It accepts every
// write, or with fencing only writes that are not older than the newest one seen, by the token of
// the write or by the simulator's own order of grants (models/resource/fence.h). Or every holder
// writes to a log of its own, which a coordinator can close. It has a number as its value, and a
// version that grows with each write. The history has every operation with its tenure.
//
// It is one process, or it is replicated on several (models/resource/node.h).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/tenures.h"
#include "models/resource/access.h"
#include "models/resource/commits.h"
#include "models/resource/fence.h"
#include "models/resource/node.h"
#include "models/resource/replicated_client.h"
#include "models/resource/write_mode.h"
#include "picklock/lock.h"
#include "sim/caller.h"
#include "sim/service.h"

namespace picklock::models {

// How the resource recognizes an older grant: not at all, by tokens, by ground truth, by a log
// that has been closed (docs/facts/failures.md B-11), or by the owner's token, which has no order.
enum class FencedBy : std::uint8_t { nothing, tokens, order_of_grants, revocation, owner_tokens };

struct ResourceRules {
  FencedBy fenced_by = FencedBy::nothing;
  Checks checks = Checks::writes;
  EqualToken equal_token = EqualToken::accept;
  bool versioned = false;    // answers and history have versions
  std::uint32_t things = 1;  // each is guarded by a lock of its own
  // --- of a replicated one, which always has versions and is guarded by one lock
  RecoverBy recover_by = RecoverBy::epoch;
  NodeRules nodes{};
};

class Resource final : public sim::Service {
 public:
  void reset(history::RecordedSimulation& simulation, sim::Process& process, const Tenures& tenures,
             const ResourceRules& rules);
  // Replicated on these processes.
  void replicate(history::RecordedSimulation& simulation, std::span<sim::Process* const> processes,
                 const Tenures& tenures, const ResourceRules& rules);
  // A client reaches it by what this makes, and not by requests to the process.
  using Way = std::function<std::unique_ptr<ResourceAccess>(sim::Simulation&, sim::Process& self,
                                                            sim::Duration patience)>;
  void reach_by(Way way) { way_ = std::move(way); }

  // Whether it has accepted, without fencing, only what it would have accepted if it were fenced by
  // the order of grants. The run is then the same with such fencing.
  bool is_as_if_fenced() const { return as_if_fenced_; }

  static const sim::Protocol& protocol();

 private:
  // The part of the resource that one lock guards.
  struct Thing {
    Fence fence;
    Seen now;
  };
  Thing& thing_of(const sim::Message& request) { return things_[tenures_->key(request.tag)]; }

  bool apply(sim::Message& request, sim::Payload& answer) override;
  void read(const sim::Message& request, sim::Payload& answer);
  void write(const sim::Message& request, sim::Payload& answer);
  history::HistoryEvent event_of(const sim::Message& request, history::What what);
  void append_version(const Thing& thing, sim::Payload& answer) const;
  bool is_admitted(const sim::Message& request, Access access);
  bool admits(const sim::Message& request, Access access, const Token& token);
  void announce(const sim::Message& request, sim::Payload& answer);

  history::Recorder* recorder_ = nullptr;
  const Tenures* tenures_ = nullptr;
  ResourceRules rules_;
  std::vector<Thing> things_;        // by lock
  std::vector<std::string> closed_;  // logs
  bool as_if_fenced_ = false;

  friend class ResourceClient;
  std::deque<Node> nodes_;  // empty: it is one process
  Commits commits_;
  Way way_;  // empty: by requests to the process
};

class ResourceClient {
 public:
  void reset(sim::Simulation& simulation, sim::Process& self, Resource& resource,
             sim::Duration patience);
  void forget();
  // Sends write `number` of this critical section, whatever the resource has; parks.
  Written write(std::uint32_t number, const Credentials& shown = {});
  // Reads the value with its version. nullopt: it was rejected, or there was no answer; parks.
  std::optional<Seen> read(const Credentials& shown);
  // Announces the token before it is used; parks.
  Written announce(const Credentials& shown);
  // Sends a write that is based on `seen`. If it is accepted, `seen` is what it has made; parks.
  Written update(WriteMode mode, std::int64_t value, Seen& seen, const Credentials& shown);
  // Closes the log: later writes to it are refused. False: there was no answer; parks.
  bool close(std::string_view log);

 private:
  template <typename Fill>
  sim::Answer call(Role role, Fill&& fill) {
    return caller_.call(role, patience_, std::forward<Fill>(fill));
  }

  sim::Caller caller_;
  sim::Duration patience_{};
  std::unique_ptr<ResourceAccess> way_;  // nullptr: by requests to its process
};

}  // namespace picklock::models
