#include "guests/nursery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <string>

#include "guests/guest.h"
#include "guests/support.h"
#include "testing/guest_world.h"

namespace picklock::guests {
namespace {

using ::picklock::testing::GuestOutput;
using ::picklock::testing::GuestStory;
using ::picklock::testing::GuestWorld;
using ::picklock::testing::story_of;
using ::testing::HasSubstr;

// It prints before its first connection, with and without a flush, and draws what is random before
// and after it.
constexpr const char* kText =
    "import os, random, socket, sys, time, uuid\n"
    "print('early', uuid.uuid4(), random.random(), hash('a'), time.time(), flush=True)\n"
    "print('not flushed', os.getpid(), id(os))\n"
    "for port in 7, 7:\n"
    "  s = socket.create_connection(('localhost', port)); s.send(b'hello')\n"
    "  print(s.recv(9), uuid.uuid4(), time.monotonic(), s.fileno(), os.listdir('/proc/self/fd'))\n"
    "os.write(3, b'done\\n'); sys.exit(3)";

class NurseryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!unsupported().empty()) GTEST_SKIP() << unsupported();
    if (geteuid() != 0) GTEST_SKIP() << "only root forks programs";
    python_.argv = {"python3", "-c", kText};
  }

  Nursery nursery_;
  Start python_;
};

TEST_F(NurseryTest, ARunIsTheSameWithAndWithoutIt) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const GuestStory alone = story_of(python_, seed);
    EXPECT_EQ(alone.status, 3 << 8);
    EXPECT_THAT(alone.printed, HasSubstr("early"));
    for (int run = 0; run < 3; ++run) EXPECT_EQ(story_of(python_, seed, &nursery_), alone);
  }
  EXPECT_EQ(nursery_.size(), 1u);
  EXPECT_EQ(nursery_.forks(), 9u);
}

TEST_F(NurseryTest, AScriptInAFileMayBeKept) {
  const GuestOutput script;
  std::ofstream(script.path()) << kText;
  python_.argv = {"python3", script.path()};
  const GuestStory alone = story_of(python_);
  for (int run = 0; run < 3; ++run) EXPECT_EQ(story_of(python_, 1, &nursery_), alone);
  EXPECT_EQ(nursery_.forks(), 3u);
}

TEST_F(NurseryTest, AScriptThatIsStillBeingReadIsNot) {
  const GuestOutput script;
  std::ofstream(script.path()) << "exec 4</etc/hosts\nread line <&4\necho $line\n"
                               << "exec python3 -c \""
                               << "import socket\n"
                               << "s = socket.create_connection(('localhost', 7))\n"
                               << "s.send(b'x'); print(s.recv(1))\"\n";
  python_.argv = {"sh", script.path()};
  const GuestStory alone = story_of(python_);
  EXPECT_EQ(alone.printed, "127.0.0.1 localhost\nb'x'\n");
  for (int run = 0; run < 2; ++run) EXPECT_EQ(story_of(python_, 1, &nursery_), alone);
  EXPECT_EQ(nursery_.size(), 0u);
}

TEST_F(NurseryTest, AProgramWithThreadsOrChildrenIsStartedAnew) {
  for (const char* const before :
       {"import threading, time; threading.Thread(target=lambda: time.sleep(1)).start()",
        "import subprocess; subprocess.run(['true'])", "import os; p = os.pipe()",
        "import time; time.sleep(1)", "import os; os.write(3, b'hello\\n')"}) {
    python_.argv = {"python3", "-c",
                    std::string(before) +
                        "\nimport socket\n"
                        "s = socket.create_connection(('localhost', 7))\n"
                        "s.send(b'x'); print(s.recv(1))"};
    const GuestStory alone = story_of(python_);
    EXPECT_EQ(alone.printed, "b'x'\n") << before;
    for (int run = 0; run < 2; ++run) EXPECT_EQ(story_of(python_, 1, &nursery_), alone) << before;
  }
  EXPECT_EQ(nursery_.forks(), 0u);
}

TEST_F(NurseryTest, OtherStartsHaveOtherZygotes) {
  story_of(python_, 1, &nursery_);
  python_.name = "another";
  story_of(python_, 1, &nursery_);
  python_.seed = 5;
  story_of(python_, 1, &nursery_);
  python_.environment = {"PATH=/usr/bin"};
  story_of(python_, 1, &nursery_);
  EXPECT_EQ(nursery_.size(), 4u);
  GuestWorld later(1, &nursery_);
  later.now = GuestWorld::kSecond;
  later.run(python_);
  EXPECT_EQ(nursery_.size(), 5u);
  EXPECT_EQ(nursery_.forks(), 5u);
}

TEST_F(NurseryTest, TheOneThatWasNotUsedForLongestGoes) {
  for (std::uint64_t seed = 0; seed < Nursery::kMost + 2; ++seed) {
    python_.seed = seed;
    story_of(python_, 1, &nursery_);
  }
  EXPECT_EQ(nursery_.size(), Nursery::kMost);
}

TEST_F(NurseryTest, TwoAtOnceAreApart) {
  const GuestStory alone = story_of(python_);
  story_of(python_, 1, &nursery_);
  const GuestOutput output;
  Start start = python_;
  start.output = output.path();
  GuestWorld one(1, &nursery_);
  one.begin(start);
  EXPECT_EQ(story_of(python_, 1, &nursery_), alone);
  one.go_on();
  EXPECT_EQ(output.text(), alone.printed);
  EXPECT_EQ(one.trace, alone.trace);
}

TEST_F(NurseryTest, ACopyIsKilledAndAnotherBegins) {
  const GuestStory alone = story_of(python_);
  for (int run = 0; run < 3; ++run) {
    GuestWorld world(1, &nursery_);
    world.on_send = [&world](std::string_view) { world.guest.kill(); };
    world.run(python_);
    EXPECT_EQ(world.guest.exit_status(), SIGKILL);
    EXPECT_EQ(story_of(python_, 1, &nursery_), alone);
  }
  EXPECT_EQ(nursery_.forks(), 6u);
}

TEST_F(NurseryTest, AGuestMayOutliveIt) {
  auto nursery = std::make_unique<Nursery>();
  story_of(python_, 1, nursery.get());
  GuestWorld world(1, nursery.get());
  world.begin(python_);
  nursery.reset();
  world.go_on();
  EXPECT_EQ(world.guest.exit_status(), 3 << 8);
}

}  // namespace
}  // namespace picklock::guests
