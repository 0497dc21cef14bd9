// A random walk of clients, servers and faults that makes histories which are well-formed and
// mostly wrong: locks that believe without entries, releases of strangers' entries, writes long
// after the fact. Test-only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "history/history.h"
#include "testing/history_builder.h"

namespace picklock::properties {

class RandomHistory {
 public:
  static constexpr history::KeyId kKeys = 2;
  static constexpr sim::ProcessId kMaxServers = 3;
  static constexpr sim::ProcessId kFirstServer = 20;  // clients and resources come before

  // Each choice is one step; those that make no sense where they come are passed over. With
  // `entries_first` no tenure believes that never had an entry: then only one at a time can both
  // believe and have a quorum.
  RandomHistory(const std::vector<std::uint32_t>& choices, sim::ProcessId servers,
                bool entries_first)
      : servers_(servers), entries_first_(entries_first) {
    for (std::uint32_t i = 0; i < kThreads; ++i) renew(threads_[i], i);
    for (const std::uint32_t choice : choices) step(choice);
    if (choices.size() % 4 != 0) built_.horizon();
  }

  const history::History& history() const { return built_.history; }

 private:
  static constexpr std::uint32_t kThreads = 5;
  static constexpr sim::ProcessId kFirstClient = 11;
  static constexpr std::uint32_t kClients = 3;

  struct Thread {
    sim::ProcessId process = 0;
    sim::ThreadId id = 0;
    bool alive = true;
    bool waits = false;
    bool created = false;  // an entry, for the tenure it asks as
    Who asks_as;
    bool sleeps = false;
    std::vector<Who> believes;  // nested ones more than once
    std::vector<Who> ever;
  };
  struct Entry {
    bool live = false;
    Who owner;
  };

  void renew(Thread& thread, std::uint32_t index) {
    thread.process = kFirstClient + index / 2;
    thread.id = ++last_thread_;
    thread.alive = true;
    thread.waits = thread.sleeps = false;
    thread.believes.clear();
  }

  void step(std::uint32_t choice) {
    Thread& thread = threads_[choice % kThreads];
    const std::uint32_t verb = choice / kThreads % 33;
    const std::uint32_t more = choice / kThreads / 33;
    switch (verb) {
      case 0:
      case 1:
        return pass_time(more);
      case 2:
      case 3:
      case 4:
        return ask(thread, more);
      case 5:
      case 6:
      case 7:
        return create(thread, more);
      case 8:
      case 9:
        return succeed(thread);
      case 10:
        return refuse(thread, more);
      case 11:
        return release(thread);
      case 12:
        return remove_own(thread, more);
      case 13:
        return lose(more);
      case 14:
        return touch(thread, more);
      case 15:
        return notice(thread, more);
      case 16:
      case 17:
      case 18:
        return operate(thread, more);
      case 19:
        return crash(thread, more);
      case 20:
        return end_thread(thread);
      case 21:
        return cut_or_heal(thread, more);
      case 22:
        return fault(more);
      case 23:
        return server_crash(more);
      case 24:
        return queue(thread, more);
      case 25:
      case 26:
        return sleep(thread);
      case 27:
      case 28:
        return wake(thread, more);
      case 29:
        return be_told_of_release(thread, more);
      case 30:
        return lock_at_home(thread, more);
      case 31:
        return unlock_at_home(thread, more);
      default:
        return count(thread, more);
    }
  }

  void pass_time(std::uint32_t more) {
    now_ += 500ms * (more % 4);
    built_.at(now_);
  }

  void ask(Thread& thread, std::uint32_t more) {
    if (!thread.alive || thread.waits) return;
    thread.waits = true;
    const bool nested = more % 5 == 0 && !thread.believes.empty();
    if (nested) {
      thread.asks_as = thread.believes.back();
    } else {
      thread.created = false;
      thread.asks_as = {++last_tenure_, thread.process, thread.id, more % kKeys};
      thread.ever.push_back(thread.asks_as);
    }
    built_.asks(thread.asks_as);
    if (more / 5 % 4 != 0) built_.queues(thread.asks_as, kFirstServer + more / 20 % servers_);
  }

