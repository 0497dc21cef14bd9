// `picklock test`, and scenarios whose clients are programs.
#include <sys/syscall.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>

#include "guests/support.h"
#include "testing/program.h"
#include "testing/whole.h"

namespace picklock::cli {
namespace {

class Programs : public Program {
 protected:
  void SetUp() override {
    if (const std::string& why = guests::unsupported(); !why.empty()) GTEST_SKIP() << why;
  }

  // A scenario of two clients that run this Python, under `more`.
  std::string scenario(const std::string& python, const std::string& more = "") const {
    file("program.py", python);
    return file("story.toml",
                "format = 1\nlock.algorithm = \"redis-program\"\nlock.key = \"order\"\n"
                "clients.count = 2\n"
                "clients.program = [\"/usr/bin/python3\", \"program.py\"]\n" +
                    more);
  }
};

// A lock without a token, which its holder deletes blindly, and the resource that it protects.
constexpr const char* kNaive = R"(
import socket, time

def connect(port):
    return socket.create_connection(("127.0.0.1", port))

def say(to, *words):
    to.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in words))
    return to.recv(1000)

redis, resource = connect(6379), connect(7000)
while say(redis, "SET", "order", "x", "NX", "PX", "10000") != b"+OK\r\n":
    time.sleep(0.1)
time.sleep(4)
say(resource, "WRITE", "orders", "paid")
say(redis, "DEL", "order")
)";

TEST_F(Programs, RunAsTheyAre) {
  const Ran ran = picklock("run " + scenario(kNaive));
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("✓ as expected"));
  EXPECT_THAT(ran.out, HasSubstr("SET order x NX PX 10000 → OK"));
}

TEST_F(Programs, HaveTheirRefusedAttemptsFoldedInAStory) {
  const Ran ran = picklock("run " + scenario(kNaive));
  EXPECT_THAT(ran.out, HasSubstr("→ nil, refused\n"));
  EXPECT_THAT(ran.out, HasSubstr("times, refused each time"));
  EXPECT_EQ(ran.out.find("refused\n"), ran.out.rfind("refused\n")) << "each attempt has a row";
}

TEST_F(Programs, HaveTheirRefusedReleasesShownInAStory) {
  const Ran ran =
      picklock("run " + scenario(std::string(kNaive) + "say(redis, \"UNLINK\", \"order\")\n"
                                                       "say(redis, \"GET\", \"greeting\")\n"));
  EXPECT_THAT(ran.out, HasSubstr("UNLINK order → 0\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("GET greeting")));
  EXPECT_THAT(ran.out, HasSubstr("left out, commands that concern no lock: GET\n"));
}

TEST_F(Programs, ArePausedAtACommandByItsName) {
  const Ran ran =
      picklock("run " + scenario(kNaive,
                                 "[[fault]]\npause = \"client-1\"\nbefore = \"DEL.sent\"\n"
                                 "for = \"8s\"\n[expect]\nviolated = [\"own-release\"]\n"));
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("✗ own-release: client-1 removed client-2's"));
}

TEST_F(Programs, GiveEqualRunsAndDigests) {
  const std::string story = scenario(kNaive);
  const Ran first = picklock("run " + story);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(picklock("run " + story).out, first.out);
}

TEST_F(Programs, AreSearchedForWhatBreaksThem) {
  file("program.py", kNaive);
  const Ran ran = shell("cd " + path("") +
                        " && \"$P\" test --runs 40 --max-faults 1 --out finds -- /usr/bin/python3 "
                        "program.py");
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("without faults: 2 grants, 2 writes and 0 ENTERs"));
  EXPECT_THAT(ran.out, HasSubstr("✗ own-release violated"));
  EXPECT_THAT(ran.out, Not(HasSubstr("promised")));
  EXPECT_EQ(shell("cd / && \"$P\" run " + path("finds/own-release-1.toml") + " >/dev/null").status,
            0);
}

