#include "properties/linearizable/from_history.h"

#include <algorithm>
#include <map>
#include <utility>

namespace picklock::properties::linearizable {

using history::What;

namespace {

// The state of a tenure while the history is read.
struct Holder {
  KeyId key = 0;
  ProcessId process = 0;
  ThreadId thread = 0;
  std::int64_t asked = 0;
  Owner owner = 0;  // of its latest belief
  std::uint32_t holds = 0;
  std::size_t releasing = SIZE_MAX;  // its release that has no answer yet
};

class LockReader {
 public:
  Operations<ReentrantLock> read(const History& history) {
    for (const HistoryEvent& event : history) read(event);
    return std::move(operations_);
  }

 private:
  void read(const HistoryEvent& event) {
    const std::int64_t now = sim::nanoseconds(event.at);
    switch (event.what) {
      case What::acquire_invoked:
        holder(event).asked = now;
        break;
      case What::acquire_ok: {
        Holder& asking = holder(event);
        if (asking.holds++ == 0) asking.owner = new_owner(asking, event.tenure);
        add({asking.asked, now}, asking, ReentrantLock::Verb::acquire);
        break;
      }
      case What::release_invoked: {
        Holder& releasing = holder(event);
        if (releasing.holds == 0) break;  // it knows already that it has lost the lock
        --releasing.holds;
        releasing.releasing = operations_.size();
        add({now, kPending}, releasing, ReentrantLock::Verb::release);
        break;
      }
      case What::release_ok: {
        std::size_t& releasing = holder(event).releasing;
        if (releasing != SIZE_MAX) operations_[releasing].interval.answered = now;
        releasing = SIZE_MAX;
        break;
      }
      case What::release_failed:
      case What::release_unknown:
        holder(event).releasing = SIZE_MAX;
        break;
      case What::loss_learned:
      case What::deadline_passed:
      case What::abandoned:
        lose(now, holder(event));
        break;
      case What::thread_ended:
        for (auto& [_, one] : holders_) {
          if (one.thread == event.thread) lose(now, one);
        }
        break;
      case What::process_crashed:
        for (auto& [_, one] : holders_) {
          if (one.process == event.process) lose(now, one);
        }
        break;
      default:
        break;
    }
  }

  Holder& holder(const HistoryEvent& event) {
    const Holder fresh{.key = event.key, .process = event.process, .thread = event.thread};
    return holders_.try_emplace(event.tenure, fresh).first->second;
  }

  // A nested acquire that was invoked before a loss and answered after it may have taken effect
  // before the loss too, but its client believes otherwise. As an operation of another owner it
  // must take effect when the lock is free.
  Owner new_owner(const Holder& holder, TenureId tenure) {
    return holder.owner == 0 ? tenure : kLaterBeliefs + later_beliefs_++;
  }

  void lose(std::int64_t now, Holder& holder) {
    if (holder.holds == 0) return;
    holder.holds = 0;
    add({now, kPending}, holder, ReentrantLock::Verb::lose);
  }

  void add(Interval interval, const Holder& holder, ReentrantLock::Verb verb) {
    operations_.push_back({.interval = interval,
                           .object = holder.key,
                           .action = {.verb = verb, .owner = holder.owner}});
  }

  static constexpr Owner kLaterBeliefs = Owner{1} << 31U;  // no tenure has such a number

  std::map<TenureId, Holder> holders_;
  Owner later_beliefs_ = 0;
  Operations<ReentrantLock> operations_;
};

}  // namespace

Operations<ReentrantLock> lock_operations(const History& history) {
  return LockReader().read(history);
}

Operations<Mutex> outermost(const Operations<ReentrantLock>& operations) {
  Operations<Mutex> all;
  std::map<Owner, std::uint32_t> holds;
  for (const Operation<ReentrantLock::Action>& one : operations) {
    std::uint32_t& held = holds[one.action.owner];
    const bool acquires = one.action.verb == ReentrantLock::Verb::acquire;
    const bool changes = acquires ? held == 0 : held > 0;
    held = acquires ? held + 1 : one.action.verb == ReentrantLock::Verb::lose ? 0 : held - 1;
    if (!changes || (!acquires && held > 0)) continue;
    all.push_back({one.interval,
                   one.object,
                   {acquires ? Mutex::Verb::acquire : Mutex::Verb::release, one.action.owner}});
  }
  return all;
}

Operations<Mutex> resource_uses(const Timeline& timeline) {
  struct Use {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  std::map<std::pair<std::uint32_t, TenureId>, Use> uses;  // by place and tenure
  for (const properties::Operation& one : timeline.operations()) {
    uses.try_emplace({one.place, one.tenure}, Use{one.event, one.event}).first->second.last =
        one.event;
  }
  Operations<Mutex> all;
  for (const auto& [of, use] : uses) {
    const auto [place, tenure] = of;
    const std::int64_t begins = 2 * std::int64_t{use.first};
    const std::int64_t ends = 2 * std::int64_t{use.last} + 1;  // also after a single operation
    all.push_back({{begins, begins}, place, {Mutex::Verb::acquire, tenure}});
    all.push_back({{ends, ends}, place, {Mutex::Verb::release, tenure}});
  }
  return all;
}

Operations<FencingToken> fencing_operations(const History& history, const Timeline& timeline) {
  std::map<TenureId, Interval> acquires;
  for (std::uint32_t at = 0; at < history.size(); ++at) {
    const HistoryEvent& event = history[at];
    if (event.what == What::acquire_invoked) acquires.try_emplace(event.tenure, Interval{at});
    if (event.what != What::acquire_ok) continue;
    std::int64_t& answered = acquires[event.tenure].answered;
    answered = std::min<std::int64_t>(answered, at);
  }
  const auto token = [&](TenureId tenure) { return timeline.tenure(tenure).granted + 1; };
  const auto is_granted = [&](TenureId tenure) {
    return timeline.tenure(tenure).granted != properties::kNone;
  };
  Operations<FencingToken> all;
  std::map<std::uint32_t, KeyId> places;
  for (const properties::Operation& one : timeline.operations()) {
    if (!is_granted(one.tenure)) continue;
    places.try_emplace(one.place, timeline.tenure(one.tenure).key);
    const bool writes = history[one.event].what == What::write_accepted;
    all.push_back(
        {{one.event, one.event},
         one.place,
         {writes ? FencingToken::Verb::write : FencingToken::Verb::read, token(one.tenure)}});
  }
  for (const auto& [place, key] : places) {
    for (const auto& [tenure, interval] : acquires) {
      if (timeline.tenure(tenure).key != key || !is_granted(tenure)) continue;
      all.push_back({interval, place, {FencingToken::Verb::grant, token(tenure)}});
    }
  }
  return all;
}

}  // namespace picklock::properties::linearizable
