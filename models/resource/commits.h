// The ground truth of a replicated resource: which operations are on a majority of its nodes under
// one epoch. From that instant on the history has the operation as accepted. Another client may
// have brought it there, and the client that began it need not learn of this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/resource/replicated_log.h"

namespace picklock::models {

class Commits {
 public:
  void reset(history::RecordedSimulation& simulation, std::size_t nodes);

  // An operation of the calling thread is about to be sent; returns its number. `base`: the version
  // that a write is based on.
  std::uint32_t begin(history::What accepted, std::uint32_t base);
  // The calling thread was refused by a majority, of which `node` answered last.
  void reject(sim::ProcessId node, history::What rejected, std::uint32_t version,
              std::uint32_t base, history::Cause cause = history::Cause::command);

  // The log that this node now has from the writer of an epoch.
  void stored(std::size_t node, sim::ProcessId process, std::int64_t epoch, const Log& log,
              const sim::Message& request);
  // The node has lost its log.
  void forgot(std::size_t node) { nodes_[node] = {}; }

  std::size_t majority() const { return nodes_.size() / 2 + 1; }

 private:
  struct Operation {
    history::HistoryEvent event;
    bool accepted = false;
  };
  struct Copy {
    std::int64_t epoch = 0;
    std::size_t length = 0;
  };
  // The log of one writer as far as a majority of nodes has it.
  struct Reign {
    std::int64_t epoch = 0;
    std::size_t length = 0;
    std::uint32_t version = 1;
    bool begun = false;
  };

  // How many entries from the writer of this epoch a majority has; nullopt: too few nodes have any
  // of its logs.
  std::optional<std::size_t> length_on_majority(std::int64_t epoch) const;
  Reign& reign_of(std::int64_t epoch);
  void accept(const LogEntry& entry, Reign& reign, sim::ProcessId process);

  history::RecordedSimulation* simulation_ = nullptr;
  std::vector<Operation> operations_;
  std::vector<Copy> nodes_;
  std::vector<Reign> reigns_;
};

}  // namespace picklock::models
