// The history seen from its tenures: who believed when, whose grant came first, who had the entry
// on which server. Facts only, gathered in one pass and shared by the judges; no verdict is formed
// here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "history/history.h"
#include "properties/context.h"
#include "properties/verdict.h"

namespace picklock::properties {

using history::History;
using history::HistoryEvent;
using history::KeyId;
using history::TenureId;
using sim::ProcessId;
using sim::ThreadId;

// Events are named by their position in the history.
inline constexpr std::uint32_t kNone = UINT32_MAX;

// Tenures are ordered by `granted`.
struct Tenure {
  KeyId key = 0;
  ProcessId process = 0;
  ThreadId thread = 0;
  std::uint32_t waiting = kNone;  // its acquire_invoked that was not completed to the end
  std::uint32_t granted = kNone;  // where the grant took effect at the deciding server
  std::uint32_t began = kNone;    // belief: from here
  std::uint32_t ended = kNone;    // to here; if it never believed, where its hope ended
  std::uint32_t gone = kNone;     // where its thread or its process ended
  std::uint32_t queued = kNone;   // where its first request was applied, errors aside
  std::uint32_t depth = 0;        // nested acquires not yet released
  std::uint32_t entries = 0;      // servers that hold its entry at the end
  std::uint64_t granted_by = 0;   // servers that ever held its entry; the 64th stands for the rest
  std::uint32_t belief = kNone;   // the one that has not ended, by its place among all
  std::uint32_t holds = 0;        // nested acquires of it not yet released
  bool releases = false;          // to the end, in a release that was not completed
  bool enrolled = false;          // the rest is known, from its first acquire
  TenureId next_of_process = 0;
  TenureId next_of_thread = 0;

  bool believes_at(std::uint32_t event) const { return began <= event && event < ended; }
};

// A tenure that has learned of a loss believes again if it acquires again, nested. `Tenure` has its
// first belief.
struct Belief {
  TenureId tenure = 0;
  std::uint32_t began = 0;
  std::uint32_t ended = kNone;
};

// The entry of one key on one server, as the history leaves it.
struct Slot {
  ProcessId server = 0;
  std::uint32_t next = kNone;  // the slot of the same key on another server
  std::uint32_t number = 0;    // among the slots of its key; copies have one number
  TenureId owner = 0;
  std::uint32_t since = kNone;    // the event by which the owner came to have it; kNone: no entry
  std::uint32_t renewed = kNone;  // its owner's last renewal
  Instant until = sim::kNever;
};

// A mutex inside a client, as the history leaves it.
struct LocalEntry {
  KeyId key = 0;
  std::uint32_t next = kNone;  // the one of another key in the same process
  TenureId owner = 0;
  std::uint32_t since = kNone;  // the event by which the owner came to have it; kNone: it is free
};

// The effect of an entry event on the tenures of its lock. Entries inside clients have none.
struct EntryChange {
  std::uint32_t event = 0;
  std::uint32_t slot = 0;       // where, as Timeline::index says
  TenureId owner = 0;           // who has the entry now
  std::uint32_t occupied = 0;   // groups of servers on which the key has an entry now
  std::uint32_t since = kNone;  // the event by which the owner before had come to have the entry
  TenureId loser = 0;           // had the entry and no longer has it
  TenureId gainer = 0;          // has the entry and did not before
  std::uint32_t left = 0;       // servers on which the loser still has one
  std::uint32_t has = 0;        // servers on which the gainer now has one
};

// An operation the resource accepted from a tenure. A place is one resource as guarded by one lock:
// two locks may guard different things on one machine, and their tenures are free to interleave
// there.
struct Operation {
  std::uint32_t event = 0;
  TenureId tenure = 0;
  std::uint32_t place = 0;
};

class Timeline {
 public:
  void read(const History& history, const Context& context);

  const Tenure& tenure(TenureId id) const { return tenures_[id]; }
  std::span<const Tenure> tenures() const { return tenures_; }        // by TenureId; 0 is no tenure
  std::span<const TenureId> believers() const { return believers_; }  // as their beliefs began
  std::span<const Belief> beliefs() const { return beliefs_; }        // as they began
  std::span<const EntryChange> entries() const { return entries_; }
  std::span<const Operation> operations() const { return operations_; }
  // Requests that the resource rejected.
  std::span<const std::uint32_t> rejections() const { return rejections_; }
  std::size_t keys() const { return keys_.size(); }
  std::size_t places() const { return places_.size(); }
  std::size_t threads() const { return threads_.size(); }
  std::size_t processes() const { return processes_.size(); }
  std::size_t slots() const { return slots_.size(); }
  std::uint32_t index(const Slot& slot) const {
    return static_cast<std::uint32_t>(&slot - slots_.data());
  }
  const Slot* first_slot(KeyId key) const { return slot(keys_[key].first_slot); }
  const Slot* next_slot(const Slot& before) const { return slot(before.next); }
  // The mutex of the key inside the client; nullptr if it is free.
  const LocalEntry* local_entry(KeyId key, ProcessId client) const;
  // Where the client's last connection was lost to a thread that ended; kNone: it has some.
  std::uint32_t out_of_connections(ProcessId client) const {
    return processes_[client].out_of_connections;
  }
  bool are_copies(const Slot& one, const Slot& other) const {
    return group(one.server) == group(other.server);
  }