// Two writes, so that a fault may violate several properties.
TEST_F(Programs, HaveOneStoryForSeveralPropertiesNamed) {
  file("program.py",
       std::string(kNaive).replace(std::string(kNaive).find("time.sleep(4)"), 0,
                                   "say(resource, \"WRITE\", \"orders\", \"new\")\n"));
  const Ran ran = shell("cd " + path("") +
                        " && \"$P\" test --runs 40 --max-faults 1 --faults pause --out finds -- "
                        "/usr/bin/python3 program.py");
  EXPECT_THAT(ran.out, HasSubstr("✗ resource-exclusion violated"));
  EXPECT_THAT(ran.out, HasSubstr("-1: the same faults violate both\n")) << ran.out;
}

// Kills a search at different times, PICKLOCK_KILLS times (8), while its programs begin, run and
// end.
TEST_F(Programs, LeaveNothingBehindWhenTheirSearchIsKilled) {
  const char* given = std::getenv("PICKLOCK_KILLS");
  const int kills = given != nullptr ? std::atoi(given) : 8;
  const std::string child = "import time; time.sleep(1e6)";
  const std::string program =
      file("program.py", "import subprocess\nsubprocess.Popen(['/usr/bin/python3', '-c', '" +
                             child + "', '" + path("child") + "'])\n" + kNaive);
  const std::string story =
      file("story.toml",
           "format = 1\nlock.algorithm = \"redis-program\"\nlock.key = \"order\"\n"
           "clients.count = 2\n"
           "clients.program = [\"/usr/bin/python3\", \"" +
               program + "\"]\n");
  // Processes by the names of their files.
  const std::string left = "pgrep -f '" + path("(child|program|story)") + "'";
  int killed = 0;
  int running = 0;
  for (int i = 0; i < kills; ++i) {
    const Ran ran = shell(
        "\"$P\" explore " + story + " --runs 100000 --faults crash --jobs 2 --out " +
        path("finds") + " >/dev/null 2>&1 & " +
        (i % 2 == 0 ? "until pgrep -f '" + program + "' >/dev/null; do sleep 0.01; done; " : "") +
        "sleep " + std::to_string(0.008 * (i * 37 % 100)) + "; pgrep -fc '" + program +
        "'; kill -9 $!; wait $!; status=$?; " + "for ((tries = 0; tries < 500; ++tries)); do " +
        left + " >/dev/null || break; sleep 0.02; done; " + left + " >" + path("left") +
        "; exit $status");
    if (ran.status == 128 + SIGKILL) ++killed;
    if (std::stoi(ran.out) > 0) ++running;
    ASSERT_EQ(read("left"), "") << "processes that are left after kill " << i;
  }
  EXPECT_EQ(killed, kills);
  EXPECT_GT(running, 0);
}

TEST_F(Programs, AreSearchedByEveryStrategy) {
  if (tests_are_short()) GTEST_SKIP() << "explore_test has each strategy, guests_test has programs";
  const std::string search = "explore " + scenario(kNaive) + " --out " + path("finds") + " ";
  const Ran complete = picklock(search + "--strategy exhaustive --faults lost-reply");
  EXPECT_EQ(complete.status, 1) << complete.err;
  EXPECT_THAT(complete.out, HasSubstr("✗ own-release violated"));
  EXPECT_THAT(complete.out, HasSubstr("complete   every plan of at most 1 fault"));
  const Ran guided = picklock(search + "--strategy guided --runs 10 --faults crash");
  EXPECT_EQ(guided.status, 0) << guided.out << guided.err;
  EXPECT_THAT(guided.out, HasSubstr("something new and led to others"));
  const Ran pct = picklock(search +
                           "--strategy pct --runs 10 --faults none "
                           "--set 'network.latency=[\"1ms\", \"9ms\"]'");
  EXPECT_EQ(pct.status, 0) << pct.out << pct.err;
  EXPECT_THAT(pct.out, HasSubstr("guarantee"));
}

TEST_F(Programs, MeetNoFaultsOfThreads) {
  const Ran ran = picklock("explore " + scenario(kNaive) + " --out " + path("finds") +
                           " --strategy exhaustive --faults crash --runs 3");
  EXPECT_THAT(ran.out, HasSubstr("verbs      crash and restart\n"));
}

