#include "compare/observe.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "scenarios/measures.h"

namespace picklock::compare {
namespace {

using history::HistoryEvent;
using history::TenureId;
using history::What;
using sim::Instant;

// One acquire and what came of it.
struct Asked {
  enum class State : std::uint8_t { unknown, waits, holds, releases, over };
  State state = State::unknown;
  bool alone = false;  // nobody else has or wants the lock since it asked
  bool gone = false;   // it does not live to hear of it
  bool granted = false;
  Instant at{};
  std::uint32_t queued = 0;     // as which of all waiters a server heard of it; 0: none did
  std::uint64_t overtaken = 0;  // by those who came after it
  sim::ProcessId process = 0;
  sim::ThreadId thread = 0;

  bool is_open() const { return state != State::unknown && state != State::over; }
};

class Observer {
 public:
  Observer(bool undisturbed, bool one_crash, Measures& measures)
      : undisturbed_(undisturbed), one_crash_(one_crash), measures_(measures) {}

  void see(const HistoryEvent& event) {
    switch (event.what) {
      case What::acquire_invoked:
        return asks(event);
      case What::queued:
        of(event.tenure).queued = ++queued_;
        return;
      case What::acquire_ok:
        return granted(event);
      case What::release_invoked:
        of(event.tenure).state = Asked::State::releases;
        ++releases_;
        if (somebody_waits()) handed_over_ = event.at;
        return;
      case What::acquire_failed:
      case What::acquire_unknown:
      case What::release_ok:
      case What::release_failed:
      case What::release_unknown:
        of(event.tenure).state = Asked::State::over;
        return;
      case What::thread_ended:
        return end(event.at, [&](const Asked& one) { return one.thread == event.thread; });
      case What::process_crashed:
        return end(event.at, [&](const Asked& one) { return one.process == event.process; });
      default:
        return;
    }
  }

  void finish() {
    for (const Asked& one : all_) {
      if (one.state == Asked::State::unknown || one.gone) continue;
      ++measures_.asked;
      if (one.granted) ++measures_.granted;
    }
    if (one_crash_ && crashed_ && somebody_waits()) ++measures_.never_recovered;
    if (undisturbed_) measures_.price.releases += releases_;
  }

 private:
  Asked& of(TenureId tenure) {
    if (all_.size() <= tenure) all_.resize(tenure + 1);
    return all_[tenure];
  }

  bool somebody_waits() const {
    return std::any_of(all_.begin(), all_.end(),
                       [](const Asked& one) { return one.state == Asked::State::waits; });
  }

  void asks(const HistoryEvent& event) {
    bool alone = true;
    for (Asked& other : all_) {
      if (!other.is_open()) continue;
      other.alone = false;
      alone = false;
    }
    Asked& one = of(event.tenure);
    one.state = Asked::State::waits;
    one.alone = alone;
    one.at = event.at;
    one.process = event.process;
    one.thread = event.thread;
  }

  void granted(const HistoryEvent& event) {
    Asked& one = of(event.tenure);
    one.state = Asked::State::holds;
    one.granted = true;
    if (one_crash_ && crashed_) measures_.recovery.count(event.at - *crashed_);
    crashed_.reset();
    if (!undisturbed_) return;
    Price& price = measures_.price;
    price.latency.count(event.at - one.at);
    if (one.alone) price.free.count(event.at - one.at);
    if (handed_over_ && one.at < *handed_over_) price.handover.count(event.at - *handed_over_);
    handed_over_.reset();
    for (Asked& other : all_) {
      const bool overtaken =
          other.state == Asked::State::waits && other.queued != 0 && other.queued < one.queued;
      if (overtaken) price.overtaking = std::max(price.overtaking, ++other.overtaken);
    }
  }

  template <typename Of>
  void end(Instant at, const Of& is_of) {
    bool held = false;
    for (Asked& one : all_) {
      if (!one.is_open() || !is_of(one)) continue;
      held = held || one.state == Asked::State::holds;
      one.gone = one.state == Asked::State::waits;
      one.state = Asked::State::over;
    }
    if (held && somebody_waits()) crashed_ = at;
  }

  const bool undisturbed_;
  const bool one_crash_;
  Measures& measures_;
  std::vector<Asked> all_;  // by tenure
  std::uint32_t queued_ = 0;
  std::uint64_t releases_ = 0;
  std::optional<Instant> handed_over_;
  std::optional<Instant> crashed_;
};

}  // namespace

void observe(const history::History& history, bool undisturbed, bool one_crash,
             Measures& measures) {
  Observer observer(undisturbed, one_crash, measures);
  for (const HistoryEvent& event : history) observer.see(event);
  observer.finish();
  if (undisturbed) measures.price.wakeups += scenarios::wakeups(history).all;
}

void observe_messages(const history::History& history, const sim::Trace& trace,
                      sim::ProcessId clients, const std::vector<bool>& resources, Price& price) {
  for (const HistoryEvent& event : history) {
    if (event.what == What::acquire_ok) ++price.grants;
  }
  for (const sim::TraceRecord& record : trace.records) {
    if (record.kind != sim::TraceKind::sent) continue;
    const bool asks = record.process < clients && record.peer >= clients;
    const bool answers = record.peer < clients && record.process >= clients;
    if ((!asks && !answers) || resources[record.process] || resources[record.peer]) continue;
    ++price.messages;
    // Commands that only keep a session alive belong to no step.
    if (asks && record.role != Role::none) ++price.commands;
  }
}

}  // namespace picklock::compare
