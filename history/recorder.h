// Records the history of a run: the events that models note, and the occurrences that the simulator
// reports, in the order in which they happen. Every event enters the digest, so that nothing a
// property judges or a report shows can differ between two runs of one digest. `passes` follows
// from the bytes of a command, which the digest has.
#pragma once

#include "history/history.h"
#include "sim/scheduler.h"

namespace picklock::history {

class Recorder final : public sim::Observer {
 public:
  explicit Recorder(sim::Scheduler& scheduler) : scheduler_(scheduler) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  const History& history() const { return history_; }

  void note(const HistoryEvent& event) {
    const auto both = [](std::uint64_t high, std::uint64_t low) { return (high << 32) ^ low; };
    const auto kinds = static_cast<std::uint64_t>(event.what) << 16 |
                       static_cast<std::uint64_t>(event.cause) << 8 |
                       static_cast<std::uint64_t>(event.role);
    sim::Digest& digest = scheduler_.record().digest();
    digest.add(static_cast<std::uint64_t>(sim::nanoseconds(event.at)) ^ kinds << 40);
    digest.add(both(event.tenure, event.owner));
    digest.add(both(event.process, event.peer));
    digest.add(both(event.key, event.thread) ^ static_cast<std::uint64_t>(event.holds) << 24);
    digest.add(static_cast<std::uint64_t>(sim::nanoseconds(event.until)));
    if (event.version != 0) digest.add(both(event.version, event.base));
    append(event);
  }

  // An event that the digest has already, because it follows from what a server has answered.
  void note_known(const HistoryEvent& event) { append(event); }

  // For a run without end: drops the events before the last `count`.
  void keep_last(std::size_t count) {
    if (count < history_.size())
      history_.erase(history_.begin(), history_.end() - static_cast<std::ptrdiff_t>(count));
  }

  void begin() override { history_.clear(); }
  void receive(const sim::Occurrence& occurrence) override;

 private:
  // `request`: before whose sending a fault fired.
  void append(const HistoryEvent& event, std::uint32_t request = 0) {
    if (scheduler_.record().tracer().on()) {
      scheduler_.record().tracer().add({.at = event.at,
                                        .kind = sim::TraceKind::recorded,
                                        .process = event.process,
                                        .peer = event.peer,
                                        .message = static_cast<std::uint32_t>(history_.size()),
                                        .answers = request,
                                        .tag = event.tenure});
    }
    history_.push_back(event);
  }

  sim::Scheduler& scheduler_;
  History history_;
};

}  // namespace picklock::history