TEST_F(Programs, ThatFailTellTheirLastLine) {
  file("program.py", "raise SystemExit('no such server')");
  const Ran ran = shell("cd " + path("") +
                        " && \"$P\" test --runs 1 --out finds -- /usr/bin/python3 "
                        "program.py");
  EXPECT_THAT(ran.out, HasSubstr("client-1 ended with exit status 1\n"));
  EXPECT_THAT(ran.out, HasSubstr("its output ends: no such server\n"));
  EXPECT_THAT(ran.out, HasSubstr("nobody used the resource or said ENTER"));
  EXPECT_THAT(ran.err, HasSubstr("there is nothing to judge; client-1 ended with exit status 1\n"));
  EXPECT_EQ(ran.status, 2);
}

TEST_F(Programs, ThatPrintMuchAreToldToBeCut) {
  file("program.py",
       "import os\nfor _ in range(100): os.write(1, bytes(1 << 20))\nprint('the end')");
  const Ran ran = shell("cd " + path("") +
                        " && \"$P\" test --runs 1 --out finds -- /usr/bin/python3 program.py");
  EXPECT_THAT(ran.out,
              HasSubstr("it printed 100.0 MiB, of which the first and the last 512 KiB are kept\n"
                        "    its output ends: "));
}

TEST_F(Programs, ThatCannotBeRepeatedAreNamedWithTheirCall) {
  const Ran ran = picklock("run " + scenario("import socket\nsocket.socket().listen()\n"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("not reproducible"));
  EXPECT_THAT(ran.err, HasSubstr("listen"));
}

// Refuses a system call, as the profile of a container may, and becomes the command.
constexpr const char* kRefusing = R"(
import ctypes, os, struct, sys
load, equal, refuse, allow = 0x20, 0x15, 0x00050001, 0x7fff0000
code = [(load, 0, 0, 0), (equal, 0, 1, int(sys.argv[1])), (6, 0, 0, refuse), (6, 0, 0, allow)]
words = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in code))
program = struct.pack("HxxxxxxQ", len(code), ctypes.addressof(words))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
os.execv(sys.argv[2], sys.argv[2:])
)";

TEST_F(Programs, NeedCallsWhoseRefusalIsToldInOneLine) {
  const std::string story = scenario("");
  const std::string refusing = file("refusing.py", kRefusing);
  const std::pair<long, std::string> refused[] = {
      {SYS_seccomp, "its system calls cannot be listened to: Operation not permitted"},
      {SYS_ptrace, "it cannot be traced: Operation not permitted"},
      {SYS_pidfd_getfd, "cannot take the listener of a new process: Operation not permitted"},
      {SYS_process_vm_readv, "process_vm_readv or process_vm_writev is refused"},
      {SYS_process_vm_writev, "process_vm_readv or process_vm_writev is refused"}};
  for (const auto& [call, reason] : refused) {
    // The search for leaks of a sanitized build needs ptrace itself.
    const Ran ran = shell("ASAN_OPTIONS=detect_leaks=0 /usr/bin/python3 " + refusing + " " +
                          std::to_string(call) + " \"$P\" run " + story);
    EXPECT_EQ(ran.status, 2) << reason;
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, StartsWith("picklock: this machine cannot run programs"));
    EXPECT_THAT(ran.err, EndsWith(reason + "\n"));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1);
  }
}

TEST_F(Programs, SayWhenTheyBelieveAndPassMarks) {
  const std::string story = scenario(
      "import os, time\nos.write(3, b'ENTER\\n')\ntime.sleep(4)\nos.write(3, b'half way\\n')\n"
      "time.sleep(1)\nos.write(3, b'LEAVE\\n')\n",
      "[expect]\nviolated = [\"mutual-exclusion\"]\n[[fault]]\npause = \"client-1\"\n"
      "before = \"mark:half way\"\nfor = \"1s\"\n");
  const Ran ran = picklock("run " + story);
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

// One of picklock's own locks, which wants the key of kNaive as well.
constexpr const char* kBeside = R"(
[[client]]
name = "client-2"
arrives_at = "1s"
lock = { algorithm = "lua-check-delete", ttl = "10s" }
hold = "3s"
cycles = 1
)";

