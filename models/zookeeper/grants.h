// The holder of one lock, according to what an ensemble has committed. The lock's own znode decides
// if it is ephemeral or meant to outlive its holder's session; else the child with the lowest
// number behind its name does. For the record of a run; no server and no client uses it.
//
// An ensemble is one state machine, so its entries are recorded as those of one place: its first
// server.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "history/recorded_simulation.h"
#include "models/client/keys.h"
#include "models/client/tenures.h"
#include "models/zookeeper/names.h"
#include "models/zookeeper/proposal.h"
#include "models/zookeeper/tree.h"
#include "picklock/client.h"
#include "sim/simulation.h"

namespace picklock::zookeeper {

class Grants {
 public:
  // `place`: the process as which entries are recorded.
  void reset(history::RecordedSimulation& simulation, sim::ProcessId place,
             models::Tenures& tenures, const models::NamedKey& lock, bool outlives_session);

  // A leader has just committed this proposal, which made these changes.
  void committed(const Proposal& proposal, std::span<const Change> changes);
  // A leader takes office with this tree. Writes that the tree does not have were never committed,
  // or are lost. `complete`: its log ends no earlier than the last commit.
  void restored(const Tree& tree, bool complete);
  // The same if the caller knows the znodes that contend for the lock.
  void restored(std::span<const Change> nodes, const Tree& tree, bool complete);

  bool is_free() const { return !holder_; }

 private:
  // A znode that has the lock, or will have it once all znodes before it are gone.
  struct Contender {
    std::int32_t sequence = 0;
    std::string path;
    history::TenureId tenure = 0;
    SessionId session = 0;

    std::strong_ordering operator<=>(const Contender& other) const {
      if (const auto order = sequence <=> other.sequence; std::is_neq(order)) return order;
      return path <=> other.path;
    }
    bool operator==(const Contender& other) const { return path == other.path; }
  };

  bool contends(std::string_view path, SessionId session) const {
    return session != 0 || (outlives_session_ && path == path_);
  }
  std::optional<Contender> contender(const Change& change) const;
  void decide(history::Cause cause, history::TenureId by);
  void note(history::What what, history::Cause cause, Role role, history::TenureId by,
            history::TenureId owner);

  history::RecordedSimulation* simulation_ = nullptr;
  models::Tenures* tenures_ = nullptr;
  sim::ProcessId place_ = 0;
  history::KeyId key_ = 0;
  std::string path_;
  bool outlives_session_ = false;
  std::set<Contender> contenders_;
  std::optional<Contender> holder_;
};

}  // namespace picklock::zookeeper
