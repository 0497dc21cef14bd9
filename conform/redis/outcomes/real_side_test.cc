// Tests what the situations rely on: real processes are stopped, killed and restarted, and are gone
// afterwards.
#include "conform/redis/outcomes/real_side.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

namespace picklock::conform::redis::outcomes {
namespace {

using namespace std::chrono_literals;

std::string ask(Side& side, const std::string& node, const Words& words, Duration patience = 10s) {
  side.send("A", node, words);
  return side.receive("A", node, patience);
}

std::string process_of(Side& side, const std::string& node) {
  const std::string info = ask(side, node, {"INFO", "server"});
  const std::string name = "process_id:";
  const std::size_t at = info.find(name) + name.size();
  return info.substr(at, info.find('\r', at) - at);
}

bool exists(const std::string& process) { return std::filesystem::exists("/proc/" + process); }

// The seconds in `[1735689600, 0]`.
long seconds(const std::string& time) { return std::atol(time.c_str() + 1); }

TEST(RealSide, EndsItsProcesses) {
  std::string process;
  {
    RealSide side;
    side.begin({.replicas = 1});
    process = process_of(side, "replica-1");
    EXPECT_TRUE(exists(process));
  }
  EXPECT_FALSE(exists(process));
}

TEST(RealSide, EndsItsProcessesAlsoWhenItIsKilled) {
  const Folder folder("test");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    setenv("TMPDIR", folder.path().c_str(), 1);
    RealSide side;
    side.begin({});
    const std::string process = process_of(side, "master") + "\n";
    if (write(ends[1], process.data(), process.size()) > 0) pause();
    _exit(1);
  }
  std::string process;
  for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';) process += c;
  EXPECT_TRUE(exists(process));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  for (int i = 0; i < 1000 && exists(process); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(exists(process));
  close(ends[0]);
  close(ends[1]);
}

TEST(RealSide, StopsAProcessWithItsConnections) {
  RealSide side;
  side.begin({});
  EXPECT_EQ(ask(side, "master", {"PING"}), "PONG");
  side.act(Deed::stop, "master");
  EXPECT_EQ(ask(side, "master", {"SET", "k", "v"}, 100ms), kNoReply);
  side.act(Deed::go_on, "master");
  EXPECT_EQ(side.receive("A", "master", 10s), "OK");
}

TEST(RealSide, KillsAProcessAndStartsItAgainWhereItWas) {
  RealSide side;
  side.begin({});
  const std::string process = process_of(side, "master");
  side.act(Deed::kill, "master");
  EXPECT_EQ(ask(side, "master", {"PING"}), kClosed);
  EXPECT_EQ(ask(side, "master", {"PING"}), kRefused);
  side.act(Deed::restart, "master");
  EXPECT_EQ(ask(side, "master", {"PING"}), "PONG");
  EXPECT_NE(process_of(side, "master"), process);
}

TEST(RealServer, DoesNotStartAgainWhereAnotherListens) {
  RealServer one(Settings{.name = "one"});
  one.kill();
  const int taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  where.sin_port = htons(one.address().port);
  const int on = 1;
  setsockopt(taken, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  ASSERT_EQ(bind(taken, reinterpret_cast<sockaddr*>(&where), sizeof where), 0);
  ASSERT_EQ(listen(taken, 1), 0);
  EXPECT_THROW(one.restart(), NoServer);
  close(taken);
  one.restart();
  EXPECT_TRUE(one.runs());
}

TEST(RealSide, SetsClocksApart) {
  RealSide side;
  side.begin({.replicas = 1});
  side.skew("replica-1", 5s);
  const long before = seconds(ask(side, "master", {"TIME"}));
  const long ahead = seconds(ask(side, "replica-1", {"TIME"}));
  const long after = seconds(ask(side, "master", {"TIME"}));
  EXPECT_GE(ahead, before + 5);
  EXPECT_LE(ahead, after + 5);
}

TEST(RealSide, LetsClocksStand) {
  RealSide side;
  side.begin({.replicas = 1, .clocks_stand = true});
  EXPECT_EQ(ask(side, "master", {"TIME"}), "[1735689600, 0]");
  side.skew("", 1500ms);
  EXPECT_EQ(ask(side, "master", {"TIME"}), "[1735689601, 500000]");
  EXPECT_EQ(ask(side, "replica-1", {"TIME"}), "[1735689601, 500000]");
}

TEST(RealSide, NamesNodesByTheirAddresses) {
  RealSide side;
  side.begin({.replicas = 1});
  EXPECT_EQ(ask(side, "replica-1", {"ECHO", "$host-master"}), "127.0.0.1");
  const std::string port = ask(side, "master", {"ECHO", "$port-replica-1"});
  EXPECT_EQ(ask(side, "master", {"EVAL", "return {'127.0.0.1', ARGV[1]}", "0", port}), "replica-1");
}

TEST(RealSide, SaysThatThereIsNoServer) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  try {
    RealSide().begin({});
    ADD_FAILURE() << "there was one";
  } catch (const NoServer& none) {
    EXPECT_STREQ(none.what(),
                 "redis-server is not installed: install it, or give --address HOST:PORT");
  }
  setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace picklock::conform::redis::outcomes
