// The servers of one kind on one simulation, and the ends of their clients' connections. A cluster
// is made once and built anew for each run; between runs nothing is freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/keys.h"
#include "models/client/tenures.h"
#include "models/locks/lock_options.h"
#include "models/servers/client_end.h"
#include "models/servers/find_by.h"
#include "models/servers/process_kind.h"
#include "models/servers/specs.h"
#include "models/servers/wire.h"
#include "sim/simulation.h"

namespace picklock::servers {

// The part of a world that stays the same in all runs of a scenario.
struct Setting {
  const Specs* specs = nullptr;
  std::span<const ProcessSpec> processes{};  // all of them, in the order of the scheduler
  std::span<const std::string> lock_keys{};  // number i is key i of the history
  bool coordinated = false;  // a coordinator frees the locks of holders that are gone
  const models::LockOptions* lock = nullptr;  // nullptr: as it comes
  bool timed_by_clients = false;              // the clients' clocks decide when a lease is over
  // Of each process, on the one machine on which all of them are; empty: each has a machine of its
  // own.
  std::span<const std::uint16_t> ports{};
  std::string_view machine = "127.0.0.1";  // its address, where there are ports
  std::string_view password{};             // which clients must give; empty: none
};

// A run, to which the processes have been added.
struct Site {
  history::RecordedSimulation& simulation;
  models::Tenures& tenures;
  models::Keys& keys;
};

// A client process that is to be connected.
struct Seat {
  sim::Process& process;
  const models::LockOptions& options;
  std::size_t number = 0;  // counts from 0 for the first client
  FindBy find_by = FindBy::address;
  std::span<const std::uint32_t> primaries{};  // those that it uses, in order; empty: all
};

class Cluster {
 public:
  Cluster() = default;
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  virtual ~Cluster() = default;

  // The targets of the pointers in `setting` must outlive the runs.
  virtual void set(const Setting& setting) { setting_ = setting; }
  virtual void build(const Site& site) = 0;
  // Call this after build(), once for each process. The end is good for this run.
  virtual ClientEnd& connect(const Site& site, const Seat& seat) = 0;
  // Whether a client could get a lock from this process, now or later. "No" is for good unless a
  // fault changes it. Requires: no fault is under way, and Bounds::replacing has passed since.
  virtual bool may_grant(const sim::Process&) const { return true; }
  // Whether such servers can ask their clients for `Setting::password`, by themselves or by Wire.
  virtual bool asks_for_password() const { return false; }
  // The processes that accept connections from outside, in order. Call this after build().
  virtual std::vector<Door> doors() { return {}; }
  // Where the address of this door leads now: the verb `fail-over` may have moved it.
  virtual Door behind(const Door& door) const { return door; }

 protected:
  const Setting& setting() const { return setting_; }
  // The processes of this kind, in order. Each needs `service` for a message.
  std::vector<sim::Process*> serving(const Site& site, const ProcessKind& kind,
                                     sim::Duration service) const;

 private:
  Setting setting_;
};

// A cluster whose clients have ends of one type.
template <typename End>
class ClusterOf : public Cluster {
 protected:
  // One that is not in use in this run.
  End& next_end() {
    if (used_ == ends_.size()) ends_.push_back(std::make_unique<End>());
    return *ends_[used_++];
  }
  void begin() { used_ = 0; }

 private:
  std::vector<std::unique_ptr<End>> ends_;
  std::size_t used_ = 0;
};

}  // namespace picklock::servers
