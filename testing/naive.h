// The definitions of the properties, restated as plainly as possible and at any cost in time. The
// judges are compared with them. They share only the history's own types with the judges.
// Test-only.
#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "history/history.h"
#include "properties/context.h"
#include "properties/verdict.h"

namespace picklock::properties {

// Every violation by its event, with all the events that may be named beside it.
struct NaiveVerdict {
  Outcome outcome = Outcome::holds;
  std::vector<std::pair<std::uint32_t, std::set<std::uint32_t>>> violations;

  void add(std::size_t event, std::set<std::uint32_t> others) {
    outcome = Outcome::violated;
    violations.emplace_back(static_cast<std::uint32_t>(event), std::move(others));
  }
};

class Naive {
 public:
  Naive(const history::History& history, const Context& context)
      : history_(history), context_(context) {
    for (const history::HistoryEvent& event : history) {
      tenures_ = std::max({tenures_, event.tenure + 1, event.owner + 1});
    }
  }

  NaiveVerdict mutual_exclusion() const {
    NaiveVerdict verdict;
    for (const auto& [b, b_began] : beliefs()) {
      std::set<std::uint32_t> others;
      for (const auto& [a, a_began] : beliefs()) {
        if (a == b || key_of(a) != key_of(b) || a_began > b_began) continue;
        const Instant both_end =
            std::min(time_of(end_of_belief(a, a_began)), time_of(end_of_belief(b, b_began)));
        if (history_[b_began].at < both_end) others.insert(static_cast<std::uint32_t>(a_began));
      }
      if (!others.empty()) verdict.add(b_began, others);
    }
    return verdict;
  }

  NaiveVerdict resource_exclusion() const {
    NaiveVerdict verdict;
    for (std::size_t second = 0; second < history_.size(); ++second) {
      if (!is_operation(second)) continue;
      std::set<std::uint32_t> between;
      for (std::size_t i = second; i-- > 0;) {
        if (!is_operation(i) || !same_place(i, second)) continue;
        if (history_[i].tenure != history_[second].tenure) {
          between.insert(static_cast<std::uint32_t>(i));
          continue;
        }
        if (!between.empty()) verdict.add(second, between);
        break;
      }
    }
    return verdict;
  }

  NaiveVerdict no_stale_write() const {
    NaiveVerdict verdict;
    for (std::size_t write = 0; write < history_.size(); ++write) {
      if (!is_operation(write) || history_[write].what != What::write_accepted) continue;
      if (granted(history_[write].tenure) == history_.size()) continue;
      std::set<std::uint32_t> newer;
      for (std::size_t i = 0; i < write; ++i) {
        if (!is_operation(i) || !same_place(i, write)) continue;
        const std::size_t other = granted(history_[i].tenure);
        if (other != history_.size() && other > granted(history_[write].tenure)) {
          newer.insert(static_cast<std::uint32_t>(i));
        }
      }
      if (!newer.empty()) verdict.add(write, newer);
    }
    return verdict;
  }

  NaiveVerdict no_lost_update() const {
    NaiveVerdict verdict;
    for (std::size_t write = 0; write < history_.size(); ++write) {
      const history::HistoryEvent& event = history_[write];
      const bool reads = event.what == What::read_accepted && event.version != 0;
      const bool based = event.what == What::write_accepted && event.base != 0;
      if (!is_operation(write) || (!reads && !based)) continue;
      const std::uint32_t known = reads ? event.version : event.base;
      for (std::size_t i = write; i-- > 0;) {
        if (!is_operation(i) || !same_place(i, write)) continue;
        if (based && history_[i].tenure == event.tenure) continue;
        if (history_[i].what != What::write_accepted) continue;
        if (history_[i].version > known) verdict.add(write, {static_cast<std::uint32_t>(i)});
        break;
      }
    }
    return verdict;
  }

  NaiveVerdict no_holder_refused() const {
    NaiveVerdict verdict;
    for (std::size_t now = 0; now < history_.size(); ++now) {
      const history::HistoryEvent& event = history_[now];
      const bool rejected = event.what == What::write_rejected ||
                            event.what == What::read_rejected || event.what == What::token_rejected;
      if (!rejected || event.tenure == 0) continue;
      if (began(event.tenure) > now || ended(event.tenure) <= now) continue;
      if (servers_with_entry_of(event.tenure, now) < context_.quorum) continue;
      bool is_newest = true;
      for (history::TenureId other = 1; other < tenures_; ++other) {
        if (first_of(other) == history_.size() || key_of(other) != key_of(event.tenure)) continue;
        const std::size_t at = granted(other);
        is_newest = is_newest && (at >= now || at <= granted(event.tenure));
      }
      if (is_newest) verdict.add(now, {static_cast<std::uint32_t>(granted(event.tenure))});
    }
    return verdict;
  }

