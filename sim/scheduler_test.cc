#include "sim/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <utility>

#include "sim/pacer.h"
#include "testing/echo_world.h"

namespace picklock::sim {
namespace {

std::vector<Duration> list(std::initializer_list<Duration> times) { return times; }

// ---------------------------------------------------------------- time

TEST(Scheduler, AdvancesTimeToWhatIsDueNext) {
  EchoWorld world;
  world.client().script = [](EchoClient& self) {
    self.note_time();
    self.sleep(3s);
    self.note_time();
    self.sleep(24h * 365);
    self.note_time();
  };
  world.run();
  EXPECT_EQ(world.client().times, list({0s, 3s, 3s + 24h * 365}));
}

TEST(Scheduler, RunsThreadsDueAtOneInstantInTheOrderInWhichTheyWentToSleep) {
  EchoWorld world;
  std::string order;
  for (const char name : {'a', 'b', 'c'}) {
    world.client().run([&order, name](EchoClient& self) {
      self.sleep(1s);
      order += name;
      self.sleep(0s);
      order += name;
    });
  }
  world.run();
  EXPECT_EQ(order, "abcabc");
}

TEST(Scheduler, PermutesTiesByTheSeedAlone) {
  const auto order_of = [](std::uint64_t seed) {
    EchoWorld world(1, 1, seed);
    world.simulation.scheduler.permute_ties();
    std::string order;
    for (const char name : {'a', 'b', 'c', 'd', 'e', 'f'}) {
      world.client().run([&order, name](EchoClient& self) {
        self.sleep(1s);
        order += name;
      });
    }
    world.run();
    return order;
  };
  EXPECT_EQ(order_of(1), order_of(1));
  EXPECT_NE(order_of(1), order_of(2));
}

TEST(Scheduler, SleepsOnTheMonotonicClockOfItsProcess) {
  EchoWorld world;
  Scheduler& scheduler = world.simulation.scheduler;
  scheduler.processes().set_clock_rate(world.client().process(), 250'000'000);
  world.client().script = [](EchoClient& self) {
    self.sleep(10s);
    self.note_time();
  };
  world.run();
  EXPECT_EQ(world.client().times, list({8s}));
}

// Sleeps until ten seconds from now on each clock, and notes when it woke.
void sleep_on_both_clocks(EchoClient& client) {
  for (const ClockKind kind : {ClockKind::wall, ClockKind::monotonic}) {
    client.run([kind](EchoClient& self) {
      Scheduler& scheduler = self.simulation().scheduler;
      scheduler.park_until(kind,
                           scheduler.local_time(self.process(), kind) + Duration(10s).count());
      self.note_time();
    });
  }
}

TEST(Scheduler, ActsWithAForwardStepAtOnceOnTheWallClockAndNeverOnTheMonotonic) {
  EchoWorld world;
  sleep_on_both_clocks(world.client());
  world.at(
      2s, [&] { world.simulation.scheduler.processes().step_clock(world.client().process(), 5s); });
  world.at(
      4s, [&] { world.simulation.scheduler.processes().step_clock(world.client().process(), 5s); });
  world.run();
  EXPECT_EQ(world.client().times, list({4s, 10s}));
}

TEST(Scheduler, ActsWithABackwardStepOnTheWallClockAndNeverOnTheMonotonic) {
  EchoWorld world;
  sleep_on_both_clocks(world.client());
  world.at(2s, [&] {
    world.simulation.scheduler.processes().step_clock(world.client().process(), -5s);
  });
  world.run();
  EXPECT_EQ(world.client().times, list({10s, 15s}));
}

TEST(Scheduler, ActsWithARateOnBothClocksAtOnce) {
  EchoWorld world;
  sleep_on_both_clocks(world.client());
  world.at(2s, [&] {
    world.simulation.scheduler.processes().set_clock_rate(world.client().process(), 1'000'000'000);
  });
  world.run();
  EXPECT_EQ(world.client().times, list({6s, 6s}));
}

TEST(Scheduler, ActsWithARateOnPatienceToo) {
  EchoWorld world;
  world.client().script = [](EchoClient& self) {
    Scheduler& scheduler = self.simulation().scheduler;
    scheduler.park_patiently(Duration(10s).count());
    self.note_time();
    scheduler.park_patiently(Duration(20s).count());
    self.note_time();
  };
  world.at(2s, [&] {
    world.simulation.scheduler.processes().set_clock_rate(world.client().process(), 1'000'000'000);
  });
  world.at(7s, [&] {
    world.simulation.scheduler.processes().set_clock_rate(world.client().process(), -500'000'000);
  });
  world.run();
  EXPECT_EQ(world.client().times, list({6s, 23s}));  // 12 s shown at 7 s, then half a second each
}

TEST(Scheduler, GivesUpAPatientWaitAtItsOwnLimitAndNotAtAnEarlierOne) {
  EchoWorld world;
  Thread* waiting = nullptr;
  std::vector<bool> woken;
  world.client().script = [&](EchoClient& self) {
    Scheduler& scheduler = self.simulation().scheduler;
    waiting = scheduler.running();
    for (const Duration limit : {Duration(3s), Duration(7s), Duration(5s)}) {
      const std::int64_t now = scheduler.local_time(self.process(), ClockKind::monotonic);
      woken.push_back(scheduler.park_patiently(now + limit.count()));
      self.note_time();
    }
  };
  world.at(1s, [&] { world.simulation.scheduler.threads().wake(*waiting); });
  world.run();
  EXPECT_EQ(woken, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(world.client().times, list({1s, 8s, 13s}));
}

// ---------------------------------------------------------------- a pace from outside

// Advances time to the next event, or as the test says.
class Outside final : public Pacer {
 public:
  Instant wait(Instant next) override { return next_instant ? next_instant(next) : next; }
  void take_in() override {
    if (come) come();
  }

  std::function<Instant(Instant)> next_instant;
  std::function<void()> come;
};

TEST(Pacer, MakesEventsLateAndNeverPutsAClockBack) {
  EchoWorld world;
  Outside outside;
  std::int64_t times = 0;
  outside.next_instant = [&](Instant next) { return next + (++times == 2 ? 5s : 0s); };
  world.simulation.scheduler.set_pacer(&outside);
  world.client().script = [](EchoClient& self) {
    for (int i = 0; i < 3; ++i) {
      self.note_time();
      self.sleep(1s);
    }
  };
  std::string order;
  for (const char name : {'a', 'b'}) {
    world.client().run([&order, name](EchoClient& self) {
      self.sleep(name == 'a' ? 2s : 3s);
      order += name;
    });
  }
  world.run();
  const std::vector<Duration>& seen = world.client().times;
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(order, "ab");
  EXPECT_GE(since_start(world.simulation.now()), 5s);
}

TEST(Pacer, LetsWhatComesFromOutsideHappenBeforeWhatIsDueLater) {
  EchoWorld world;
  Outside outside;
  Scheduler& scheduler = world.simulation.scheduler;
  Thread* waiting = nullptr;
  outside.next_instant = [&](Instant next) {
    return waiting != nullptr && next > kStart + 300ms ? kStart + 300ms : next;
  };
  outside.come = [&] {
    if (scheduler.now() == kStart + 300ms && waiting != nullptr)
      scheduler.threads().wake(*std::exchange(waiting, nullptr));
  };
  scheduler.set_pacer(&outside);
  world.client().run([](EchoClient& self) { self.sleep(1s); });
  world.client().script = [&](EchoClient& self) {
    waiting = scheduler.running();
    scheduler.park();
    self.note_time();
  };
  world.run();
  EXPECT_EQ(world.client().times, list({300ms}));
  EXPECT_EQ(since_start(world.simulation.now()), 1s);
}

TEST(Pacer, EndsARunInWhichNothingIsToBeWaitedFor) {
  EchoWorld world;
  Outside outside;
  world.simulation.scheduler.set_pacer(&outside);
  world.client().script = [&](EchoClient& self) {
    self.note_time();
    world.simulation.scheduler.park();
    self.note_time();
  };
  world.run();
  EXPECT_EQ(world.client().times, list({0s}));
}

TEST(Pacer, MakesPatienceNoShorter) {
  EchoWorld world;
  Outside outside;
  outside.next_instant = [](Instant next) { return next + 10ms; };
  world.simulation.scheduler.set_pacer(&outside);
  bool woken = true;
  world.client().script = [&](EchoClient& self) {
    woken = world.simulation.scheduler.park_patiently(1'000'000'000);
    self.note_time();
  };
  world.run();
  EXPECT_FALSE(woken);
  ASSERT_EQ(world.client().times.size(), 1u);
  EXPECT_GE(world.client().times[0], 1s);
}

// ---------------------------------------------------------------- timers of programs

struct Ticks {
  explicit Ticks(EchoWorld& of) : world(of) {}

  EchoWorld& world;
  std::vector<Duration> at{};
  std::deque<Timer> timers{};

  Timer& add(Process* owner) {
    Timer& timer = timers.emplace_back();
    timer.bind<&Ticks::tick>(world.simulation.scheduler, owner, *this);
    return timer;
  }
  void tick() { at.push_back(since_start(world.simulation.now())); }
};

TEST(Scheduler, FiresATimerOnceAndNotAfterItWasDisarmed) {
  EchoWorld world;
  Ticks ticks(world);
  Timer& timer = ticks.add(&world.server().process());
  timer.arm(kStart + 1s);
  timer.arm(kStart + 2s);
  EXPECT_TRUE(timer.armed());
  Timer& disarmed = ticks.add(&world.server().process());
  disarmed.arm(kStart + 1s);
  disarmed.disarm();
  EXPECT_FALSE(disarmed.armed());
  world.client().script = [](EchoClient& self) { self.sleep(10s); };
  world.run();
  EXPECT_EQ(ticks.at, list({2s}));
}

TEST(Scheduler, FiresATimerOnTheClockItWasArmedOn) {
  EchoWorld world;
  Scheduler& scheduler = world.simulation.scheduler;
  Process& server = world.server().process();
  Ticks wall(world);
  Ticks monotonic(world);
  const std::int64_t ten = Duration(10s).count();
  wall.add(&server).arm_on(ClockKind::wall, kEpoch + ten);
  monotonic.add(&server).arm_on(ClockKind::monotonic, ten);
  world.at(3s, [&] { scheduler.processes().step_clock(server, 30s); });
  world.client().script = [](EchoClient& self) { self.sleep(20s); };
  world.run();
  EXPECT_EQ(wall.at, list({3s}));
  EXPECT_EQ(monotonic.at, list({10s}));
}

TEST(Scheduler, VoidsTheTimersOfAnIncarnation) {
  EchoWorld world;
  Scheduler& scheduler = world.simulation.scheduler;
  Process& server = world.server().process();
  Ticks ticks(world);
  ticks.add(&server).arm(kStart + 5s);
  world.at(1s, [&] { scheduler.processes().halt(server, false); });
  world.at(2s, [&] { scheduler.processes().restart(server, Keeps::all); });
  world.client().script = [](EchoClient& self) { self.sleep(20s); };
  world.run();
  EXPECT_EQ(ticks.at, list({}));
}

TEST(Scheduler, FiresNoTimerThatHasEnded) {
  EchoWorld world;
  Ticks ticks(world);
  {
    Timer timer;
    timer.bind<&Ticks::tick>(world.simulation.scheduler, nullptr, ticks);
    timer.arm(kStart + 1s);
  }
  world.client().script = [](EchoClient& self) { self.sleep(10s); };
  world.run();
  EXPECT_EQ(ticks.at, list({}));
}

TEST(Scheduler, HasATimerInARunOnlyFromWhenItIsArmed) {
  Timer timer;
  EchoWorld world;
  Ticks ticks(world);
  timer.bind<&Ticks::tick>(world.simulation.scheduler, nullptr, ticks);
  timer.arm(kStart + 1s);
  world.simulation.reset(2);
  EXPECT_FALSE(timer.armed());
  world.simulation.scheduler.hold_open();
  timer.arm(kStart + 2s);
  world.simulation.scheduler.run();
  EXPECT_EQ(ticks.at, list({2s}));
}

// ---------------------------------------------------------------- pauses

TEST(Scheduler, DefersWhatComesDueDuringAPauseAndResumesItInOrder) {
  EchoWorld world;
  Scheduler& scheduler = world.simulation.scheduler;
  Process& server = world.server().process();
  std::string order;
  for (const auto& [name, due] : {std::pair('c', 4s), std::pair('a', 2s), std::pair('b', 3s)}) {
    world.client().run([&order, name = name, due = due](EchoClient& self) {
      self.sleep(due);
      order += name;
      self.note_time();
    });
  }
  world.client().run([&](EchoClient& self) { self.ask(world.server(), "x"); });
  world.client().run([&](EchoClient& self) {
    self.sleep(9s);
    self.note_time();
  });
  Ticks ticks(world);
  ticks.add(&server).arm(kStart + 2s);
  world.at(1s, [&] { scheduler.processes().pause(world.client().process()); });
  world.at(1s, [&] { scheduler.processes().pause(server); });
  world.at(5s, [&] { scheduler.processes().resume(server); });
  world.at(6s, [&] { scheduler.processes().resume(world.client().process()); });
  world.run();
  EXPECT_EQ(order, "abc");
  ASSERT_EQ(world.client().times.size(), 4u);
  EXPECT_EQ(world.client().times[0], 6s);
  EXPECT_LT(world.client().times[2], 6s + 1us);
  EXPECT_EQ(world.client().times[3], 9s);
  EXPECT_EQ(ticks.at, list({5s}));
}

TEST(Scheduler, KeepsMessagesForAPausedProcessInOrder) {
  EchoWorld world;
  Scheduler& scheduler = world.simulation.scheduler;
  scheduler.processes().pause(world.server().process());
  for (const char* text : {"1", "2", "3"}) world.client().ask_beside(world.server(), text);
  world.at(5s, [&] { scheduler.processes().resume(world.server().process()); });
  world.run();
  EXPECT_EQ(world.server().applied(), "1 2 3");
  EXPECT_EQ(world.server().log.front().first, 5s);
  EXPECT_LT(world.server().log.back().first, 5s + 1us);
}

// A message that arrives in the nanoseconds in which a backlog is handled stays after it.
TEST(Scheduler, LetsNothingOvertakeTheBacklogOfAPause) {
  for (const Duration after : {0ns, 1ns, 2ns, 3ns}) {
    EchoWorld world;
    Scheduler& scheduler = world.simulation.scheduler;
    scheduler.processes().pause(world.server().process());
    for (const char* text : {"1", "2", "3"}) world.client().ask_beside(world.server(), text);
    world.client().run([&](EchoClient& self) {
      self.sleep(5s - kWay + after);
      self.ask(world.server(), "4");
    });
    world.at(5s, [&] { scheduler.processes().resume(world.server().process()); });
    world.run();
    EXPECT_EQ(world.server().applied(), "1 2 3 4") << after.count();
  }
}

TEST(Scheduler, KeepsTheOrderOfAConnectionThroughAPauseWhereTiesArePermuted) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EchoWorld world(1, 1, seed);
    Scheduler& scheduler = world.simulation.scheduler;
    scheduler.permute_ties();
    scheduler.processes().pause(world.server().process());
    world.client().script = [&](EchoClient& self) {
      for (const char* text : {"1", "2", "3", "4"}) {
        self.ask_beside(world.server(), text);
        self.sleep(1s);
      }
    };
    world.at(5s, [&] { scheduler.processes().resume(world.server().process()); });
    world.run();
    EXPECT_EQ(world.server().applied(), "1 2 3 4") << seed;
  }
}

TEST(Scheduler, ResumesWhenTheLastOfSeveralPausesEnds) {
  EchoWorld world;
  Scheduler& scheduler = world.simulation.scheduler;
  Process& client = world.client().process();
  world.client().script = [](EchoClient& self) {
    self.sleep(2s);
    self.note_time();
  };
  world.at(1s, [&] { scheduler.processes().pause(client); });
  world.at(2s, [&] { scheduler.processes().pause(client); });
  world.at(3s, [&] { scheduler.processes().resume(client); });
  world.at(7s, [&] { scheduler.processes().resume(client); });
  world.run();
  EXPECT_EQ(world.client().times, list({7s}));
  EXPECT_FALSE(client.paused());
}

TEST(Scheduler, StopsTheRunningThreadWhereItObeys) {
  EchoWorld world;
  Scheduler& scheduler = world.simulation.scheduler;
  world.client().script = [&](EchoClient& self) {
    scheduler.processes().pause(self.process());
    self.note_time();
    scheduler.obey();
    self.note_time();
  };
  world.at(4s, [&] { scheduler.processes().resume(world.client().process()); });
  world.run();
  EXPECT_EQ(world.client().times, list({0s, 4s}));
}

TEST(Scheduler, LetsAPausedProcessDieWithoutResuming) {
  EchoWorld world;
  Scheduler& scheduler = world.simulation.scheduler;
  world.client().script = [](EchoClient& self) {
    self.sleep(2s);
    self.note_time();
  };
  world.at(1s, [&] { scheduler.processes().pause(world.client().process()); });
  world.at(3s, [&] { scheduler.processes().halt(world.client().process(), false); });
  world.at(4s, [&] { scheduler.processes().resume(world.client().process()); });
  world.run();
  EXPECT_EQ(world.client().times, list({}));
}

// ---------------------------------------------------------------- crashes

// A careless user's guard, whose destructor releases, reports and waits.
struct Guard {
  EchoClient& self;
  EchoServer& server;
  int* destroyed;

  ~Guard() {
    ++*destroyed;
    self.ask(server, "release");
    Scheduler& scheduler = self.simulation().scheduler;
    if (scheduler.inert()) return;
    scheduler.record().report({.at = scheduler.now(), .what = Occurred::thread_ended});
    scheduler.sleep(1s);
  }
};

struct Traces {
  int destroyed = 0;
  std::uint64_t events = 0;
  std::uint64_t digest = 0;
  std::size_t occurrences = 0;
  std::string applied;
};

// A client that is crashed while it holds a guard, or holds nothing.
Traces crashed(bool guarded) {
  Traces traces;
  EchoWorld world;
  world.client().script = [&](EchoClient& self) {
    if (guarded) {
      const Guard guard{self, world.server(), &traces.destroyed};
      self.sleep(1h);
    } else {
      self.sleep(1h);
    }
  };
  world.at(1s, [&] {
    world.simulation.network.crash(world.client().process(), false, false);
    world.simulation.scheduler.processes().halt(world.client().process(), false);
  });
  world.at(10s, [] {});
  world.run();
  traces.events = world.simulation.scheduler.record().events();
  traces.digest = world.digest();
  traces.occurrences = world.occurrences.size();
  traces.applied = world.server().applied();
  return traces;
}

TEST(Crash, UnwindsWithoutAnythingBeingEmitted) {
  const Traces with = crashed(true);
  const Traces without = crashed(false);
  EXPECT_EQ(with.destroyed, 1);
  EXPECT_EQ(with.applied, "");
  EXPECT_EQ(with.events, without.events);
  EXPECT_EQ(with.occurrences, without.occurrences);
  EXPECT_EQ(with.digest, without.digest);
}

// Code that swallowed the exception continues as if no server answered, so destructors on its
// ordinary way out do no harm. An endless loop gets the exception again.
TEST(Crash, LeavesAThreadThatSwallowedItWithoutAnyEffect) {
  EchoWorld world;
  int met = 0;
  bool survived = false;
  world.client().script = [&](EchoClient& self) {
    for (int i = 0; i < 5; ++i) {
      try {
        if (i % 2 == 0) {
          self.sleep(1h);
        } else {
          self.ask(world.server(), "x");
        }
      } catch (...) {
        ++met;
      }
    }
    for (;;) self.ask(world.server(), "y");
    survived = true;
  };
  world.at(1s,
           [&] { world.simulation.scheduler.processes().halt(world.client().process(), false); });
  world.at(2s, [] {});
  world.run();
  EXPECT_EQ(met, 3);  // in its three sleeps: a wait throws at once
  EXPECT_FALSE(survived);
  EXPECT_EQ(world.server().applied(), "");
}

// The guard is outside of the block that swallows the exception. Its destructor runs on the
// ordinary way out and must neither emit nor throw: an exception would end the program.
TEST(CrashDeath, IsSilentInADestructorAfterItWasSwallowed) {
  const auto holds = [] {
    EchoWorld world;
    int destroyed = 0;
    world.client().script = [&](EchoClient& self) {
      const Guard guard{self, world.server(), &destroyed};
      try {
        self.sleep(1h);
      } catch (...) {
      }
    };
    world.at(1s,
             [&] { world.simulation.scheduler.processes().halt(world.client().process(), false); });
    world.at(2s, [] {});
    world.run();
    return destroyed == 1 && world.server().applied().empty();
  };
  EXPECT_EXIT(std::exit(holds() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(Crash, LeavesAThreadThatNeverStartedUnstarted) {
  EchoWorld world;
  bool started = false;
  world.client().script = [&](EchoClient& self) {
    self.run([&](EchoClient&) { started = true; });
    world.simulation.scheduler.processes().halt(self.process(), false);
  };
  world.run();
  EXPECT_FALSE(started);
}

TEST(Crash, CanBeOnesOwnDoing) {
  EchoWorld world;
  Scheduler& scheduler = world.simulation.scheduler;
  bool went_on = false;
  bool slept_on = false;
  world.client().run([&](EchoClient&) {
    scheduler.threads().kill(*scheduler.running());
    went_on = true;
    scheduler.sleep(1s);
    slept_on = true;
  });
  world.run();
  EXPECT_TRUE(went_on);
  EXPECT_FALSE(slept_on);
  EXPECT_EQ(scheduler.now(), kStart);
}

TEST(Crash, OfOneThreadLeavesItsProcessAlive) {
  EchoWorld world;
  Scheduler& scheduler = world.simulation.scheduler;
  int destroyed = 0;
  Thread* doomed = &world.client().run([&](EchoClient& self) {
    const Guard guard{self, world.server(), &destroyed};
    self.sleep(1h);
  });
  world.client().run([&](EchoClient& self) {
    self.sleep(2s);
    self.ask(world.server(), "alive");
  });
  world.at(1s, [&] { scheduler.threads().kill(*doomed); });
  world.run();
  EXPECT_EQ(destroyed, 1);
  EXPECT_FALSE(world.client().process().down());
  EXPECT_EQ(world.server().applied(), "alive");
  EXPECT_EQ(scheduler.now(), kStart + 2s + 2 * kWay);
}

TEST(Crash, OfAPausedThreadDoesNotWaitForThePauseToEnd) {
  EchoWorld world;
  Scheduler& scheduler = world.simulation.scheduler;
  struct Noted {
    EchoClient& self;
    ~Noted() { self.note_time(); }
  };
  Thread* doomed = &world.client().run([&](EchoClient& self) {
    const Noted noted{self};
    self.sleep(1h);
  });
  world.at(1s, [&] { scheduler.processes().pause(world.client().process()); });
  world.at(2s, [&] { scheduler.threads().kill(*doomed); });
  world.at(3s, [&] { scheduler.processes().resume(world.client().process()); });
  world.run();
  EXPECT_EQ(world.client().times, list({2s}));
}

TEST(Crash, IsFollowedByANewIncarnation) {
  EchoWorld world;
  Scheduler& scheduler = world.simulation.scheduler;
  Process& client = world.client().process();
  std::vector<std::uint32_t> incarnations;
  world.client().script = [&](EchoClient& self) {
    incarnations.push_back(self.process().incarnation());
    self.note_time();
    self.sleep(5s);
    self.note_time();
  };
  world.at(1s, [&] { scheduler.processes().halt(client, false); });
  world.at(2s, [&] { scheduler.processes().restart(client, Keeps::none); });
  world.run();
  EXPECT_EQ(incarnations, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(world.client().times, list({0s, 2s, 7s}));
  EXPECT_FALSE(client.down());
}

TEST(Crash, TellsTheProgramWhatItKeeps) {
  EchoWorld world;
  Scheduler& scheduler = world.simulation.scheduler;
  Process& server = world.server().process();
  world.at(1s, [&] { scheduler.processes().halt(server, false); });
  world.at(2s, [&] { scheduler.processes().restart(server, Keeps::fsynced); });
  world.run();
  EXPECT_EQ(world.server().starts, (std::vector<Keeps>{Keeps::all, Keeps::fsynced}));
}

// ---------------------------------------------------------------- the end of a run

TEST(Run, EndsWhenNothingIsUnderWay) {
  EchoWorld world;
  Scheduler& scheduler = world.simulation.scheduler;
  bool unwound = false;
  struct Told {
    bool& flag;
    ~Told() { flag = true; }
  };
  scheduler.threads().spawn(world.client().process(), [&] {
    const Told told{unwound};
    for (;;) scheduler.sleep(1s);
  });
  world.client().script = [](EchoClient& self) { self.sleep(3500ms); };
  world.run();
  EXPECT_EQ(scheduler.now(), kStart + 3500ms);
  EXPECT_TRUE(unwound) << "a thread left over must be unwound";
}

TEST(Run, EndsAtItsEventLimit) {
  EchoWorld world;
  Scheduler& scheduler = world.simulation.scheduler;
  scheduler.set_event_limit(100);
  world.client().script = [](EchoClient& self) {
    for (;;) self.sleep(1s);
  };
  world.run();
  EXPECT_TRUE(scheduler.out_of_events());
  EXPECT_EQ(scheduler.record().events(), 100u);
}

TEST(Run, EndsWhenStopped) {
  EchoWorld world;
  Scheduler& scheduler = world.simulation.scheduler;
  world.client().script = [](EchoClient& self) {
    for (;;) self.sleep(1s);
  };
  world.at(4500ms, [&] { scheduler.stop(); });
  world.run();
  EXPECT_EQ(scheduler.now(), kStart + 4500ms);
}

TEST(Run, LetsNothingOutOfTheThreadsLeftOver) {
  EchoWorld world;
  int destroyed = 0;
  for (int i = 0; i < 3; ++i) {
    world.client().run([&](EchoClient& self) {
      const Guard guard{self, world.server(), &destroyed};
      self.sleep(1h);
    });
  }
  world.at(1s, [&] { world.simulation.scheduler.stop(); });
  world.run();
  EXPECT_EQ(destroyed, 3);
  EXPECT_EQ(world.occurrences.back().what, Occurred::process_started);
  EXPECT_EQ(world.simulation.now(), kStart + 1s);
}

TEST(Run, RethrowsWhatAThreadLetsEscape) {
  EchoWorld world;
  int destroyed = 0;
  world.client().run([&](EchoClient& self) {
    const Guard guard{self, world.server(), &destroyed};
    self.sleep(1h);
  });
  world.client().run([](EchoClient& self) {
    self.sleep(1s);
    throw std::runtime_error("of a user's code");
  });
  EXPECT_THROW(world.run(), std::runtime_error);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(world.simulation.now(), kStart + 1s);
}

// The thread that pops the event may be in the middle of its body or may just have ended.
TEST(RunDeath, RethrowsWhatAnEventLetsEscape) {
  const auto rethrows = [](bool waiting) {
    EchoWorld world;
    int destroyed = 0;
    if (waiting) {
      world.client().script = [&](EchoClient& self) {
        const Guard guard{self, world.server(), &destroyed};
        self.sleep(1h);
      };
    }
    world.at(1s, [] { throw std::runtime_error("of a server"); });
    try {
      world.run();
    } catch (const std::runtime_error&) {
      return destroyed == (waiting ? 1 : 0) && world.server().applied().empty();
    }
    return false;
  };
  EXPECT_EXIT(std::exit(rethrows(true) ? 0 : 1), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(std::exit(rethrows(false) ? 0 : 1), testing::ExitedWithCode(0), "");
}

// ---------------------------------------------------------------- many runs

// One run in a world used before: two clients, a crash with a restart, a thread death.
std::uint64_t eventful_run(Simulation& simulation, std::uint64_t seed) {
  simulation.reset(seed);
  simulation.network.set_latency({.low = 50us, .high = 2ms, .tail_one_in = 8, .tail_high = 1s});
  EchoClient one(simulation, "one");
  EchoClient two(simulation, "two");
  EchoServer server(simulation, "server");
  const Plan plan = {
      {.verb = Verb::crash,
       .target = "one",
       .trigger = {.role = kAsk, .phase = Phase::applied, .nth = 2},
       .lasts = 1s},
      {.verb = Verb::end_thread, .target = "two", .trigger = {.at = kStart + 10ms}},
  };
  simulation.nemesis.reset(plan, 0, 2);
  const auto script = [&server](EchoClient& self) {
    for (int i = 0; i < 5; ++i) self.ask(server, "ping", 1s);
  };
  one.script = script;
  two.script = script;
  for (ProcessId id = 0; id < 3; ++id)
    simulation.scheduler.processes().start(simulation.scheduler.processes().at(id));
  simulation.scheduler.run();
  return simulation.scheduler.record().digest().value();
}

TEST(Run, HasTheSameDigestAloneAndAfterOtherRuns) {
  Simulation used;
  std::vector<std::uint64_t> first;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) first.push_back(eventful_run(used, seed));
  for (std::uint64_t seed = 20; seed >= 1; --seed) {
    EXPECT_EQ(eventful_run(used, seed), first[seed - 1]);
    Simulation fresh;
    EXPECT_EQ(eventful_run(fresh, seed), first[seed - 1]);
  }
  EXPECT_NE(first[0], first[1]);
}

TEST(Run, KeepsNoFiberOfTheRunsBefore) {
  Simulation simulation;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) eventful_run(simulation, seed);
  const std::size_t alive = simulation.scheduler.threads().fibers().alive();
  const std::size_t mapped = simulation.scheduler.threads().fibers().stacks_mapped();
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) eventful_run(simulation, seed);
  EXPECT_EQ(simulation.scheduler.threads().fibers().alive(), alive);
  EXPECT_EQ(simulation.scheduler.threads().fibers().stacks_mapped(), mapped);
  simulation.scheduler.threads().fibers().trim();
  EXPECT_EQ(simulation.scheduler.threads().fibers().alive(), 0u);
}

}  // namespace
}  // namespace picklock::sim