TEST_F(Programs, MayRemoveTheDataOfEachOther) {
  std::string python = kNaive;
  python += "say(redis, \"SET\", \"cache\", \"1\")\nsay(redis, \"DEL\", \"cache\")\n";
  python.replace(python.find("time.sleep(4)"), 13,
                 "say(redis, \"SET\", \"cache\", \"0\")\ntime.sleep(4)");
  const Ran ran = picklock("run " + scenario(python));
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("own-release         holds"));
  EXPECT_THAT(ran.out,
              HasSubstr("not judged as locks, because no command takes them only if they"));
}

TEST_F(Programs, StandBesideClientsOfPicklock) {
  const Ran ran = picklock("run " + scenario(kNaive, kBeside));
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("nil, refused"));
  EXPECT_THAT(ran.out, HasSubstr("client-2 holds the lock"));
  EXPECT_THAT(ran.out, HasSubstr("WRITE order 2"));
  EXPECT_THAT(ran.out, HasSubstr("clients said once that they had the lock"));
}

TEST_F(Programs, ThatDeleteTheEntryOfAClientOfPicklockAreFound) {
  const Ran ran = picklock(
      "run " + scenario(kNaive, std::string(kBeside) +
                                    "[[fault]]\npause = \"client-1\"\nbefore = \"DEL.sent\"\n"
                                    "for = \"7s\"\n[expect]\nviolated = [\"own-release\"]\n"));
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("client-1 removed client-2's entry")) << ran.out;
}

TEST_F(Programs, StandBesideAClientOfPicklockThatLosesItsThread) {
  const Ran ran = picklock("run " + scenario(kNaive, std::string(kBeside) +
                                                         "[[fault]]\nend-thread = \"client-2\"\n"
                                                         "before = \"release.sent\"\n"));
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("a thread of client-2 ends"));
}

// Redisson's locks need a hash where kNaive has a string.
constexpr const char* kSleeps = "import time\ntime.sleep(1)\n";

TEST_F(Programs, StandBesideAClientOfPicklockThatLosesAThreadWithoutATenure) {
  const std::string watchdog =
      "[[client]]\nname = \"client-2\"\narrives_at = \"1s\"\nlock.algorithm = \"redisson-lock\"\n"
      "hold = \"30s\"\ncycles = 1\n[[fault]]\nend-thread = \"client-2\"\n";
  for (const std::string when : {"at = \"500ms\"\n", "before = \"renew.sent\"\n"}) {
    const Ran ran = picklock("run " + scenario(kSleeps, watchdog + when));
    EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("a thread of client-2 ends"));
  }
}

TEST_F(Programs, StandBesideAQueueOfClientsOfPicklock) {
  std::string fair;
  for (const std::string name : {"client-2", "client-3", "client-4"})
    fair += "[[client]]\nname = \"" + name +
            "\"\nlock.algorithm = \"redisson-fair-lock\"\nhold = \"1s\"\ncycles = 2\n";
  const Ran ran = picklock("run " + scenario(kSleeps, fair) + " --set clients.count=4");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("own-release         holds"));
  EXPECT_THAT(ran.out, HasSubstr("clients said 6 times that they had the lock"));
}