  NaiveVerdict own_release() const {
    NaiveVerdict verdict;
    for (std::size_t i = 0; i < history_.size(); ++i) {
      const history::HistoryEvent& event = history_[i];
      const bool touches = is_entry(event) && event.what != What::entry_created;
      if (!touches || event.cause != history::Cause::command) continue;
      if (event.tenure == 0 || event.owner == 0 || event.tenure == event.owner) continue;
      if (is_released(i)) continue;
      verdict.add(i, {});
    }
    return verdict;
  }

  NaiveVerdict loss_noticed() const {
    NaiveVerdict verdict;
    for (const history::TenureId id : believers()) {
      const bool open = ended(id) == history_.size();
      const bool held_on = open || history_[ended(id)].what == What::release_invoked ||
                           history_[ended(id)].what == What::abandoned;
      const std::size_t before = lost_before_belief(id);
      if (before != history_.size() && begin_of(id) != end_of(id)) {
        if (held_on)
          verdict.add(open ? history_.size() - 1 : ended(id), {static_cast<std::uint32_t>(before)});
        continue;
      }
      if (before != history_.size()) continue;
      for (std::size_t i = began(id) + 1; i < ended(id); ++i) {
        const history::HistoryEvent& event = history_[i];
        const bool removed = event.what == What::entry_removed;
        const bool altered = event.what == What::entry_altered;
        if (!is_entry(event) || (!removed && !altered) || event.owner != id ||
            event.at == end_of(id))
          continue;
        if (event.tenure == id && altered) continue;
        if (servers_with_entry_of(id, i) >= context_.quorum) continue;
        if (held_on) {
          verdict.add(open ? history_.size() - 1 : ended(id), {static_cast<std::uint32_t>(i)});
        }
        break;
      }
    }
    return verdict;
  }

  NaiveVerdict not_stuck() const {
    NaiveVerdict verdict;
    if (history_.empty() || history_.back().what != What::horizon) {
      verdict.outcome = Outcome::unknown;
      return verdict;
    }
    for (history::TenureId id = 1; id < tenures_; ++id) {
      const std::size_t wait = open_wait(id, history_.size());
      if (wait == history_.size()) continue;
      const std::set<std::uint32_t> blocking = stuck_behind(id);
      if (!blocking.empty()) verdict.add(wait, blocking);
    }
    return verdict;
  }

  NaiveVerdict progress() const {
    NaiveVerdict verdict;
    if (history_.empty() || history_.back().what != What::horizon) {
      verdict.outcome = Outcome::unknown;
      return verdict;
    }
    const std::size_t horizon = history_.size() - 1;
    if (believers().empty()) {
      verdict.add(horizon, {});
      return verdict;
    }
    std::set<history::KeyId> keys;
    for (const history::HistoryEvent& event : history_)
      if (event.what == What::acquire_invoked) keys.insert(event.key);
    add_work(horizon, verdict);
    for (const history::KeyId key : keys) add_outages(key, verdict);
    for (history::TenureId id = 1; id < tenures_; ++id) {
      const std::size_t wait = open_wait(id, history_.size());
      if (wait == history_.size() || !stuck_behind(id).empty()) continue;
      bool held = false;
      for (const history::TenureId other : believers())
        held = held || (key_of(other) == key_of(id) && ended(other) == history_.size());
      if (!held) verdict.add(wait, {static_cast<std::uint32_t>(horizon)});
    }
    return verdict;
  }

  // Every instant at which the lock was free in a sleep, and how long it stayed so.
  NaiveVerdict no_lost_wakeup() const {
    NaiveVerdict verdict;
    if (context_.wakeup_bound == Duration::zero()) return verdict;
    for (std::size_t begun = 0; begun < history_.size(); ++begun) {
      const history::HistoryEvent& sleep = history_[begun];
      if (sleep.what != What::wait_begun) continue;
      const std::size_t end =
          std::min(find(begun + 1,
                        [&](const history::HistoryEvent& e) {
                          return ends_life(e, sleep.tenure) ||
                                 (e.what == What::wait_ended && e.thread == sleep.thread);
                        }),
                   history_.size() - 1);
      std::set<std::uint32_t> since;
      for (std::size_t start = begun; start < end; ++start) {
        std::size_t stop = start;
        while (stop < end && could_be_had(sleep.key, stop)) ++stop;
        if (history_[stop].at - history_[start].at <= context_.wakeup_bound) continue;
        if (start == begun || !could_be_had(sleep.key, start - 1))
          since.insert(static_cast<std::uint32_t>(start));
      }
      if (!since.empty()) verdict.add(begun, since);
    }
    return verdict;
  }

