// Histories written by hand, for tests: each verb appends the events that the simulator would
// record for it, at the time set last. Test-only.
#pragma once

#include <chrono>
#include <cstdint>

#include "history/history.h"

namespace picklock::properties {

using namespace std::chrono_literals;

// One tenure and its owner.
struct Who {
  history::TenureId tenure = 0;
  sim::ProcessId process = 0;
  sim::ThreadId thread = 0;
  history::KeyId key = 0;
};

// A tenure of client-n, which is process n and has one thread, n.
constexpr Who client(sim::ProcessId process, history::TenureId tenure, history::KeyId key = 0) {
  return {.tenure = tenure, .process = process, .thread = process, .key = key};
}

class HistoryBuilder {
 public:
  static constexpr sim::ProcessId kServer = 0;
  static constexpr sim::ProcessId kResource = 9;
  static constexpr sim::Duration kTtl = 10s;

  HistoryBuilder& at(sim::Duration since_start) {
    now_ = sim::kStart + since_start;
    return *this;
  }

  // Client operations.
  HistoryBuilder& asks(Who who) { return add(history::What::acquire_invoked, who); }
  HistoryBuilder& believes(Who who) { return add(history::What::acquire_ok, who); }
  HistoryBuilder& is_refused(Who who) { return add(history::What::acquire_failed, who); }
  HistoryBuilder& cannot_know(Who who) { return add(history::What::acquire_unknown, who); }
  HistoryBuilder& lets_go(Who who) { return add(history::What::release_invoked, who); }
  HistoryBuilder& has_let_go(Who who) { return add(history::What::release_ok, who); }
  HistoryBuilder& had_nothing(Who who) { return add(history::What::release_failed, who); }
  HistoryBuilder& cannot_know_release(Who who) { return add(history::What::release_unknown, who); }
  HistoryBuilder& learns_of_loss(Who who) { return add(history::What::loss_learned, who); }
  HistoryBuilder& passes_deadline(Who who) { return add(history::What::deadline_passed, who); }
  HistoryBuilder& abandons(Who who) { return add(history::What::abandoned, who); }

  // Waiting.
  HistoryBuilder& queues(Who who, sim::ProcessId on = kServer) {
    return add(history::What::queued, {.tenure = who.tenure, .process = on, .key = who.key});
  }
  HistoryBuilder& sleeps(Who who) { return add(history::What::wait_begun, who); }
  HistoryBuilder& wakes(Who who, Who by = {}) {
    add(history::What::wait_ended, who);
    history.back().owner = by.tenure;
    return *this;
  }

  // Entries. `on` is the server.
  HistoryBuilder& creates(Who who, sim::ProcessId on = kServer, sim::Duration ttl = kTtl) {
    return entry(history::What::entry_created, who.tenure, 0, who.key, on, ttl);
  }
  HistoryBuilder& creates_for_ever(Who who, sim::ProcessId on = kServer) {
    return creates(who, on, sim::Duration::max());
  }
  // The entry that a promoted replica had received.
  HistoryBuilder& promotes(Who owner, sim::ProcessId on, sim::Duration ttl = kTtl) {
    entry(history::What::entry_created, 0, owner.tenure, owner.key, on, ttl);
    history.back().cause = history::Cause::failover;
    return *this;
  }
  HistoryBuilder& renews(Who who, sim::ProcessId on = kServer, sim::Duration ttl = kTtl) {
    return entry(history::What::entry_altered, who.tenure, who.tenure, who.key, on, ttl);
  }
  HistoryBuilder& alters(Who actor, Who owner, sim::ProcessId on = kServer) {
    return entry(history::What::entry_altered, actor.tenure, owner.tenure, owner.key, on, kTtl);
  }
  HistoryBuilder& removes(Who actor, Who owner, sim::ProcessId on = kServer) {
    return entry(history::What::entry_removed, actor.tenure, owner.tenure, owner.key, on, {});
  }
  HistoryBuilder& goes(Who owner, history::Cause cause, sim::ProcessId on = kServer) {
    entry(history::What::entry_removed, 0, owner.tenure, owner.key, on, {});
    history.back().cause = cause;
    return *this;
  }
  HistoryBuilder& expires(Who owner, sim::ProcessId on = kServer) {
    return goes(owner, history::Cause::expiry, on);
  }

