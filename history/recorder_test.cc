#include "history/recorder.h"

#include <gtest/gtest.h>

#include <chrono>

#include "history/recorded_simulation.h"

namespace picklock::history {
namespace {

using namespace std::chrono_literals;

std::uint64_t digest_of(const HistoryEvent& event) {
  RecordedSimulation simulation;
  simulation.reset(1);
  simulation.recorder.note(event);
  return simulation.scheduler.record().digest().value();
}

// The digest covers every field that a property judges or a report shows.
TEST(Recorder, DigestsEveryFieldOfAnEvent) {
  const HistoryEvent event{.at = sim::kStart + 1s,
                           .what = What::entry_removed,
                           .cause = Cause::command,
                           .role = Role{1},
                           .process = 1,
                           .peer = 1,
                           .thread = 1,
                           .tenure = 1,
                           .owner = 1,
                           .key = 1,
                           .until = sim::kStart + 10s};
  const auto differs = [&event](auto change) {
    HistoryEvent other = event;
    change(other);
    return digest_of(other) != digest_of(event);
  };
  EXPECT_TRUE(differs([](HistoryEvent& e) { e.at += 1ns; }));
  EXPECT_TRUE(differs([](HistoryEvent& e) { e.what = What::entry_altered; }));
  EXPECT_TRUE(differs([](HistoryEvent& e) { e.cause = Cause::expiry; }));
  EXPECT_TRUE(differs([](HistoryEvent& e) { e.role = Role{2}; }));
  EXPECT_TRUE(differs([](HistoryEvent& e) { e.process = 2; }));
  EXPECT_TRUE(differs([](HistoryEvent& e) { e.peer = 2; }));
  EXPECT_TRUE(differs([](HistoryEvent& e) { e.thread = 2; }));
  EXPECT_TRUE(differs([](HistoryEvent& e) { e.tenure = 2; }));
  EXPECT_TRUE(differs([](HistoryEvent& e) { e.owner = 2; }));
  EXPECT_TRUE(differs([](HistoryEvent& e) { e.key = 2; }));
  EXPECT_TRUE(differs([](HistoryEvent& e) { e.until += 1ns; }));
}

TEST(Recorder, DigestsTheSameWhetherTheRunIsTracedOrNot) {
  RecordedSimulation traced;
  RecordedSimulation plain;
  traced.reset(1, true);
  plain.reset(1);
  const HistoryEvent event{.at = sim::kStart + 1s, .what = What::acquire_ok, .tenure = 3};
  traced.recorder.note(event);
  traced.scheduler.record().tracer().add({.at = sim::kStart + 1s, .kind = sim::TraceKind::sent},
                                         "bytes");
  plain.recorder.note(event);
  EXPECT_EQ(traced.scheduler.record().digest().value(), plain.scheduler.record().digest().value());
}

// The simulator digests its own occurrences; history must hold them in their place among the noted
// events, and digest nothing twice.
TEST(Recorder, PutsOccurrencesAmongNotedEvents) {
  RecordedSimulation simulation;
  simulation.reset(1, true);
  const sim::Process& process = simulation.scheduler.processes().add("client-1");
  simulation.recorder.note({.what = What::queued, .process = process.id(), .tenure = 3});
  const std::uint64_t before = simulation.scheduler.record().digest().value();
  simulation.scheduler.record().report({.at = sim::kStart + 1s,
                                        .what = sim::Occurred::thread_ended,
                                        .process = 1,
                                        .peer = 2,
                                        .thread = 4,
                                        .tag = 3,
                                        .fault = 5});
  EXPECT_NE(simulation.scheduler.record().digest().value(), before);
  simulation.recorder.note({.what = What::horizon});

  const History& history = simulation.recorder.history();
  ASSERT_EQ(history.size(), 3u);
  EXPECT_EQ(history[0].what, What::queued);
  EXPECT_EQ(history[1].what, What::thread_ended);
  EXPECT_EQ(history[1].at, sim::kStart + 1s);
  EXPECT_EQ(history[1].process, 1u);
  EXPECT_EQ(history[1].peer, 2u);
  EXPECT_EQ(history[1].thread, 4u);
  EXPECT_EQ(history[1].tenure, 3u);
  EXPECT_EQ(history[1].key, 5u);
  EXPECT_EQ(history[2].what, What::horizon);

  const auto& records = simulation.scheduler.record().tracer().trace().records;
  ASSERT_EQ(records.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(records[i].kind, sim::TraceKind::recorded);
    EXPECT_EQ(records[i].message, i);
  }
}

// An occurrence has the digest of its event in the history, so stored digests do not depend on the
// layer that reports it.
TEST(Recorder, DigestsAnOccurrenceLikeAnEvent) {
  RecordedSimulation noted;
  RecordedSimulation reported;
  noted.reset(1);
  reported.reset(1);
  noted.recorder.note({.at = sim::kStart + 1s, .what = What::link_cut, .process = 1, .peer = 2});
  reported.scheduler.record().report(
      {.at = sim::kStart + 1s, .what = sim::Occurred::link_cut, .process = 1, .peer = 2});
  EXPECT_EQ(noted.scheduler.record().digest().value(),
            reported.scheduler.record().digest().value());
}

TEST(Recorder, BeginsAnewWithEachRun) {
  RecordedSimulation simulation;
  simulation.reset(1);
  simulation.recorder.note({.what = What::horizon});
  simulation.reset(2);
  EXPECT_TRUE(simulation.recorder.history().empty());
}

}  // namespace
}  // namespace picklock::history
