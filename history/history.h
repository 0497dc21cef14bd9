// The history of a run: the requests and answers of clients, the changes of entries on servers, and
// the writes that reached the protected resource, in the order in which they happened. Properties
// judge only the history.
//
// A tenure is a number that accompanies every message of a thread, outside its bytes (sim::Tag).
// It is the ground truth of an entry's ownership, not the text of a token.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/occurrence.h"
#include "sim/role.h"

namespace picklock::history {

using TenureId = sim::Tag;    // 0: none
using KeyId = std::uint32_t;  // index of an interned key of the run

enum class What : std::uint8_t {
  // Operations of a client thread: `process`, `thread`, `tenure`, `key`.
  acquire_invoked,
  acquire_ok,       // the algorithm has learned of success: belief begins
  acquire_failed,   // refused for good, within the client's own limits
  acquire_unknown,  // the client cannot know: no belief, the entry may exist
  release_invoked,  // belief ends
  release_ok,
  release_failed,  // the client was told that it had nothing to release
  release_unknown,
  loss_learned,     // the algorithm has learned that the lock is lost: belief ends
  deadline_passed,  // a deadline the algorithm declares has passed on its own clock: belief ends
  // Occurrences that the simulator reports, with the same numbers (sim/occurrence.h).
  thread_ended,     // `thread` ended by a fault while its process lives
  process_crashed,  // every thread of `process` is gone
  process_started,  // also after a restart
  link_cut,         // `process` and `peer` cannot talk (one event per direction: process to peer)
  link_healed,
  fault_fired,  // `key` is the index of the fault in its plan
  fault_ended,  // the fault is over; one without end counts as ended when it takes effect
  // Entries on a server: `process` is the server, `tenure` acts (0: none), `owner` owned the entry
  // before.
  entry_created,  // `until`: when it expires by itself on an undisturbed clock; kNever: no deadline
  entry_altered,  // the same, after a renewal or an overwrite that keeps the entry
  entry_removed,
  // The protected resource: `process` is the resource, `tenure` acts, `peer` is the client.
  write_accepted,
  write_rejected,  // by a fencing check, or because the version has moved
  read_accepted,
  // The run was ended at the horizon; always the last event of a complete history.
  horizon,
  // Waiting for the lock.
  queued,  // the first request of `tenure` for it was applied at the server `process`; once more
           // where the first were answered with errors: then the last place counts
  wait_begun,  // by a client thread, for a message that the lock may be free; at most to `until`
  wait_ended,  // `owner`: the tenure whose message woke it; 0: it woke by itself
  deadlock_broken,  // by the server `process`, of a circle of waiters: `tenure` was the victim
  refused_free,     // `tenure` has waited for the lock at the server `process`, it is free, and the
                    // server has refused it
  // More of the protected resource.
  read_rejected,    // by a fencing check
  token_announced,  // the resource has learned of the newest token before it is used
  token_rejected,   // it was announced, and is not the newest
  // Each connection of the client `process` is lent to a thread that has ended, so that no thread
  // of it reaches the server until the process restarts.
  out_of_connections,
  // More operations of a client thread.
  abandoned,  // the holder has forgotten the lock without a release: belief ends
};

// Whether the event is of the protected resource.
constexpr bool is_at_resource(What what) {
  return (what >= What::write_accepted && what <= What::read_accepted) ||
         (what >= What::read_rejected && what <= What::token_rejected);
}

// Why an entry changed; and why an acquire failed, if its own thread was told to give it up.
enum class Cause : std::uint8_t {
  command,
  expiry,
  eviction,
  failover,
  session_end,
  restart,
  interrupt,
  coordinator,
  version,  // a conditional write was rejected because the version had moved
  crash,    // the server had it in its memory alone
};

struct HistoryEvent {
  sim::Instant at{};
  What what{};
  Cause cause{};
  Role role{};             // of the step that did it, for witnesses
  std::uint8_t holds = 0;  // how often its owner holds an entry that counts; 0: it does not count
  sim::ProcessId process = 0;
  sim::ProcessId peer = 0;
  sim::ThreadId thread = 0;
  TenureId tenure = 0;
  TenureId owner = 0;
  KeyId key = 0;
  bool passes = false;  // entry_altered: set anew, so that `tenure` owns it from now on
  sim::Instant until = sim::kNever;
  // At a resource that clients read, counted from 1: the version that was read, that a write made,
  // or that a rejected write met. 0: the run reads nothing.
  std::uint32_t version = 0;
  std::uint32_t base = 0;  // the version that a write is based on; 0: none
};

// The owner of an entry after this change of it; 0: nobody has it. An entry that was there before,
// such as that of a promoted replica, keeps its owner; so does one that is altered in place.
constexpr TenureId owner_after(const HistoryEvent& change) {
  if (change.what == What::entry_removed) return 0;
  if (change.what == What::entry_altered) return change.passes ? change.tenure : change.owner;
  return change.owner != 0 ? change.owner : change.tenure;
}

using History = std::vector<HistoryEvent>;

std::string_view name(What what);
std::string_view name(Cause cause);

}  // namespace picklock::history
