// One node of a replicated resource. It promises an epoch to one writer, and from then on refuses
// lower epochs and other writers of the same one. It keeps a copy of the log: the writer of a new
// epoch replaces it, and from then on the writer only extends it.
#pragma once

#include <cstdint>

#include "history/recorded_simulation.h"
#include "models/client/tenures.h"
#include "models/resource/commits.h"
#include "models/resource/replicated_log.h"
#include "sim/service.h"

namespace picklock::models {

// Which part of its log a node keeps when it starts again.
enum class RestartedLog : std::uint8_t { whole, high_watermark };

struct NodeRules {
  bool order_of_grants = false;  // the epoch is the order of grants, not the number in the request
  bool force_promises = true;    // a promise is on disk before it is answered
  RestartedLog restarted_log = RestartedLog::whole;
};

class Node final : public sim::Service {
 public:
  void reset(history::RecordedSimulation& simulation, sim::Process& process, std::size_t number,
             const Tenures& tenures, Commits& commits, const NodeRules& rules);

  static const sim::Protocol& protocol();

  void start(sim::Keeps keeps) override;

 private:
  // A promised epoch with its writer.
  struct Promise {
    std::int64_t epoch = 0;
    sim::ProcessId writer = 0;
  };

  bool apply(sim::Message& request, sim::Payload& answer) override;
  std::int64_t epoch_of(const sim::Message& request) const;
  bool promises(std::int64_t epoch, sim::ProcessId writer);
  bool store(const Stored& entries, std::int64_t epoch);

  const Tenures* tenures_ = nullptr;
  Commits* commits_ = nullptr;
  NodeRules rules_;
  std::size_t number_ = 0;  // counts from 0
  Promise promise_;
  Promise forced_promise_;  // as it is on disk
  Promised state_;          // is forced to disk with each change
};

}  // namespace picklock::models