  void create(Thread& thread, std::uint32_t more) {
    if (!thread.waits) return;
    const Who who = thread.asks_as;
    const sim::ProcessId server = more % servers_;
    Entry& entry = entries_[who.key][server];
    if (entry.live) return;
    entry = {true, who};
    thread.created = true;
    if (more / servers_ % 2 == 0) {
      built_.creates(who, kFirstServer + server);
    } else {
      built_.creates_for_ever(who, kFirstServer + server);
    }
    built_.holding(more / servers_ / 2 % 3);
  }

  void succeed(Thread& thread) {
    if (!thread.waits || (entries_first_ && !thread.created)) return;
    thread.waits = false;
    thread.believes.push_back(thread.asks_as);
    built_.believes(thread.asks_as);
  }

  void refuse(Thread& thread, std::uint32_t more) {
    if (!thread.waits) return;
    thread.waits = false;
    if (more % 2 == 0) {
      built_.is_refused(thread.asks_as);
    } else {
      built_.cannot_know(thread.asks_as);
    }
  }

  void release(Thread& thread) {
    if (thread.waits || thread.believes.empty()) return;
    built_.lets_go(thread.believes.back());
    thread.believes.pop_back();
  }

  void remove_own(const Thread& thread, std::uint32_t more) {
    if (thread.ever.empty()) return;
    const Who who = thread.ever[more % thread.ever.size()];
    for (sim::ProcessId server = 0; server < servers_; ++server) {
      Entry& entry = entries_[who.key][server];
      if (!entry.live || entry.owner.tenure != who.tenure) continue;
      entry.live = false;
      built_.removes(who, who, kFirstServer + server);
    }
  }

  void lose(std::uint32_t more) {
    const sim::ProcessId server = more / kKeys % servers_;
    Entry& entry = entries_[more % kKeys][server];
    if (!entry.live) return;
    entry.live = false;
    built_.goes(entry.owner, more % 3 == 0 ? history::Cause::eviction : history::Cause::expiry,
                kFirstServer + server);
  }

  void touch(const Thread& thread, std::uint32_t more) {
    if (thread.ever.empty()) return;
    const Who who = thread.ever[more / 8 % thread.ever.size()];
    const sim::ProcessId server = more % servers_;
    Entry& entry = entries_[who.key][server];
    if (!entry.live) return;
    if (entry.owner.tenure == who.tenure) {
      built_.renews(who, kFirstServer + server);
    } else if (more / 4 % 2 == 0) {
      built_.alters(who, entry.owner, kFirstServer + server);
      entry.owner = who;
    } else {
      built_.removes(who, entry.owner, kFirstServer + server);
      entry.live = false;
    }
  }

  void notice(const Thread& thread, std::uint32_t more) {
    if (thread.believes.empty()) return;
    const Who who = thread.believes[more / 3 % thread.believes.size()];
    if (more % 3 == 0) {
      built_.learns_of_loss(who);
    } else if (more % 3 == 1) {
      built_.passes_deadline(who);
    } else {
      built_.abandons(who);
    }
  }

  void operate(const Thread& thread, std::uint32_t more) {
    if (thread.ever.empty()) return;
    const Who who = thread.ever[more / 4 % thread.ever.size()];
    const sim::ProcessId resource = more % 2 == 0 ? 8 : 9;
    std::uint32_t& version = versions_[resource - 8];
    const std::uint32_t base = more / 16 % 2 == 0 ? 0 : version - std::min(version, more / 32 % 4);
    switch (more / 2 % 8) {
      case 0:
        built_.write_is_rejected(who);
        break;
      case 1:
        built_.read_is_rejected(who);
        break;
      case 2:
        built_.token_is_rejected(who);
        break;
      case 3:
      case 4:
      case 5:
        built_.writes(who, resource).version(++version, base);
        break;
      default:
        built_.reads(who, resource).version(version);
    }
  }

  void crash(const Thread& of, std::uint32_t more) {
    if (more % 2 == 0) return;
    const sim::ProcessId process = of.process;
    built_.crashes(process);
    if (more / 2 % 2 == 0) built_.starts(process);
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      if (threads_[i].process == process) renew(threads_[i], i);
    }
    for (Entry(&mutexes)[kClients] : at_home_) mutexes[process - kFirstClient].live = false;
  }