// The write of a tenure that is over is no write of the next one.
TEST_F(Programs, StandBesideAClientOfPicklockWhoseWriteComesLate) {
  const Ran ran = picklock(
      "run " + scenario(kNaive,
                        "[[client]]\nname = \"client-1\"\n"
                        "lock.algorithm = \"lua-check-delete\"\n"
                        "hold = \"1s\"\ncycles = 2\nthink = \"1s\"\n"
                        "write_timeout = \"500ms\"\n"
                        "[[fault]]\ndelay = \"client-1\"\n"
                        "before = \"write.sent\"\nnth = 2\nfor = \"20s\"\n"
                        "[expect]\nviolated = [\"resource-exclusion\", \"no-stale-write\"]\n"));
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

TEST_F(Programs, AreRefusedWhereAFileContradictsItself) {
  const auto refused = [this](const std::string& text, const std::string& complaint) {
    expect_refused("run " + file("bad.toml", "format = 1\n" + text), complaint);
  };
  refused("lock.algorithm = \"redis-program\"\n",
          "`clients.program`: must be given: redis-program is the lock of a program");
  refused("lock.algorithm = \"redis-program\"\nclients.program = [\"x\"]\nclients.hold = \"1s\"\n",
          "key `clients.hold`: has no effect: the program decides what the client does");
  refused("lock.algorithm = \"redis-lock\"\nclients.program = [\"x\"]\n", "no algorithm");
  refused("lock.algorithm = \"redlock\"\nclients.program = [\"x\"]\n",
          "key `clients.program`: has no effect: redlock is no lock of programs");
  refused("lock.algorithm = \"redis-program\"\nclients.program = [\"no-such-program\"]\n",
          "client-1: there is no program no-such-program in PATH");
  refused(
      "lock.algorithm = \"redis-program\"\nclients.program = [\"x\"]\n"
      "servers.resource.fencing = \"ideal\"\n",
      "`servers.resource.fencing`: must be \"none\" or \"after\": programs show tokens");
  refused(
      "lock.algorithm = \"redis-program\"\nclients.program = [\"x\"]\n"
      "servers.resource.nodes = 3\nservers.resource.fencing = \"after\"\n",
      "`servers.resource.nodes`: must be 1: programs know one resource");
  for (const std::string verb : {"end-thread", "interrupt"}) {
    refused("lock.algorithm = \"redis-program\"\nclients.program = [\"x\"]\n[[fault]]\n" + verb +
                " = \"client-1\"\nbefore = \"WRITE.sent\"\n",
            "key `fault.1." + verb +
                "`: not applicable to client-1: the threads of a program are its own");
  }
  const auto refused_beside = [&](const std::string& more, const std::string& complaint) {
    refused("lock.algorithm = \"redis-program\"\nclients.program = [\"x\"]\n" + more, complaint);
  };
  const std::string beside = kBeside;
  refused_beside(beside + "threads = 2\n",
                 "key `client.1.threads`: is not for a client beside programs");
  refused_beside(
      "servers.redis.masters = 3\n[[client]]\nname = \"client-2\"\n"
      "lock = { algorithm = \"redlock\", quorum = 3 }\n",
      "redlock must have its lock on as many servers as the others");
  refused_beside(
      "[[client]]\nname = \"client-2\"\n"
      "lock = { algorithm = \"redlock\", key = \"other\" }\n",
      "key `client.1.lock.key`: must be that of [lock]: programs have one lock");
  refused(
      "lock.algorithm = \"mysql-program\"\nclients.program = [\"x\"]\n"
      "servers.resource.fencing = \"after\"\n[[client]]\nname = \"client-2\"\n"
      "lock.algorithm = \"mysql-get-lock\"\n",
      "key `servers.resource.fencing`: mysql-program has no counter beside its key");
  refused_beside(beside + "program = [\"x\"]\n",
                 "key `client.1.program`: has no effect: lua-check-delete is no lock of programs");
  refused_beside(beside + "[[fault]]\ninterrupt = \"client-1\"\nbefore = \"WRITE.sent\"\n",
                 "not applicable to client-1: the threads of a program are its own");
  expect_refused("test --runs 1", "PROGRAM");
  expect_refused("test --redis masters=1 --mysql replicas=1 -- true",
                 "test: give --redis or --mysql, not both");
  expect_refused("test --redis master=1 -- true", "did you mean `servers.redis.masters`?");
  expect_refused("test --clients 0 -- true", "--clients: must be a whole number, 1 to 100");
}

}  // namespace
}  // namespace picklock::cli
