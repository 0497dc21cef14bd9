// Records the grants of a run, as leaders report their commits: those of the locks of a scenario,
// or of any lock that clients outside the simulation make.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/zookeeper/grants.h"

namespace picklock::zookeeper {

class GrantRecorder {
 public:
  // A leader has just committed this proposal, which made these changes. A former leader that was
  // paused may commit late what its successor has reported; this is left out.
  virtual void committed(const Proposal& proposal, std::span<const Change> changes) = 0;
  // A leader takes office with this tree and a log that ends at `last`.
  virtual void restored(const Tree& tree, Zxid last) = 0;

 protected:
  ~GrantRecorder() = default;
};

// The locks of a scenario.
class KnownLocks final : public GrantRecorder {
 public:
  // As in Grants::reset(); number i of `keys` is key i of the history.
  void reset(history::RecordedSimulation& simulation, sim::ProcessId place,
             models::Tenures& tenures, std::span<const std::string> keys, bool outlives_session);

  void committed(const Proposal& proposal, std::span<const Change> changes) override;
  void restored(const Tree& tree, Zxid last) override;

 private:
  std::vector<Grants> locks_;
  Zxid committed_ = 0;  // the last one
};

// Every lock. An ephemeral znode is a lock of its own, by its path. Sequential ephemeral znodes are
// the queue of the znode above them.
class AnyLock final : public GrantRecorder {
 public:
  void reset(history::RecordedSimulation& simulation, sim::ProcessId place,
             models::Tenures& tenures, models::Keys& keys);

  void committed(const Proposal& proposal, std::span<const Change> changes) override;
  void restored(const Tree& tree, Zxid last) override;

 private:
  using ByLock = std::map<std::string, std::vector<Change>>;

  static std::string lock_of(std::string_view path, bool sequential) {
    return std::string(sequential ? parent_of(path) : path);
  }
  Grants& grants_of(const std::string& lock);
  void forget_if_free(const std::string& lock);

  history::RecordedSimulation* simulation_ = nullptr;
  models::Tenures* tenures_ = nullptr;
  models::Keys* keys_ = nullptr;
  sim::ProcessId place_ = 0;
  Zxid committed_ = 0;                              // the last one
  std::map<std::string, Grants> locks_;             // those that have a holder
  std::map<std::string, bool, std::less<>> nodes_;  // the ephemeral ones; true: sequential
};

}  // namespace picklock::zookeeper