  // How often its owner holds the entry of the event added last.
  HistoryBuilder& holding(std::uint32_t holds) {
    history.back().holds = static_cast<std::uint8_t>(holds);
    return *this;
  }
  // A mutex inside the client.
  HistoryBuilder& locks_at_home(Who who) { return creates_for_ever(who, who.process); }
  HistoryBuilder& unlocks_at_home(Who who) { return removes(who, who, who.process); }

  // The usual sequences, in an instant.
  HistoryBuilder& acquires(Who who) { return asks(who).creates(who).believes(who); }
  HistoryBuilder& releases(Who who) { return lets_go(who).removes(who, who).has_let_go(who); }

  // The resource.
  HistoryBuilder& writes(Who who, sim::ProcessId to = kResource) {
    return operation(history::What::write_accepted, who, to);
  }
  HistoryBuilder& reads(Who who, sim::ProcessId from = kResource) {
    return operation(history::What::read_accepted, who, from);
  }
  HistoryBuilder& write_is_rejected(Who who) {
    return operation(history::What::write_rejected, who, kResource);
  }
  HistoryBuilder& read_is_rejected(Who who) {
    return operation(history::What::read_rejected, who, kResource);
  }
  HistoryBuilder& announces(Who who) {
    return operation(history::What::token_announced, who, kResource);
  }
  HistoryBuilder& token_is_rejected(Who who) {
    return operation(history::What::token_rejected, who, kResource);
  }
  // The version that the event added last has read, made or met, and the one that it is based on.
  HistoryBuilder& version(std::uint32_t version, std::uint32_t base = 0) {
    history.back().version = version;
    history.back().base = base;
    return *this;
  }

  // Faults.
  HistoryBuilder& crashes(sim::ProcessId process) {
    return add(history::What::process_crashed, {.process = process});
  }
  HistoryBuilder& starts(sim::ProcessId process) {
    return add(history::What::process_started, {.process = process});
  }
  HistoryBuilder& runs_out_of_connections(sim::ProcessId process) {
    return add(history::What::out_of_connections, {.process = process});
  }
  HistoryBuilder& thread_ends(Who who) {
    return add(history::What::thread_ended, {.process = who.process, .thread = who.thread});
  }
  HistoryBuilder& cuts(sim::ProcessId from, sim::ProcessId to) {
    return link(history::What::link_cut, from, to);
  }
  HistoryBuilder& heals(sim::ProcessId from, sim::ProcessId to) {
    return link(history::What::link_healed, from, to);
  }
  HistoryBuilder& fault(std::uint32_t index = 0) {
    return add(history::What::fault_fired, {.key = index});
  }
  HistoryBuilder& fault_over(std::uint32_t index = 0) {
    return add(history::What::fault_ended, {.key = index});
  }
  HistoryBuilder& horizon() { return add(history::What::horizon, {}); }

  // The position of the event added last.
  std::uint32_t last() const { return static_cast<std::uint32_t>(history.size() - 1); }

  history::History history;

 private:
  HistoryBuilder& add(history::What what, Who who) {
    history::HistoryEvent event;
    event.at = now_;
    event.what = what;
    event.process = who.process;
    event.thread = who.thread;
    event.tenure = who.tenure;
    event.key = who.key;
    history.push_back(event);
    return *this;
  }

  HistoryBuilder& entry(history::What what, history::TenureId actor, history::TenureId owner,
                        history::KeyId key, sim::ProcessId on, sim::Duration ttl) {
    add(what, {.tenure = actor, .process = on, .key = key});
    history.back().owner = owner;
    if (ttl != sim::Duration::max()) history.back().until = now_ + ttl;
    return *this;
  }

  HistoryBuilder& operation(history::What what, Who who, sim::ProcessId resource) {
    add(what, {.tenure = who.tenure, .process = resource, .key = who.key});
    history.back().peer = who.process;
    return *this;
  }

  HistoryBuilder& link(history::What what, sim::ProcessId from, sim::ProcessId to) {
    add(what, {.process = from});
    history.back().peer = to;
    return *this;
  }

  sim::Instant now_ = sim::kStart;
};

}  // namespace picklock::properties
