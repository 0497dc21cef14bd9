#include "explore/workers/pool.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>

#include "sim/sanitizer.h"

namespace picklock::explore::workers {
namespace {

using Numbers = std::vector<std::uint64_t>;
using Spans = Pool<Span, Numbers>;
using Echoes = Pool<std::string, std::string>;

template <typename Task, typename Result>
void wait(Pool<Task, Result>& pool) {
  std::vector<pollfd> all;
  pool.watch(all);
  poll(all.data(), all.size(), 50);
  pool.update();
}

template <typename Task, typename Result>
typename Pool<Task, Result>::Done next_of(Pool<Task, Result>& pool) {
  for (;;) {
    if (auto done = pool.next()) return std::move(*done);
    wait(pool);
  }
}

Numbers up_to(std::uint64_t end) {
  Numbers all;
  for (std::uint64_t i = 0; i < end; ++i) all.push_back(i);
  return all;
}

Numbers numbers_of(const Span& span, Pulse& pulse) {
  Numbers all;
  for (std::uint64_t i = span.from; i < span.to && !pulse.hurried(); ++i) {
    pulse.begin(i);
    all.push_back(i);
  }
  return all;
}

// The results of a pool for the items 0 to `end` - 1, in tasks of 64.
struct Collected {
  Numbers items;
  std::vector<std::pair<std::uint64_t, std::string>> crashed;
  std::uint64_t whole = 0;  // tasks whose last part was returned
};

Collected collect(Spans& pool, std::uint64_t end) {
  constexpr std::uint64_t kTask = 64;
  Collected all;
  std::uint64_t submitted = 0;
  while (submitted < end || !pool.is_idle()) {
    for (; submitted < end && pool.is_hungry(); submitted += kTask)
      pool.submit({submitted, std::min(end, submitted + kTask)});
    wait(pool);
    while (const auto done = pool.next()) {
      if (done->result) {
        all.items.insert(all.items.end(), done->result->begin(), done->result->end());
      } else {
        all.crashed.emplace_back(done->crash.item.value(), done->crash.how);
      }
      if (done->last) ++all.whole;
    }
  }
  return all;
}

TEST(Pool, ReturnsResultsInTheOrderOfTheTasks) {
  for (const unsigned workers : {1U, 2U, 7U}) {
    for (const std::uint64_t end : {1U, 64U, 65U, 1000U}) {
      Spans pool({.workers = workers, .ahead = 2}, Order::as_submitted, numbers_of);
      const Collected all = collect(pool, end);
      EXPECT_EQ(all.items, up_to(end));
      EXPECT_EQ(all.whole, (end + 63) / 64);
      EXPECT_EQ(pool.begun(), end);
      EXPECT_TRUE(all.crashed.empty());
    }
  }
}

TEST(Pool, ReturnsResultsAsTheyCome) {
  Echoes pool({.workers = 2}, Order::as_they_come, [](const std::string& task, Pulse&) {
    if (task == "slow") std::this_thread::sleep_for(std::chrono::seconds(10));
    return task;
  });
  pool.submit("slow");
  pool.submit("quick");
  EXPECT_EQ(next_of(pool).task, "quick");
  EXPECT_FALSE(pool.is_idle());
}

TEST(Pool, HoldsNoMoreTasksThanItsWorkersTake) {
  Echoes pool({.workers = 2, .ahead = 2}, Order::as_submitted,
              [](const std::string& task, Pulse&) { return task; });
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(pool.is_hungry());
    pool.submit("task");
  }
  EXPECT_FALSE(pool.is_hungry());
  next_of(pool);
  EXPECT_TRUE(pool.is_hungry());
}

TEST(Pool, KeepsTheMemoryOfAWorkerAndNotTheParents) {
  int asked = 0;
  Echoes pool({}, Order::as_submitted,
              [&asked](const std::string&, Pulse&) { return std::to_string(++asked); });
  pool.submit({});
  EXPECT_EQ(next_of(pool).result, "1");
  pool.submit({});
  EXPECT_EQ(next_of(pool).result, "2");
  EXPECT_EQ(asked, 0);
}

// Also a second task that would not fit into the connection while the worker is busy.
TEST(Pool, TakesTasksAndResultsOfAnyLength) {
  const std::string much(1'000'000, 'x');
  Echoes pool({.workers = 1, .ahead = 2}, Order::as_submitted,
              [](const std::string& task, Pulse&) { return task + task; });
  for (int i = 0; i < 3; ++i) pool.submit(much);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(next_of(pool).result, much + much);
}

// The items before it and after it are worked on, whatever the number of workers.
TEST(Pool, ReportsTheItemThatEndsItsProcess) {
  for (const unsigned workers : {1U, 2U, 5U}) {
    for (const Order order : {Order::as_submitted, Order::as_they_come}) {
      Spans pool({.workers = workers, .ahead = 2}, order, [](const Span& span, Pulse& pulse) {
        Numbers all;
        for (std::uint64_t i = span.from; i < span.to; ++i) {
          pulse.begin(i);
          if (i == 77) std::raise(SIGKILL);
          if (i == 78 || i == 400) throw std::runtime_error("out of luck");
          if (i == 300) std::_Exit(3);
          if (i == 301) std::_Exit(0);
          if (i == 302) throw 302;
          all.push_back(i);
        }
        return all;
      });
      Collected all = collect(pool, 500);
      EXPECT_EQ(all.whole, 8U);
      std::sort(all.crashed.begin(), all.crashed.end());
      const decltype(all.crashed) expected = {{77, "SIGKILL"},
                                              {78, "out of luck"},
                                              {300, "exit status 3"},
                                              {301, "exit status 0"},
                                              {302, "something was thrown that is no exception"},
                                              {400, "out of luck"}};
      EXPECT_EQ(all.crashed, expected);
      Numbers others = up_to(500);
      for (const auto& [item, how] : expected) std::erase(others, item);
      if (order == Order::as_they_come) std::sort(all.items.begin(), all.items.end());
      EXPECT_EQ(all.items, others);
    }
  }
}

// The parts of a task follow one another, with its crash in its place.
TEST(Pool, ReturnsThePartsOfATaskInOrder) {
  Spans pool({.workers = 3}, Order::as_they_come, [](const Span& span, Pulse& pulse) {
    if (span.from < 5 && span.to < 10) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    for (std::uint64_t i = span.from; i < span.to; ++i) {
      pulse.begin(i);
      if (i == 5) std::_Exit(1);
    }
    return Numbers{};
  });
  pool.submit({0, 10});
  const auto before = next_of(pool);
  EXPECT_EQ(before.task, (Span{0, 5}));
  EXPECT_TRUE(before.result && !before.last);
  const auto crash = next_of(pool);
  EXPECT_EQ(crash.task, (Span{5, 6}));
  EXPECT_TRUE(!crash.result && !crash.last);
  const auto after = next_of(pool);
  EXPECT_EQ(after.task, (Span{6, 10}));
  EXPECT_TRUE(after.result && after.last);
  EXPECT_TRUE(pool.is_idle());
}

TEST(Pool, ReportsATaskThatEndsItsProcessOutsideOfAnyItem) {
  Spans pool({}, Order::as_submitted, [](const Span&, Pulse&) -> Numbers { std::_Exit(4); });
  pool.submit({0, 10});
  const auto done = next_of(pool);
  EXPECT_EQ(done.crash.how, "exit status 4");
  EXPECT_EQ(done.crash.item, std::nullopt);
  EXPECT_EQ(done.task, (Span{0, 10}));
  EXPECT_TRUE(done.last);
}

TEST(Pool, ReplacesAWorkerThatCrashed) {
  Echoes pool({.workers = 1, .ahead = 2}, Order::as_submitted, [](const std::string& task, Pulse&) {
    if (task == "die") std::raise(SIGKILL);
    return "answer to " + task;
  });
  for (const std::string task : {"one", "die", "two", "die", "die", "three"}) pool.submit(task);
  for (const std::string task : {"one", "die", "two", "die", "die", "three"}) {
    const auto done = next_of(pool);
    EXPECT_EQ(done.task, task);
    EXPECT_EQ(done.result.has_value(), task != "die");
    EXPECT_EQ(task == "die" ? done.crash.how : *done.result,
              task == "die" ? "SIGKILL" : "answer to " + task);
  }
}

TEST(Pool, KillsAWorkerThatHangs) {
  Spans pool({.workers = 2, .patience = Seconds(0.3)}, Order::as_submitted,
             [](const Span& span, Pulse& pulse) {
               Numbers all;
               for (std::uint64_t i = span.from; i < span.to; ++i) {
                 pulse.begin(i);
                 while (i == 70) std::this_thread::yield();
                 all.push_back(i);
               }
               return all;
             });
  const Collected all = collect(pool, 200);
  EXPECT_EQ(all.items.size(), 199U);
  ASSERT_EQ(all.crashed.size(), 1U);
  EXPECT_EQ(all.crashed[0].first, 70U);
  EXPECT_EQ(all.crashed[0].second, "no end within 0.3 s");
}

TEST(Pool, LeavesAWorkerAloneThatIsSlow) {
  Echoes pool({.patience = Seconds(0.3)}, Order::as_submitted,
              [](const std::string&, Pulse& pulse) {
                for (int i = 0; i < 20; ++i) {
                  pulse.beat();
                  std::this_thread::sleep_for(std::chrono::milliseconds(50));
                }
                return "at last";
              });
  pool.submit({});
  EXPECT_EQ(next_of(pool).result, "at last");
}

TEST(Pool, LimitsTheMemoryOfAWorker) {
  if (sim::kSanitized) GTEST_SKIP() << "not with sanitizers";
  Echoes pool({.memory = 200'000'000}, Order::as_submitted, [](const std::string& task, Pulse&) {
    std::vector<char> much(std::stoul(task));
    return std::to_string(much.size());
  });
  pool.submit("1000000");
  EXPECT_EQ(next_of(pool).result, "1000000");
  pool.submit("500000000");
  EXPECT_EQ(next_of(pool).crash.how, "std::bad_alloc");
}

// In its place among the results: which one is reported depends on no timing.
TEST(Pool, ThrowsTheFirstNotDeterministicInOrder) {
  Spans pool({.workers = 3}, Order::as_submitted, [](const Span& span, Pulse& pulse) {
    if (span.from == 64) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (span.from >= 64) throw NotDeterministic(std::to_string(span.from));
    return numbers_of(span, pulse);
  });
  try {
    collect(pool, 640);
    FAIL() << "it came to an end";
  } catch (const NotDeterministic& error) {
    EXPECT_STREQ(error.what(), "64");
  }
}

TEST(Pool, HurriesItsTasks) {
  Spans pool({.workers = 3, .ahead = 2}, Order::as_submitted, [](const Span& span, Pulse& pulse) {
    Numbers all;
    for (std::uint64_t i = span.from; !pulse.hurried(); ++i) {
      pulse.begin(i);
      all.assign(1, i);
    }
    return all;
  });
  for (std::uint64_t i = 0; i < 6; ++i) pool.submit({i, i + 1});
  while (pool.begun() < 1000) wait(pool);
  EXPECT_FALSE(pool.next());
  pool.hurry();
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(next_of(pool).result);
  EXPECT_TRUE(pool.is_idle());
}

// ---------------------------------------------------------------- how workers end

bool lives(pid_t process) { return kill(process, 0) == 0; }

// Whether a process that this one has inherited is killed within ten seconds.
bool is_killed(pid_t process) {
  for (int i = 0; i < 1000; ++i) {
    int status = 0;
    if (waitpid(process, &status, WNOHANG) == process)
      return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// Begins, says its id, and never ends.
std::string hang(int say_at) {
  const pid_t own = getpid();
  if (write(say_at, &own, sizeof own) != sizeof own) std::_Exit(1);
  for (;;) pause();
}

struct Pipe {
  Pipe() {
    if (pipe(ends.data()) != 0) throw std::runtime_error("pipe");
  }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  pid_t next() const {
    pid_t process = -1;
    return read(ends[0], &process, sizeof process) == sizeof process ? process : -1;
  }
  std::array<int, 2> ends{};
};

TEST(Pool, TakesItsWorkersWithIt) {
  const Pipe pipe;
  pid_t worker = 0;
  {
    Echoes pool({}, Order::as_submitted,
                [&](const std::string&, Pulse&) { return hang(pipe.ends[1]); });
    pool.submit({});
    worker = pipe.next();
    EXPECT_TRUE(lives(worker));
  }
  EXPECT_FALSE(lives(worker));
}

// However the parent ends, and with SIGINT and SIGTERM left to the parent.
TEST(Pool, LeavesNoWorkerBehindAParentThatIsKilled) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Pipe pipe;
  const pid_t parent = fork();
  if (parent == 0) {
    Echoes pool({.workers = 2}, Order::as_submitted,
                [&](const std::string&, Pulse&) { return hang(pipe.ends[1]); });
    pool.submit({});
    pool.submit({});
    for (;;) wait(pool);
  }
  const std::array<pid_t, 2> workers = {pipe.next(), pipe.next()};
  for (const pid_t worker : workers) {
    kill(worker, SIGINT);
    kill(worker, SIGTERM);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  for (const pid_t worker : workers) EXPECT_TRUE(lives(worker));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  for (const pid_t worker : workers) EXPECT_TRUE(is_killed(worker));
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

// ---------------------------------------------------------------- wire

struct Leaf {
  int number = 0;
  std::string text;
};

template <typename Archive>
void fields(Archive& archive, Leaf& leaf) {
  archive(leaf.number, leaf.text);
}

TEST(Wire, ReadsWhatWasWritten) {
  const std::vector<Leaf> all = {{.number = 1, .text = "one"}, {.number = 2, .text = {}}};
  const std::string bytes = to_wire(all);
  const auto read = from_wire<std::vector<Leaf>>(bytes);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].number, 1);
  EXPECT_EQ(read[0].text, "one");
  EXPECT_EQ(read[1].number, 2);
  EXPECT_EQ(read[1].text, "");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(from_wire<std::vector<Leaf>>(bytes.substr(0, size)), std::out_of_range);
}

}  // namespace
}  // namespace picklock::explore::workers