  // The first acquire_invoked of the process that came last.
  std::uint32_t last_arrival() const { return last_arrival_; }
  // Actions of servers on waiters: where they broke cycles, and where they refused a lock that had
  // become free.
  std::span<const std::uint32_t> broken_circles() const { return broken_circles_; }
  std::span<const std::uint32_t> refused_free() const { return refused_free_; }
  // Whether any acquire failed or ended unknown.
  bool refused() const { return refused_; }
  // Whether any thread acquired a lock while it believed that it held one, the same or another.
  bool waits_while_holding() const { return waits_while_holding_; }
  // Whether any thread slept.
  bool sleeps() const { return sleeps_; }
  // Whether any server counted how often an entry is held.
  bool counts_holds() const { return counts_holds_; }
  // Whether any client was told that it had nothing to release.
  bool had_nothing() const { return had_nothing_; }

 private:
  struct Place {
    ProcessId resource = 0;  // or the group of its nodes
    std::uint32_t next = kNone;
  };
  struct Key {
    std::uint32_t first_slot = kNone;
    std::uint32_t first_place = kNone;
    std::uint32_t occupied = 0;  // groups of servers on which it has an entry
  };
  struct Process {
    TenureId first = 0;
    std::uint32_t first_local = kNone;
    std::uint32_t out_of_connections = kNone;
    bool arrived = false;
  };
  struct Thread {
    TenureId first = 0;
    std::uint32_t beliefs = 0;
  };

  const Slot* slot(std::uint32_t index) const { return index == kNone ? nullptr : &slots_[index]; }
  Tenure& known(TenureId id);
  Tenure& enrolled(const HistoryEvent& event);
  void asked(const HistoryEvent& event, std::uint32_t at);
  void succeeded(const HistoryEvent& event, std::uint32_t at);
  void refused(const HistoryEvent& event, std::uint32_t at);
  void released(const HistoryEvent& event, std::uint32_t at);
  void waited(const HistoryEvent& event);
  void stop(Tenure& tenure, std::uint32_t at);
  void end_belief(Tenure& tenure, std::uint32_t at);
  void gone(Tenure& tenure, std::uint32_t at);
  void crashed(Process& process, std::uint32_t at);
  void entry(const HistoryEvent& event, std::uint32_t at);
  void local_change(const HistoryEvent& event, std::uint32_t at);
  std::uint32_t group(ProcessId server) const;
  // Whether another server of the slot's group has an entry of this tenure: a copy of the same.
  bool has_copy(TenureId id, KeyId key, const Slot& slot) const;
  // Whether another server of the slot's group has an entry, whosever it is.
  bool is_copied(KeyId key, const Slot& slot) const;
  std::uint32_t take(TenureId id, KeyId key, const Slot& slot);
  std::uint32_t give(TenureId id, const HistoryEvent& event, const Slot& slot, std::uint32_t at);
  LocalEntry& local_entry_of(KeyId key, ProcessId client);
  Slot& slot_of(KeyId key, ProcessId server);
  std::uint32_t place_of(KeyId key, ProcessId process);

  const Context* context_ = nullptr;
  Tenure blank_;
  std::uint32_t last_arrival_ = 0;
  std::vector<std::uint32_t> broken_circles_;
  std::vector<std::uint32_t> refused_free_;
  bool refused_ = false;
  bool waits_while_holding_ = false;
  bool sleeps_ = false;
  bool counts_holds_ = false;
  bool had_nothing_ = false;
  std::vector<Tenure> tenures_;
  std::vector<Key> keys_;
  std::vector<Process> processes_;
  std::vector<Thread> threads_;
  std::vector<Slot> slots_;
  std::vector<LocalEntry> local_entries_;
  std::vector<Place> places_;
  std::vector<TenureId> believers_;
  std::vector<Belief> beliefs_;
  std::vector<EntryChange> entries_;
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> rejections_;
};

// The input of every judge.
struct Case {
  const History& history;
  const Context& context;
  const Timeline& timeline;

  const HistoryEvent& event(std::uint32_t position) const { return history[position]; }
  Instant at(std::uint32_t position) const { return history[position].at; }
  const Tenure& tenure(TenureId id) const { return timeline.tenure(id); }

  // A belief whose end the history does not see outlasts it: the recording stops, not the belief.
  Instant belief_ends(const Tenure& tenure) const {
    return tenure.ended == kNone ? sim::kNever : at(tenure.ended);
  }
  Instant belief_ends(const Belief& belief) const {
    return belief.ended == kNone ? sim::kNever : at(belief.ended);
  }
};

// Counts a violation and keeps its witness if it is among the earliest.
void violated(Verdict& verdict, Witness witness);

}  // namespace picklock::properties
