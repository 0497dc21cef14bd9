// The events of one run in words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.h"
#include "properties/verdict.h"
#include "reports/wording.h"
#include "scenarios/run.h"
#include "scenarios/topology.h"

namespace picklock::reports {

using picklock::Property;
using properties::Witness;
using scenarios::Run;

// nullptr: the fault did not fire.
const scenarios::FiredFault* fired_fault(const Run& run, std::size_t fault);

// The part of a process in a story. Forms of report differ in which part comes first.
enum class Side : std::uint8_t { client, server, resource };

// Describes the events of one run. Borrows the run, which must outlive it.
class Narrator {
 public:
  explicit Narrator(const Run& run);

  const Run& run() const { return run_; }

  std::string process(sim::ProcessId process) const;
  std::string processes(const std::vector<sim::ProcessId>& processes) const;  // a, b and c
  std::string key(history::KeyId key) const;
  std::string lock(history::KeyId key) const;
  // Whether it is the key of a lock; some locks keep further keys.
  bool is_lock(history::KeyId key) const { return key < locks_; }
  bool has_one_lock() const { return locks_ == 1; }
  std::optional<sim::ProcessId> find(std::string_view name) const;
  bool is_client(sim::ProcessId process) const;
  // The clients are those outside, with names of their own.
  bool is_of_outside() const { return run_.outside > 0; }
  // Which of the clients it is, as its entries are marked: the digits of client-1; empty: none.
  std::string number(sim::ProcessId client) const;
  Side side(sim::ProcessId process) const;
  bool is_peer(sim::ProcessId process) const;      // a server of an ensemble in which any may lead
  bool is_operator(sim::ProcessId process) const;  // a client that forces the lock open
  std::optional<sim::ProcessId> process_of(history::TenureId tenure) const;
  // The process that caused an event. At a server and at the resource this is the client whose
  // tenure acts, or the operator that acts on its behalf.
  std::optional<sim::ProcessId> actor_of(const history::HistoryEvent& event) const;

  // The event that removed an entry first, if it was gone before `removed`; else `removed`.
  const history::HistoryEvent& first_loss(const history::HistoryEvent& removed) const;
  // Whether, when a failover removes an entry, another server of the group has come to have it
  // since for the same owner.
  bool is_kept_by_copy(const history::HistoryEvent& removed) const;
  // The crash that lost an entry whose deadline passed while its server was down, if the server has
  // kept no data; else nullptr.
  const history::HistoryEvent* crash_that_lost(const history::HistoryEvent& removed) const;

  // The client of an event. With its tenure, two of one client are told apart.
  std::string who(const history::HistoryEvent& event, bool with_tenure) const;
  // The client or the operator that acts at a server.
  std::string doer(const history::HistoryEvent& event, bool with_tenure) const;
  // The client that has the entry.
  std::string owner(const history::HistoryEvent& event) const;
  // "expired": how the entry ended.
  std::string loss(const history::HistoryEvent& event) const;
  std::optional<sim::ProcessId> operator_behind(const history::HistoryEvent& event) const;

  // An event that has a row, as a sentence: "client-1 learns that it has lost the lock".
  std::string event(const history::HistoryEvent& event) const;

 private:
  std::string numbered_fault(std::uint32_t index) const;
  struct Actor {
    sim::ProcessId process = 0;
    bool known = false;
  };
  std::string entry_ends(const history::HistoryEvent& event) const;
  std::string fault_fires(std::uint32_t index) const;
  std::string fault_ends(std::uint32_t index) const;
  bool are_copies(sim::ProcessId one, sim::ProcessId other) const;

  const Run& run_;
  std::size_t locks_ = 1;  // their keys come first
  std::vector<Actor> tenures_;
  std::vector<bool> clients_;
  std::vector<bool> resources_;
  std::vector<scenarios::ProcessSpec> specs_;  // of the processes, where the scenario has them all
};

}  // namespace picklock::reports
