#include "guests/guest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <stdexcept>
#include <string>

#include "guests/support.h"
#include "testing/guest_world.h"

namespace picklock::guests {
namespace {

using ::picklock::testing::GuestOutput;
using ::picklock::testing::GuestStory;
using ::picklock::testing::GuestWorld;
using ::picklock::testing::python;
using ::picklock::testing::story_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kMillisecond = GuestWorld::kMillisecond;
constexpr std::int64_t kSecond = GuestWorld::kSecond;

// Where the programs under test are.
std::string program(const std::string& name) { return PICKLOCK_GUESTS "/guest_" + name; }

Start descriptors(const std::string& wish) {
  Start start;
  start.argv = {program("descriptors"), wish};
  return start;
}

class GuestTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!unsupported().empty()) GTEST_SKIP() << unsupported();
  }
};

TEST_F(GuestTest, AProgramSleepsInVirtualTime) {
  const GuestStory story = python("import time; time.sleep(1000)");
  EXPECT_EQ(story.ended, 1000 * kSecond);
  EXPECT_EQ(story.status, 0);
}

TEST_F(GuestTest, AProgramReadsTheClocksOfItsWorld) {
  const GuestStory story = python(
      "import time; time.sleep(1.5)\n"
      "print(time.time_ns(), time.monotonic_ns(), time.process_time_ns(), time.localtime()[:4])");
  EXPECT_EQ(story.printed, "1735689601500000000 1001500000000 0 (2025, 1, 1, 0)\n");
}

TEST_F(GuestTest, LooksAtTheClocksAreNoCalls) {
  const auto looks = [](const std::string& reads, const std::string& before) {
    Start start;
    start.argv = {"sh", "-c",
                  before + "python3 -c 'import time\nfor _ in range(" + reads +
                      "): time.monotonic(), time.time()'"};
    GuestWorld world;
    world.run(start);
    EXPECT_EQ(world.guest.exit_status(), 0);
    return world.looks;
  };
  // In a program that another has executed, too, and in one that another has started.
  for (const std::string before : {"exec ", "true; "})
    EXPECT_LT(looks("500", before), looks("100", before) + 10) << before;
}

TEST_F(GuestTest, RandomnessComesFromTheStream) {
  const std::string text =
      "import os, socket, uuid, random, secrets\n"
      "socket.socket()\n"
      "print(uuid.uuid4(), secrets.token_hex(4), os.urandom(4),"
      " open('/dev/urandom', 'rb').read(8), open('/proc/sys/kernel/random/uuid').read())";
  const GuestStory first = python(text, 1);
  EXPECT_EQ(first, python(text, 1));
  EXPECT_NE(first, python(text, 2));
}

TEST_F(GuestTest, RandomnessBeforeTheFirstConnectionFollowsFromTheStartAlone) {
  Start start;
  start.argv = {"python3", "-c", "import random, uuid; print(uuid.uuid4(), random.random())"};
  const GuestStory first = story_of(start, 1);
  EXPECT_EQ(first, story_of(start, 2));
  start.seed = 1;
  EXPECT_NE(first, story_of(start, 1));
  start.seed = 0;
  start.name = "another";
  EXPECT_NE(first, story_of(start, 1));
}

TEST_F(GuestTest, TwentyRunsWithThreadsAreEqual) {
  Start start;
  start.argv = {program("sleepers")};
  const GuestStory first = story_of(start);
  EXPECT_THAT(first.printed, HasSubstr("1002.000000 in vain: Connection timed out\n"
                                       "1002.000000 main ends and lets the sleeper be\n"));
  EXPECT_EQ(first.status, 0);
  for (int run = 1; run < 20; ++run) EXPECT_EQ(story_of(start), first);
}

TEST_F(GuestTest, AProgramTalksToAServer) {
  const GuestStory story = python(
      "import socket\n"
      "s = socket.create_connection(('redis-1', 7))\n"
      "s.sendall(b'hello'); print(s.recv(9), s.getpeername())\n"
      "s.close(); print('closed')");
  EXPECT_EQ(story.printed, "b'hello' ('10.0.0.1', 7)\nclosed\n");
  EXPECT_THAT(story.trace,
              ElementsAre("0 us dial 10 port 7", "1000 us send 1 hello", "2000 us closed 1"));
}

