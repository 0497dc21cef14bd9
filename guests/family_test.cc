// Processes, signals and ends of guests.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>

#include "guests/guest.h"
#include "guests/nursery.h"
#include "guests/support.h"
#include "testing/guest_world.h"

namespace picklock::guests {
namespace {

using ::picklock::testing::GuestStory;
using ::picklock::testing::GuestWorld;
using ::picklock::testing::python;
using ::picklock::testing::story_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GuestFamilyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!unsupported().empty()) GTEST_SKIP() << unsupported();
  }
};

TEST_F(GuestFamilyTest, AProgramRunsOthersInTheSameTime) {
  const GuestStory story = python(
      "import os, subprocess, time; t = time.monotonic()\n"
      "os.environ['PATH'] = '/no/such:/etc:' + os.environ['PATH']\n"
      "print(subprocess.run(['sleep', '2']).returncode, time.monotonic() - t)\n"
      "print(subprocess.run('echo a; sleep 1; date -u', shell=True, capture_output=True).stdout)\n"
      "print(len(subprocess.run(['cat'], input=bytes(200000), capture_output=True).stdout))\n"
      "try: subprocess.run(['/no/such/program'])\n"
      "except OSError as error: print(error)\n"
      "print(time.monotonic() - t)");
  EXPECT_EQ(story.printed,
            "0 2.0\nb'a\\nWed Jan  1 00:00:03 UTC 2025\\n'\n200000\n"
            "[Errno 2] No such file or directory: '/no/such/program'\n3.0\n");
}

TEST_F(GuestFamilyTest, ProcessesThatShareMemoryRunAlikeEachTime) {
  const std::string text =
      "import multiprocessing as m, time\n"
      "with m.Pool(2) as pool: print(pool.map(abs, [-1, -2, -3]))\n"
      "queue = m.Queue(); p = m.Process(target=queue.put, args=(5,)); p.start()\n"
      "print(queue.get()); p.join(); print(time.monotonic())";
  const GuestStory first = python(text);
  EXPECT_THAT(first.printed, HasSubstr("[1, 2, 3]\n5\n"));
  for (int run = 0; run < 5; ++run) EXPECT_EQ(python(text), first);
}

TEST_F(GuestFamilyTest, AChildHasTheSocketToo) {
  const GuestStory story = python(
      "import os, socket\n"
      "s = socket.create_connection(('localhost', 7))\n"
      "if os.fork() == 0: s.send(b'child'); os._exit(3)\n"
      "print(os.wait(), s.recv(9))");
  EXPECT_EQ(story.printed, "(2, 768) b'child'\n");
  EXPECT_THAT(story.trace,
              ElementsAre("0 us dial 127 port 7", "1000 us send 1 child", "2000 us closed 1"));
}

TEST_F(GuestFamilyTest, TheNextProgramOfAProcessHasTheVirtualClock) {
  const GuestStory story = python(
      "import os\n"
      "try: os.execv('/etc/passwd', ['x'])\n"
      "except OSError as error: print(error.strerror, flush=True)\n"
      "os.execvp('date', ['date', '-u', '+%s.%N'])");
  EXPECT_EQ(story.printed, "Permission denied\n1735689600.000000000\n");
}

TEST_F(GuestFamilyTest, AlarmsComeInVirtualTime) {
  const GuestStory story = python(
      "import signal, time; t = time.monotonic()\n"
      "signal.signal(signal.SIGALRM, lambda *_: print('alarm', time.monotonic() - t))\n"
      "signal.alarm(3); time.sleep(5)\n"
      "signal.setitimer(signal.ITIMER_REAL, 0.5, 0.25); time.sleep(1.1)\n"
      "signal.setitimer(signal.ITIMER_REAL, 0); time.sleep(9); print(round(time.monotonic() - t, "
      "6))");
  EXPECT_EQ(story.printed, "alarm 3.0\nalarm 5.5\nalarm 5.75\nalarm 6.0\n15.1\n");
}

TEST_F(GuestFamilyTest, ASignalEndsAProgramThatDoesNotHandleIt) {
  EXPECT_EQ(python("import os; os.kill(os.getpid(), 15)").status, SIGTERM);
  EXPECT_EQ(python("import os; os.kill(os.getpid(), 9)").status, SIGKILL);
  EXPECT_EQ(python("import os; os.abort()").status, SIGABRT);
  EXPECT_EQ(python("import ctypes; ctypes.string_at(0)").status, SIGSEGV);
  EXPECT_EQ(python("import sys; sys.exit(7)").status, 7 << 8);
  const std::string pipe = "import os, signal; signal.signal(signal.SIGPIPE, signal.SIG_DFL)\n";
  EXPECT_EQ(python(pipe + "r, w = os.pipe(); os.close(r); os.write(w, b'x')").status, SIGPIPE);
  EXPECT_EQ(python(pipe + "import socket; s = socket.create_connection(('localhost', 9))\n"
                          "s.shutdown(1); s.send(b'x')")
                .status,
            SIGPIPE);
}

TEST_F(GuestFamilyTest, AProgramThatIgnoresSignalsIsKilled) {
  GuestWorld world;
  Start start;
  start.argv = {"python3", "-c",
                "import signal, time\n"
                "for n in 1, 2, 15: signal.signal(n, signal.SIG_IGN)\n"
                "time.sleep(100)"};
  world.begin(start);
  EXPECT_TRUE(world.guest.alive());
  world.guest.kill();
  EXPECT_FALSE(world.guest.alive());
  EXPECT_EQ(world.guest.exit_status(), SIGKILL);
}

TEST_F(GuestFamilyTest, AChildIsEndedByItsParent) {
  const GuestStory story = python(
      "import subprocess, time; t = time.monotonic()\n"
      "p = subprocess.Popen(['sleep', '100']); time.sleep(1); p.terminate()\n"
      "print(p.wait(), time.monotonic() - t)");
  EXPECT_EQ(story.printed, "-15 1.0\n");
}

// A process anywhere whose command line has this text.
bool exists(const std::string& text) {
  std::FILE* const all = popen(("pgrep -f -- '" + text + "' | wc -l").c_str(), "r");
  int count = 0;
  const bool read = std::fscanf(all, "%d", &count) == 1;
  pclose(all);
  return read && count > 1;  // the shell that looks has it, too
}

TEST_F(GuestFamilyTest, NothingIsLeftWhenTheSupervisorIsKilled) {
  const std::string mark = "mark-" + std::to_string(getpid());
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t supervisor = fork();
  if (supervisor == 0) {
    Nursery nursery;
    GuestWorld world(1, &nursery);
    Start start;
    start.argv = {"python3", "-c",
                  "import socket, subprocess, time\n"
                  "s = socket.create_connection(('localhost', 7))\n"
                  "subprocess.Popen(['python3', '-c', 'import time; time.sleep(1e6)', '" +
                      mark +
                      "'])\n"
                      "time.sleep(1e6)",
                  mark};
    world.begin(start);
    world.go_on(GuestWorld::kSecond);
    if (write(ready[1], "x", 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_TRUE(exists(mark));
  kill(supervisor, SIGKILL);
  waitpid(supervisor, nullptr, 0);
  for (int tries = 0; tries < 100 && exists(mark); ++tries) usleep(20'000);
  EXPECT_FALSE(exists(mark));
  close(ready[0]);
  close(ready[1]);
}

}  // namespace
}  // namespace picklock::guests