  void end_thread(Thread& thread) {
    if (!thread.alive) return;
    built_.thread_ends({.process = thread.process, .thread = thread.id});
    renew(thread, static_cast<std::uint32_t>(&thread - threads_));
  }

  void cut_or_heal(const Thread& thread, std::uint32_t more) {
    const sim::ProcessId server = kFirstServer + more / 4 % servers_;
    const sim::ProcessId from = more % 2 == 0 ? server : thread.process;
    const sim::ProcessId to = more % 2 == 0 ? thread.process : server;
    if (more / 2 % 2 == 0) {
      built_.cuts(from, to);
    } else {
      built_.heals(from, to);
    }
  }

  void fault(std::uint32_t more) {
    if (more % 2 == 0) {
      built_.fault();
      ++faults_;
    } else if (faults_ > 0) {
      built_.fault_over();
      --faults_;
    }
  }

  void server_crash(std::uint32_t more) {
    const sim::ProcessId server = more % servers_;
    bool& down = down_[server];
    down = !down;
    if (down) {
      built_.crashes(kFirstServer + server);
    } else {
      built_.starts(kFirstServer + server);
    }
  }

  // At times a second time, or after all is over.
  void queue(const Thread& thread, std::uint32_t more) {
    if (thread.ever.empty()) return;
    const Who who =
        thread.waits && more % 8 != 0 ? thread.asks_as : thread.ever[more / 8 % thread.ever.size()];
    built_.queues(who, kFirstServer + more / 8 % servers_);
  }

  void sleep(Thread& thread) {
    if (!thread.waits || thread.sleeps) return;
    thread.sleeps = true;
    built_.sleeps(thread.asks_as);
  }

  void wake(Thread& thread, std::uint32_t more) {
    if (!thread.sleeps) return;
    thread.sleeps = false;
    built_.wakes(thread.asks_as, {.tenure = more % 4 % (last_tenure_ + 1)});
  }

  void be_told_of_release(const Thread& thread, std::uint32_t more) {
    if (thread.ever.empty()) return;
    const Who who = thread.ever[more / 2 % thread.ever.size()];
    if (more % 2 == 0) {
      built_.has_let_go(who);
    } else if (more % 3 == 0) {
      built_.cannot_know_release(who);
    } else {
      built_.had_nothing(who);
    }
  }

  void lock_at_home(const Thread& thread, std::uint32_t more) {
    if (thread.ever.empty()) return;
    const Who who = more % 2 == 0 ? thread.ever.back() : thread.ever[more % thread.ever.size()];
    Entry& mutex = at_home_[who.key][who.process - kFirstClient];
    if (mutex.live && more % 4 != 0) return;
    if (mutex.live) {
      built_.alters(who, mutex.owner, who.process);
    } else {
      built_.locks_at_home(who);
    }
    mutex = {true, who};
  }

  void unlock_at_home(const Thread& thread, std::uint32_t more) {
    if (thread.ever.empty()) return;
    const Who who = thread.ever[more / 4 % thread.ever.size()];
    Entry& mutex = at_home_[who.key][who.process - kFirstClient];
    if (!mutex.live || (more % 4 != 0 && mutex.owner.tenure != who.tenure)) return;
    built_.removes(who, mutex.owner, who.process);
    mutex.live = false;
  }

  void count(const Thread& thread, std::uint32_t more) {
    if (thread.ever.empty()) return;
    const Who who = thread.ever.back();
    const sim::ProcessId server = more % servers_;
    const Entry& entry = entries_[who.key][server];
    if (!entry.live || entry.owner.tenure != who.tenure) return;
    built_.renews(who, kFirstServer + server).holding(more / servers_ % 4);
  }

  HistoryBuilder built_;
  sim::ProcessId servers_;
  bool entries_first_;
  sim::Duration now_{};
  history::TenureId last_tenure_ = 0;
  sim::ThreadId last_thread_ = 0;
  int faults_ = 0;
  Thread threads_[kThreads];
  Entry entries_[kKeys][kMaxServers];
  Entry at_home_[kKeys][kClients];
  bool down_[kMaxServers] = {};
  std::uint32_t versions_[2] = {1, 1};
};

}  // namespace picklock::properties