TEST_F(GuestTest, SendsOnSeveralSocketsKeepTheirOrder) {
  const GuestStory story = story_of(descriptors("sends"));
  EXPECT_THAT(story.trace, ElementsAre("0 us dial 127 port 9", "1000 us dial 127 port 9",
                                       "2000 us send 1 message 0", "2000 us send 2 message 1",
                                       "2000 us send 1 message 2",
                                       "2000 us send 1 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                                       "2000 us closed 2", "2000 us closed 1"));
  EXPECT_THAT(story.printed, HasSubstr("sent 300000\n"));
}

TEST_F(GuestTest, EpollWaitsForTimersAndForAConnectionThatIsPending) {
  EXPECT_EQ(story_of(descriptors("epoll")).printed,
            "connect 27: Operation now in progress\n"
            "50 ms: open, error 0, sent 5\n"
            "51 ms: got 5\n"
            "500 ms: timer, 1 times, 8\n"
            "1200 ms: nothing\n"
            "1500 ms: timer, 1 times, 8\n"
            "2200 ms: nothing\n");
}

TEST_F(GuestTest, PollAndSelectEndAtTheirTimeouts) {
  const GuestStory story = python(
      "import socket, select, time\n"
      "s = socket.create_connection(('localhost', 7)); t = time.monotonic()\n"
      "p = select.poll(); p.register(s, select.POLLIN)\n"
      "print(p.poll(250), round(time.monotonic() - t, 6))\n"
      "print(select.select([s], [], [], 0.5)[0], round(time.monotonic() - t, 6))\n"
      "s.send(b'x'); print(p.poll(250)[0][1], round(time.monotonic() - t, 6))\n"
      "print(len(select.select([s], [s], [], 5)[1]), round(time.monotonic() - t, 6))");
  EXPECT_EQ(story.printed, "[] 0.25\n[] 0.75\n1 0.751\n1 0.751\n");
}

TEST_F(GuestTest, AServerRefusesResetsAndEnds) {
  const GuestStory story = python(
      "import socket\n"
      "for port in 21, 22, 23, 24:\n"
      "  try:\n"
      "    s = socket.create_connection(('localhost', port))\n"
      "    s.send(b'x'); print(port, s.recv(9), s.recv(9))\n"
      "  except OSError as error: print(port, error)\n");
  EXPECT_EQ(story.printed,
            "21 [Errno 111] Connection refused\n22 [Errno 111] Connection refused\n"
            "23 [Errno 104] Connection reset by peer\n24 b'bye' b''\n");
}

TEST_F(GuestTest, AfterAResetReadsEndAndWritesFail) {
  EXPECT_EQ(story_of(descriptors("reset")).printed,
            "connect 23: done\nwrote 1\nread -1: Connection reset by peer\nread 0\n"
            "write -1: Broken pipe\n");
}

TEST_F(GuestTest, ATimeoutOfAConnectionThatIsNeverOpenedIsVirtual) {
  const GuestStory story = python(
      "import socket\n"
      "try: socket.create_connection(('localhost', 25), timeout=3)\n"
      "except OSError as error: print(error)\n");
  EXPECT_EQ(story.printed, "timed out\n");
  EXPECT_EQ(story.ended, 3 * kSecond);
}

TEST_F(GuestTest, MoreIsReceivedThanTheKernelHolds) {
  const GuestStory story = python(
      "import socket\n"
      "s = socket.create_connection(('localhost', 26)); s.send(b'go'); n = 0\n"
      "while n < 3 << 20: n += len(s.recv(100000))\n"
      "print(n)");
  EXPECT_EQ(story.printed, "3145728\n");
}

TEST_F(GuestTest, NamesAreLookedUpInItsHostsAlone) {
  const GuestStory story = python(
      "import socket\n"
      "print(socket.gethostbyname('redis-1'), socket.gethostbyname(socket.gethostname()))\n"
      "try: socket.getaddrinfo('nowhere.example.org', 80)\n"
      "except socket.gaierror as error: print(error)");
  EXPECT_EQ(story.printed, "10.0.0.1 127.0.1.1\n[Errno -2] Name or service not known\n");
  EXPECT_EQ(story.ended, 0);
}

TEST_F(GuestTest, WhatItSaysPrecedesWhatItSends) {
  const GuestStory story = python(
      "import os, socket\n"
      "s = socket.create_connection(('localhost', 9))\n"
      "os.write(int(os.environ['PICKLOCK_FD']), b'one\\ntw'); s.send(b'x'); os.write(3, b'o\\n')");
  EXPECT_THAT(story.trace, ElementsAre("0 us dial 127 port 9", "1000 us says one",
                                       "1000 us send 1 x", "1000 us says two", "1000 us closed 1"));
}

TEST_F(GuestTest, AFrozenSendReturnsWhenItThaws) {
  const GuestOutput output;
  GuestWorld world;
  world.on_send = [&world](std::string_view bytes) {
    if (bytes != "first") return;
    world.guest.freeze();
    world.after(15 * kSecond, [&world] { world.guest.thaw(); });
  };
  Start start;
  start.argv = {"python3", "-c",
                "import socket, time, threading\n"
                "def tick(): time.sleep(1); print('tick', time.monotonic())\n"
                "threading.Thread(target=tick).start()\n"
                "s = socket.create_connection(('localhost', 7))\n"
                "s.send(b'first'); print(time.monotonic())\n"
                "print(s.recv(9), time.monotonic())\n"
                "s.send(b'second'); print(s.recv(9), time.monotonic())"};
  start.output = output.path();
  world.run(start);
  EXPECT_EQ(output.text(), "1015.001\nb'first' 1015.001\ntick 1015.001\nb'second' 1015.002\n");
}

TEST_F(GuestTest, AProgramIsKilledInsideASend) {
  GuestWorld world;
  world.on_send = [&world](std::string_view) { world.guest.kill(); };
  Start start;
  start.argv = {"python3", "-c",
                "import socket\n"
                "s = socket.create_connection(('localhost', 7)); s.send(b'x'); s.send(b'y')"};
  world.run(start);
  EXPECT_FALSE(world.guest.alive());
  EXPECT_EQ(world.guest.exit_status(), SIGKILL);
  EXPECT_EQ(world.sent, 1u);
}

TEST_F(GuestTest, AProgramThatIsNotThereIsNamed) {
  const auto error_of = [](Start start) -> std::string {
    GuestWorld world;
    try {
      world.run(std::move(start));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  };
  Start start;
  start.argv = {"no-such-program"};
  EXPECT_EQ(error_of(start), "there is no program no-such-program in PATH");
  start.argv = {"/etc/passwd"};
  EXPECT_EQ(error_of(start), "cannot execute /etc/passwd: Permission denied");
  start.argv = {"python3"};
  start.folder = "/no/such/folder";
  EXPECT_EQ(error_of(start),
            "cannot execute /usr/bin/python3: cannot enter its folder: No such file or directory");
}

TEST_F(GuestTest, WhatCannotBeRepeatedIsRefusedByName) {
  for (const char* const call : {"io_uring_setup", "timer_create", "listen", "sendfile"}) {
    const GuestStory story = story_of(descriptors(call));
    EXPECT_EQ(story.not_reproducible, std::string("it called ") + call);
  }
}

TEST_F(GuestTest, AThreadThatComputesForLongIsNoticed) {
  Start start = descriptors("spin");
  start.most_computing = 200 * kMillisecond;
  EXPECT_EQ(story_of(start).not_reproducible, "a thread computed for 0.2 s without a system call");
}

TEST_F(GuestTest, AProgramThatLooksAtTheClockSeesTimePass) {
  const GuestStory story = python(
      "import time\n"
      "while time.monotonic() < 1001: pass\n"
      "print(time.monotonic() < 1001.1)");
  EXPECT_EQ(story.printed, "True\n");
}

TEST_F(GuestTest, AProgramThatPollsWithoutWaitingSeesTimePass) {
  const GuestStory story = python(
      "import socket\n"
      "s = socket.create_connection(('localhost', 7)); s.send(b'x'); s.setblocking(False)\n"
      "while True:\n"
      "  try: print(s.recv(9)); break\n"
      "  except BlockingIOError: pass");
  EXPECT_EQ(story.printed, "b'x'\n");
}

TEST_F(GuestTest, EveryWayToSendIsSeen) {
  const GuestStory story = python(
      "import os, socket\n"
      "s = socket.create_connection(('localhost', 9)); n = s.fileno()\n"
      "os.write(n, b'a'); os.writev(n, [b'b', b'c']); s.sendmsg([b'd', b'e'])\n"
      "s.sendall(b'f')\n"
      "t = s.dup(); t.send(b'g'); s.close(); t.shutdown(socket.SHUT_WR)\n"
      "try: t.send(b'h')\n"
      "except BrokenPipeError as error: print(error)");
  EXPECT_THAT(story.trace, ElementsAre("0 us dial 127 port 9", "1000 us send 1 a",
                                       "1000 us send 1 bc", "1000 us send 1 de", "1000 us send 1 f",
                                       "1000 us send 1 g", "1000 us shut 1", "1000 us closed 1"));
  EXPECT_EQ(story.printed, "[Errno 32] Broken pipe\n");
}

TEST_F(GuestTest, AConnectionIsAskedForAgain) {
  const GuestStory story = python(
      "import select, socket, time\n"
      "s = socket.socket(); s.setblocking(False); to = ('127.0.0.1', 27)\n"
      "p = select.poll(); p.register(s, select.POLLOUT); t = time.monotonic()\n"
      "print([s.connect_ex(to) for _ in range(2)], p.poll(10))\n"
      "print(p.poll()[0][1], round(time.monotonic() - t, 6), [s.connect_ex(to) for _ in "
      "range(2)])");
  EXPECT_EQ(story.printed, "[115, 114] []\n4 0.05 [0, 106]\n");
}

TEST_F(GuestTest, TimeoutsOfASocketAreVirtual) {
  const GuestStory story = python(
      "import socket, struct, time\n"
      "s = socket.create_connection(('localhost', 7)); t = time.monotonic()\n"
      "s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack('ll', 1, 500000))\n"
      "try: s.recv(1)\n"
      "except BlockingIOError: print(time.monotonic() - t)\n"
      "s.send(b'12345'); print(s.recv(5, socket.MSG_WAITALL))");
  EXPECT_EQ(story.printed, "1.5\nb'12345'\n");
}

TEST_F(GuestTest, ThereAreTwoHundredSockets) {
  const GuestStory story = python(
      "import socket; all = []\n"
      "try:\n"
      "  while True: all.append(socket.socket())\n"
      "except OSError as error: print(len(all), error.strerror)");
  EXPECT_EQ(story.printed, "201 Too many open files\n");
}

TEST_F(GuestTest, MuchOutputDoesNotFillMemory) {
  GuestWorld world;
  Start start;
  start.argv = {"python3", "-c", "import os\nfor i in range(1000): os.write(1, bytes(1 << 20))"};
  world.run(start);
  EXPECT_EQ(world.guest.exit_status(), 0);
}

TEST_F(GuestTest, TheBeginningAndTheEndOfMuchOutputAreKept) {
  const GuestOutput output;
  Start start;
  start.argv = {"python3", "-c",
                "import os, time\nos.write(1, b'first')\n"
                "for i in range(30): os.write(1, bytes(1 << 20)); i % 10 or time.sleep(1)\n"
                "os.write(1, b'last')"};
  start.output = output.path();
  start.most_output = std::int64_t{1} << 20;
  GuestWorld world;
  world.run(start);
  struct stat about {};
  ASSERT_EQ(stat(output.path().c_str(), &about), 0);
  EXPECT_EQ(about.st_size, (std::int64_t{30} << 20) + 9);
  EXPECT_LT(about.st_blocks * 512, std::int64_t{3} << 20);
  const std::string text = output.text();
  EXPECT_TRUE(text.starts_with("first"));
  EXPECT_TRUE(text.ends_with("last"));
}

}  // namespace
}  // namespace picklock::guests