  NaiveVerdict bounded_wakeups() const {
    NaiveVerdict verdict;
    std::map<std::pair<history::TenureId, history::KeyId>, std::vector<std::uint32_t>> woken;
    std::map<std::pair<history::TenureId, history::KeyId>, std::set<history::TenureId>> waiters;
    for (std::uint32_t i = 0; i < history_.size(); ++i) {
      const history::HistoryEvent& event = history_[i];
      if (event.what != What::wait_ended || event.owner == 0) continue;
      if (!waiters[{event.owner, event.key}].insert(event.tenure).second) continue;
      std::vector<std::uint32_t>& events = woken[{event.owner, event.key}];
      events.push_back(i);
      if (events.size() != context_.wakeups + 1) continue;
      const bool ends =
          began(event.owner) != history_.size() && ended(event.owner) != history_.size();
      verdict.add(i, {ends ? static_cast<std::uint32_t>(ended(event.owner)) : events.front()});
    }
    return verdict;
  }

  // Compares every waiter that was ever queued with every acquire that was granted.
  NaiveVerdict fair_order() const {
    NaiveVerdict verdict;
    for (history::TenureId waiter = 1; waiter < tenures_; ++waiter) {
      const std::size_t place = queued(waiter);
      std::uint32_t overtaken = 0;
      for (std::size_t now = place; now < history_.size(); ++now) {
        if (open_wait(waiter, now) == history_.size() || began(waiter) <= now) break;
        const history::HistoryEvent& event = history_[now];
        if (event.what != What::acquire_ok || began(event.tenure) != now) continue;
        if (key_of(event.tenure) != key_of(waiter)) continue;
        if (queued(event.tenure) <= place || queued(event.tenure) > now) continue;
        if (++overtaken == context_.overtakes + 1)
          verdict.add(now, {static_cast<std::uint32_t>(place)});
      }
    }
    return verdict;
  }

  NaiveVerdict balanced_holds() const {
    NaiveVerdict verdict;
    for (std::size_t now = 0; now < history_.size(); ++now) {
      const history::HistoryEvent& event = history_[now];
      if (event.what != What::acquire_ok && event.what != What::release_ok &&
          event.what != What::release_failed) {
        continue;
      }
      std::set<std::uint32_t> set;
      for (const sim::ProcessId server : servers()) {
        const std::size_t touch = last_touch(key_of(event.tenure), server, now);
        if (touch == history_.size() || history_[touch].what == What::entry_removed) continue;
        if (history_[touch].tenure != event.tenure || history_[touch].holds == 0) continue;
        if (history_[touch].holds != depth(event.tenure, now))
          set.insert(static_cast<std::uint32_t>(touch));
      }
      if (set.empty() && event.what == What::release_failed) set = freed_in_release(now);
      if (!set.empty()) verdict.add(now, set);
    }
    return verdict;
  }

  // At every event, whether a waiting thread has come to wait, possibly through others, for itself.
  NaiveVerdict no_deadlock() const {
    NaiveVerdict verdict;
    std::set<std::size_t> before;
    for (std::size_t now = 0; now < history_.size(); ++now) {
      std::set<std::size_t> waits;
      for (history::TenureId id = 1; id < tenures_; ++id) {
        if (in_cycle(id, now)) waits.insert(open_wait(id, now + 1));
      }
      if (!std::includes(before.begin(), before.end(), waits.begin(), waits.end())) {
        for (const std::size_t wait : waits) {
          if (before.count(wait) == 0) verdict.add(wait, {});
        }
      }
      before = waits;
    }
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (waits_for_itself(i) || history_[i].what == What::deadlock_broken) verdict.add(i, {});
    }
    return verdict;
  }

  // Every interval of the bound's length that begins where something changes, or where the acquire
  // does.
  NaiveVerdict available() const {
    NaiveVerdict verdict;
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (history_[i].what == What::refused_free) verdict.add(i, {static_cast<std::uint32_t>(i)});
    }
    if (context_.acquire_bound == Duration::zero()) return verdict;
    for (std::size_t end = 0; end < history_.size(); ++end) {
      const history::HistoryEvent& refusal = history_[end];
      if (refusal.what != What::acquire_failed && refusal.what != What::acquire_unknown) continue;
      if (refusal.cause == history::Cause::interrupt) continue;
      std::size_t invoked = end;
      while (!(history_[invoked].what == What::acquire_invoked &&
               history_[invoked].tenure == refusal.tenure)) {
        --invoked;
      }
      for (std::size_t start = invoked; start < end; ++start) {
        if (had_its_chance(start, end, refusal)) {
          verdict.add(end, {static_cast<std::uint32_t>(invoked)});
          break;
        }
      }
    }
    return verdict;
  }

 private:
  using What = history::What;

  std::size_t find(std::size_t from, auto&& matches) const {
    while (from < history_.size() && !matches(history_[from])) ++from;
    return from;
  }

  std::size_t first_of(history::TenureId id) const {
    return find(0,
                [id](const auto& e) { return e.what == What::acquire_invoked && e.tenure == id; });
  }
  history::KeyId key_of(history::TenureId id) const { return history_[first_of(id)].key; }
  sim::ThreadId thread_of(history::TenureId id) const { return history_[first_of(id)].thread; }

  std::size_t began(history::TenureId id) const {
    return find(0, [id](const auto& e) { return e.what == What::acquire_ok && e.tenure == id; });
  }

  bool ends_life(const history::HistoryEvent& e, history::TenureId id) const {
    const history::HistoryEvent& first = history_[first_of(id)];
    return (e.what == What::process_crashed && e.process == first.process) ||
           (e.what == What::thread_ended && e.thread == first.thread);
  }

  std::size_t ended(history::TenureId id) const { return end_of_belief(id, began(id)); }

  std::size_t end_of_belief(history::TenureId id, std::size_t began) const {
    std::size_t depth = 0;
    return find(began, [&](const history::HistoryEvent& e) {
      if (ends_life(e, id)) return true;
      if (e.tenure != id) return false;
      if (e.what == What::acquire_ok) ++depth;
      if (e.what == What::release_invoked) --depth;
      return depth == 0 || e.what == What::loss_learned || e.what == What::deadline_passed ||
             e.what == What::abandoned;
    });
  }

  // Acquires that were told of and not yet released.
  std::uint32_t depth(history::TenureId id, std::size_t now) const {
    std::uint32_t depth = 0;
    for (std::size_t i = 0; i <= now; ++i) {
      if (history_[i].tenure != id) continue;
      if (history_[i].what == What::acquire_ok) ++depth;
      if (history_[i].what == What::release_invoked) --depth;
    }
    return depth;
  }

  std::size_t queued(history::TenureId id) const {
    for (std::size_t i = history_.size(); i-- > 0;) {
      if (history_[i].what == What::queued && history_[i].tenure == id) return i;
    }
    return history_.size();
  }

  Instant begin_of(history::TenureId id) const { return history_[began(id)].at; }
  Instant end_of(history::TenureId id) const { return time_of(ended(id)); }
  Instant time_of(std::size_t event) const {
    return event == history_.size() ? sim::kNever : history_[event].at;
  }

  // Every belief: its tenure, and where it began.
  std::vector<std::pair<history::TenureId, std::size_t>> beliefs() const {
    std::vector<std::pair<history::TenureId, std::size_t>> found;
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (history_[i].what != What::acquire_ok) continue;
      const history::TenureId id = history_[i].tenure;
      const bool nested = std::any_of(found.begin(), found.end(), [&](const auto& belief) {
        return belief.first == id && end_of_belief(id, belief.second) > i;
      });
      if (!nested) found.emplace_back(id, i);
    }
    return found;
  }

  std::vector<history::TenureId> believers() const {
    std::vector<history::TenureId> found;
    for (history::TenureId id = 1; id < tenures_; ++id) {
      if (began(id) != history_.size()) found.push_back(id);
    }
    return found;
  }

  bool is_operation(std::size_t i) const {
    const history::HistoryEvent& event = history_[i];
    return event.tenure != 0 &&
           (event.what == What::write_accepted || event.what == What::read_accepted);
  }
  bool same_place(std::size_t a, std::size_t b) const {
    return history_[a].process == history_[b].process &&
           key_of(history_[a].tenure) == key_of(history_[b].tenure);
  }

  std::vector<sim::ProcessId> servers() const {
    std::vector<sim::ProcessId> all(context_.servers);
    std::iota(all.begin(), all.end(), context_.first_server);
    return all;
  }

  static bool is_about_an_entry(const history::HistoryEvent& event) {
    return event.what == What::entry_created || event.what == What::entry_altered ||
           event.what == What::entry_removed;
  }
  bool is_entry(const history::HistoryEvent& event) const {
    return is_about_an_entry(event) && event.process >= context_.first_server;
  }

  // The last event up to `now` that touched the entry of `key` on `server`.
  std::size_t last_touch(history::KeyId key, sim::ProcessId server, std::size_t now) const {
    for (std::size_t i = now + 1; i-- > 0;) {
      if (is_entry(history_[i]) && history_[i].key == key && history_[i].process == server)
        return i;
    }
    return history_.size();
  }

  // Whether the owner's release had dated the entry that `now` touches, and had succeeded.
  bool is_released(std::size_t now) const {
    const history::TenureId owner = history_[now].owner;
    const std::size_t end = ended(owner);
    if (end >= now || history_[end].what != What::release_invoked) return false;
    const std::size_t told = find(end, [owner](const history::HistoryEvent& e) {
      return e.tenure == owner && e.what == What::release_ok;
    });
    const std::size_t dated = find(end, [&](const history::HistoryEvent& e) {
      return e.tenure == owner && e.what == What::entry_altered && e.role == Role::release &&
             e.holds == 0 && e.process == history_[now].process;
    });
    return dated < told && told < now;
  }

  // The acquire_invoked in which the tenure waits after the event `now`, unless it holds the lock.
  std::size_t wants_since(history::TenureId id, std::size_t now) const {
    const std::size_t wait = open_wait(id, now + 1);
    const bool nested = began(id) <= wait && wait < ended(id);
    return nested ? history_.size() : wait;
  }

  // The oldest acquire of those that wait after the event `now` for a lock that nobody has.
  std::size_t waits_for_nobody(history::KeyId key, std::size_t now) const {
    std::size_t oldest = history_.size();
    for (history::TenureId id = 1; id < tenures_; ++id) {
      if (first_of(id) == history_.size() || key_of(id) != key) continue;
      const bool believes = began(id) <= now && now < ended(id);
      if (believes || servers_with_entry_of(id, now) >= context_.quorum) return history_.size();
      oldest = std::min(oldest, wants_since(id, now));
    }
    return oldest;
  }

  // The longest time without a fault in progress between two events.
  sim::Duration longest_calm(std::size_t from, std::size_t to) const {
    sim::Duration longest{};
    Instant since = history_[from].at;
    std::uint32_t faults = 0;
    for (std::size_t i = 0; i <= to; ++i) {
      if (faults == 0 && i > from) longest = std::max(longest, history_[i].at - since);
      if (history_[i].what == What::fault_fired) ++faults;
      if (history_[i].what == What::fault_ended && faults > 0 && --faults == 0)
        since = std::max(history_[from].at, history_[i].at);
    }
    return longest;
  }

  // Times at which a lock was idle for too long.
  void add_outages(history::KeyId key, NaiveVerdict& verdict) const {
    std::vector<std::size_t> waiters;
    for (std::size_t i = 0; i < history_.size(); ++i) waiters.push_back(waits_for_nobody(key, i));
    for (std::size_t start = 0; start < history_.size(); ++start) {
      std::size_t stop = start;
      while (stop < history_.size() && waiters[stop] != history_.size()) ++stop;
      if (stop == history_.size()) return;
      if (stop == start) continue;
      if (longest_calm(start, stop) > context_.patience)
        verdict.add(stop, {static_cast<std::uint32_t>(waiters[stop - 1])});
      start = stop;
    }
  }

  static bool is_end_of_release(What what) {
    return what == What::release_ok || what == What::release_failed ||
           what == What::release_unknown;
  }

  // The event that ended the release which began the end of the belief; 0: none.
  std::size_t end_of_release(history::TenureId id) const {
    for (std::size_t i = ended(id) + 1; i < history_.size(); ++i) {
      if (is_end_of_release(history_[i].what) && history_[i].tenure == id) return i;
    }
    return 0;
  }

  bool is_finished(history::TenureId id) const {
    if (ended(id) == history_.size()) return false;
    if (history_[ended(id)].what == What::abandoned) return true;
    if (history_[ended(id)].what != What::release_invoked) return false;
    const std::size_t end = end_of_release(id);
    if (end == 0 || history_[end].what == What::release_unknown) return false;
    return history_[end].what == What::release_ok ||
           servers_with_entry_of(id, end) < context_.quorum;
  }

  // Where the lock cut off the critical section; 0: it did not.
  std::size_t cut_off(history::TenureId id) const {
    const std::size_t end = ended(id);
    if (end == history_.size() || is_finished(id)) return 0;
    if (history_[end].what == What::release_invoked) return end_of_release(id);
    if (history_[end].what != What::loss_learned) return 0;
    for (std::size_t i = std::min(granted(id), began(id)); i < end; ++i) {
      const history::HistoryEvent& event = history_[i];
      const bool own = event.cause == history::Cause::command && event.tenure == id;
      if (is_entry(event) && event.what != What::entry_created && event.owner == id && !own)
        return 0;
    }
    return end;
  }

  bool is_calm(std::size_t from, std::size_t to) const {
    std::uint32_t faults = 0;
    for (std::size_t i = 0; i <= to; ++i) {
      const What what = history_[i].what;
      if (i > from && (what == What::fault_fired || what == What::fault_ended)) return false;
      if (what == What::fault_fired) ++faults;
      if (what == What::fault_ended && faults > 0) --faults;
    }
    return faults == 0;
  }

  void add_work(std::size_t horizon, NaiveVerdict& verdict) const {
    std::size_t first = 0;
    std::size_t first_began = history_.size();
    for (const history::TenureId id : believers()) {
      if (is_finished(id)) return;
      const std::size_t cut = cut_off(id);
      if (cut == 0 || began(id) > first_began || !is_calm(began(id), cut)) continue;
      first = cut;
      first_began = began(id);
    }
    if (first != 0) verdict.add(horizon, {static_cast<std::uint32_t>(first)});
  }

  std::uint32_t servers_with_entry_of(history::TenureId id, std::size_t now) const {
    std::uint32_t count = 0;
    for (const sim::ProcessId server : servers()) {
      const std::size_t touch = last_touch(key_of(id), server, now);
      if (touch != history_.size() && history_[touch].what != What::entry_removed &&
          history_[touch].tenure == id) {
        ++count;
      }
    }
    return count;
  }

  bool could_be_had(history::KeyId key, std::size_t now) const {
    std::uint32_t willing = 0;
    for (const sim::ProcessId server : servers()) {
      if (is_free(server, key, now)) ++willing;
    }
    return willing >= context_.quorum + servers_down(now);
  }

  std::uint32_t servers_down(std::size_t now) const {
    std::uint32_t down = 0;
    for (sim::ProcessId server = context_.first_server;
         server < context_.first_server + context_.servers; ++server) {
      bool up = true;
      for (std::size_t i = 0; i <= now; ++i) {
        if (history_[i].process != server) continue;
        if (history_[i].what == What::process_crashed) up = false;
        if (history_[i].what == What::process_started) up = true;
      }
      if (!up && context_.group_of.empty()) ++down;
    }
    return down;
  }

  // Where the mutex that the waiter's process keeps for the key came to its owner, if that owner
  // neither holds nor asks nor releases; else the end of the history.
  // Where the tenure lost the quorum that it no longer had when it began to believe.
  std::size_t lost_before_belief(history::TenureId id) const {
    std::size_t lost = history_.size();
    for (std::size_t i = 1; i < began(id) && i < history_.size(); ++i) {
      const history::HistoryEvent& event = history_[i];
      const std::uint32_t has = servers_with_entry_of(id, i);
      if (has >= context_.quorum) lost = history_.size();
      if (!is_entry(event) || event.what == What::entry_created || event.owner != id) continue;
      if (event.tenure == id && event.what == What::entry_altered) continue;
      if (has < context_.quorum && servers_with_entry_of(id, i - 1) >= context_.quorum) lost = i;
    }
    return lost;
  }

  // Where the release that ends at `now` has itself removed the quorum of its tenure.
  std::set<std::uint32_t> freed_in_release(std::size_t now) const {
    std::set<std::uint32_t> freed;
    const history::TenureId id = history_[now].tenure;
    for (std::size_t i = now; i-- > 0;) {
      const history::HistoryEvent& event = history_[i];
      if (event.tenure == id && event.what == What::release_invoked) break;
      const bool own = event.what == What::entry_removed && is_entry(event) &&
                       event.cause == history::Cause::command && event.tenure == id &&
                       event.owner == id && event.key == key_of(id);
      if (!own || !freed.empty() || i == 0) continue;
      if (servers_with_entry_of(id, i) + 1 == context_.quorum &&
          servers_with_entry_of(id, i - 1) == context_.quorum)
        freed.insert(static_cast<std::uint32_t>(i));
    }
    return freed;
  }

  std::set<std::uint32_t> stuck_behind(history::TenureId id) const {
    std::set<std::uint32_t> blocking;
    std::set<sim::ProcessId> blocked;
    for (const sim::ProcessId server : servers()) {
      const std::size_t made = permanent_entry(key_of(id), server);
      if (made == history_.size()) continue;
      blocking.insert(static_cast<std::uint32_t>(made));
      blocked.insert(server);
    }
    if (context_.servers - blocked.size() >= context_.quorum ||
        granted_after(settled(), key_of(id))) {
      blocking.clear();
    }
    const history::HistoryEvent& first = history_[first_of(id)];
    std::size_t cut_off = history_.size();
    for (std::size_t i = 0; i < history_.size(); ++i) {
      const bool home = history_[i].process == first.process;
      if (home && history_[i].what == What::process_crashed) cut_off = history_.size();
      if (home && history_[i].what == What::out_of_connections) cut_off = i;
    }
    if (cut_off != history_.size()) blocking.insert(static_cast<std::uint32_t>(cut_off));
    const std::size_t mutex = abandoned_mutex(id);
    if (mutex != history_.size()) blocking.insert(static_cast<std::uint32_t>(mutex));
    return blocking;
  }

  std::size_t abandoned_mutex(history::TenureId waiter) const {
    const sim::ProcessId home = history_[first_of(waiter)].process;
    std::size_t since = history_.size();
    history::TenureId owner = 0;
    for (std::size_t i = 0; i < history_.size(); ++i) {
      const history::HistoryEvent& event = history_[i];
      if (event.process != home) continue;
      if (event.what == What::process_crashed) since = history_.size();
      if (!is_about_an_entry(event) || event.key != key_of(waiter)) continue;
      if (event.what == What::entry_removed) {
        since = history_.size();
      } else if (since == history_.size() || owner != event.tenure) {
        since = i;
        owner = event.tenure;
      }
    }
    if (since == history_.size()) return since;
    bool alive = true;
    bool releases = false;
    for (std::size_t i = first_of(owner); i < history_.size(); ++i) {
      const history::HistoryEvent& event = history_[i];
      alive = alive && !ends_life(event, owner);
      if (event.tenure != owner) continue;
      if (event.what == What::release_invoked) releases = true;
      if (is_end_of_release(event.what)) releases = false;
    }
    const bool believes = began(owner) != history_.size() && ended(owner) == history_.size();
    const bool asks = open_wait(owner, history_.size()) != history_.size();
    return alive && (believes || asks || releases) ? history_.size() : since;
  }

  // The last time before belief at which a quorum of servers came to hold its entry, if it got none
  // anew since that quorum had gone.
  std::size_t granted(history::TenureId id) const {
    std::size_t deciding = history_.size();
    for (std::size_t i = 0; i < std::min(began(id), history_.size()); ++i) {
      if (!is_entry(history_[i]) || first_of(id) == history_.size()) continue;
      const std::uint32_t before = i == 0 ? 0 : servers_with_entry_of(id, i - 1);
      const std::uint32_t after = servers_with_entry_of(id, i);
      if (before >= context_.quorum || after <= before) continue;
      if (history_[i].what != What::entry_altered) deciding = history_.size();
      if (after == context_.quorum && deciding == history_.size()) deciding = i;
    }
    return deciding == history_.size() ? began(id) : deciding;
  }

  // The acquire_invoked that the tenure's living thread waits in, as of before `now`.
  std::size_t open_wait(history::TenureId id, std::size_t now) const {
    for (std::size_t i = now; i-- > 0;) {
      const history::HistoryEvent& e = history_[i];
      if (first_of(id) == history_.size() || ends_life(e, id)) break;
      if (e.tenure != id) continue;
      if (e.what == What::acquire_invoked) return i;
      if (e.what == What::acquire_ok || e.what == What::acquire_failed ||
          e.what == What::acquire_unknown) {
        break;
      }
    }
    return history_.size();
  }

  std::size_t settled() const {
    for (std::size_t i = history_.size(); i-- > 0;) {
      if (history_[i].what == What::fault_fired || history_[i].what == What::fault_ended) return i;
    }
    std::size_t last = 0;
    for (std::size_t i = 0; i < history_.size(); ++i) {
      const history::HistoryEvent& event = history_[i];
      if (event.what == What::process_started) last = i;
      const std::size_t first = find(0, [&event](const auto& e) {
        return e.what == What::acquire_invoked && e.process == event.process;
      });
      if (event.what == What::acquire_invoked && first == i) last = i;
    }
    return last;
  }

  bool granted_after(std::size_t calm, history::KeyId key) const {
    for (std::size_t i = calm + 1; i < history_.size(); ++i) {
      const history::HistoryEvent& event = history_[i];
      if (event.key != key || event.tenure == 0) continue;
      if (event.what == What::acquire_ok && began(event.tenure) == i) return true;
      if (event.what == What::entry_created && is_entry(event) &&
          servers_with_entry_of(event.tenure, i) >= context_.quorum &&
          !gave_up_before(event.tenure, i)) {
        return true;
      }
    }
    return false;
  }

  // The entry came too late: the tenure had given up and never believed that it held the lock.
  bool gave_up_before(history::TenureId id, std::size_t now) const {
    const std::size_t first = first_of(id);
    if (began(id) != history_.size() || first == history_.size()) return false;
    return find(first, [&](const history::HistoryEvent& e) {
             const bool refused = e.what == What::acquire_failed || e.what == What::acquire_unknown;
             return ends_life(e, id) || (refused && e.tenure == id);
           }) < now;
  }

  std::size_t permanent_entry(history::KeyId key, sim::ProcessId server) const {
    const std::size_t touch = last_touch(key, server, history_.size() - 1);
    if (touch == history_.size() || history_[touch].what == What::entry_removed) {
      return history_.size();
    }
    const history::TenureId owner = history_[touch].tenure;
    std::size_t since = touch;
    while (history_[since].what == What::entry_altered && history_[since].owner == owner) {
      since = last_touch(key, server, since - 1);
    }
    if (history_[touch].until == sim::kNever) return touch;
    if (history_[touch].at == history_[since].at) return history_.size();
    if (history_[touch].until <= history_.back().at) return history_.size();
    // Was it renewed by a tenure that lives or still acquires, or by one that is gone?
    const bool believed = began(owner) < touch;
    const bool believes = believed && touch < ended(owner);
    const bool asks = !believed && open_wait(owner, touch) != history_.size();
    return believes || asks ? history_.size() : touch;
  }

  bool holds_at(history::TenureId id, std::size_t now) const {
    if (now < began(id) || now >= ended(id)) return false;
    const bool reported =
        find(0, [&](const auto& e) { return is_entry(e) && e.tenure == id; }) != history_.size();
    return !reported || servers_with_entry_of(id, now) >= context_.quorum;
  }

  // The tenure whose thread `id` waits for; 0 if it waits for none.
  history::TenureId waits_for(history::TenureId id, std::size_t now) const {
    if (open_wait(id, now + 1) == history_.size()) return 0;
    for (history::TenureId other = 1; other < tenures_; ++other) {
      if (other == id || first_of(other) > now || key_of(other) != key_of(id)) continue;
      if (holds_at(other, now)) return other;
    }
    return 0;
  }

  bool in_cycle(history::TenureId id, std::size_t now) const {
    history::TenureId waiter = id;
    for (history::TenureId steps = 0; steps < tenures_; ++steps) {
      const history::TenureId holder = waits_for(waiter, now);
      if (holder == 0) return false;
      if (thread_of(holder) == thread_of(id)) return true;
      waiter = 0;
      for (history::TenureId other = 1; other < tenures_; ++other) {
        if (first_of(other) <= now && thread_of(other) == thread_of(holder) &&
            open_wait(other, now + 1) != history_.size()) {
          waiter = other;
        }
      }
      if (waiter == 0) return false;
    }
    return false;
  }

  // Whether the nested acquire that event `asks` begins waited for the bound, undisturbed, while
  // its own tenure held the lock.
  bool waits_for_itself(std::size_t asks) const {
    const history::HistoryEvent& e = history_[asks];
    if (e.what != What::acquire_invoked || context_.acquire_bound == Duration::zero()) return false;
    const std::size_t done = std::min(find(asks + 1,
                                           [&](const history::HistoryEvent& later) {
                                             const bool own = later.tenure == e.tenure;
                                             return ends_life(later, e.tenure) ||
                                                    (own && (later.what == What::acquire_ok ||
                                                             later.what == What::acquire_failed ||
                                                             later.what == What::acquire_unknown));
                                           }),
                                      history_.size() - 1);
    for (std::size_t start = asks; start < done; ++start) {
      if (had_its_chance(start, done, e, false)) return true;
    }
    return false;
  }

  // Whether a quorum of servers was within reach from just after event `start` for the bound, up to
  // event `end`, and the entry free on each, or held by the asking tenure itself.
  bool had_its_chance(std::size_t start, std::size_t end, const history::HistoryEvent& asking,
                      bool free = true) const {
    const Instant until = history_[start].at + context_.acquire_bound;
    if (history_[end].at < until) return false;
    std::uint32_t willing = 0;
    for (const sim::ProcessId server : servers()) {
      bool always = true;
      for (std::size_t i = start; i < end && (i == start || history_[i].at < until); ++i) {
        always = always && is_within_reach(server, asking, i) &&
                 (free ? is_free(server, asking.key, i) : holds_at(asking.tenure, i));
      }
      if (always) ++willing;
    }
    return willing >= context_.quorum;
  }

  bool is_free(sim::ProcessId server, history::KeyId key, std::size_t now) const {
    const std::size_t touch = last_touch(key, server, now);
    return touch == history_.size() || history_[touch].what == What::entry_removed;
  }

  bool is_within_reach(sim::ProcessId server, const history::HistoryEvent& asking,
                       std::size_t now) const {
    bool up = true;
    bool out = true;
    bool in = true;
    int faults = 0;
    for (std::size_t i = 0; i <= now; ++i) {
      const history::HistoryEvent& e = history_[i];
      if (e.what == What::process_crashed && e.process == server) up = false;
      if (e.what == What::process_started && e.process == server) up = true;
      const bool link = e.what == What::link_cut || e.what == What::link_healed;
      const bool healed = e.what == What::link_healed;
      if (link && e.process == asking.process && e.peer == server) out = healed;
      if (link && e.process == server && e.peer == asking.process) in = healed;
      if (e.what == What::fault_fired) ++faults;
      if (e.what == What::fault_ended) --faults;
    }
    return up && out && in && faults == 0;
  }

  const history::History& history_;
  const Context& context_;
  history::TenureId tenures_ = 1;
};

}  // namespace picklock::properties
