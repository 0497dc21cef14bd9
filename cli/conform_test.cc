// `picklock conform redis` as a user meets it, with a real redis-server, which must be installed.
// PICKLOCK_PROGRAM is the program; this test lies beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "conform/redis/frame.h"
#include "conform/redis/real_server.h"
#include "conform/socket.h"
#include "testing/whole.h"

namespace picklock::cli {
namespace {

using picklock::conform::Socket;
using picklock::conform::redis::RealServer;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Json = nlohmann::json;

struct Ran {
  int status = -1;
  std::string out;  // and what was said on standard error
};

Ran picklock(const std::string& arguments) {
  FILE* pipe = popen(("'" PICKLOCK_PROGRAM "' " + arguments + " 2>&1 </dev/null").c_str(), "r");
  Ran ran;
  std::array<char, 4096> bytes;
  for (std::size_t read = 0; (read = fread(bytes.data(), 1, bytes.size(), pipe)) > 0;)
    ran.out.append(bytes.data(), read);
  const int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

std::string at(const RealServer& server) {
  return server.address().host + ":" + std::to_string(server.address().port);
}

std::string told(const RealServer& server, const std::vector<std::string>& words) {
  Socket socket(server.address());
  socket.send(picklock::conform::redis::request_of(words));
  while (!socket.received().ends_with("\r\n") && !socket.ended()) socket.soon();
  return socket.received();
}

TEST(Conform, FindsTheModelAndRedisServerAgreeInEveryCell) {
  if (tests_are_short()) GTEST_SKIP() << "conform_test compares the same";
  const Ran ran = picklock("conform redis --cases 2000 --json");
  ASSERT_EQ(ran.status, 0) << ran.out;
  const Json report = Json::parse(ran.out);
  EXPECT_EQ(report.at("cases"), 2000);
  EXPECT_EQ(report.at("commands"), 2000 * 50);
  EXPECT_EQ(report.at("differences"), 0);
  EXPECT_TRUE(report.at("first_difference").is_null());
  EXPECT_THAT(report.at("coverage").at("empty"), IsEmpty());
  EXPECT_TRUE(report.at("coverage").at("left_out").is_null());
  EXPECT_GT(report.at("normalisations").size(), 5u);
}

TEST(Conform, SaysTheSameWhenAskedAgain) {
  const std::string arguments = "conform redis --cases 50 --seed 7 --json";
  EXPECT_EQ(picklock(arguments).out, picklock(arguments).out);
  EXPECT_NE(picklock(arguments).out, picklock("conform redis --cases 50 --seed 8 --json").out);
}

TEST(Conform, CountsTheKindsOfReplySoThatTheyAddUp) {
  const std::string out = picklock("conform redis --cases 20").out;
  const std::size_t begin = out.find("coverage: ");
  ASSERT_NE(begin, std::string::npos) << out;
  int seen = 0, rare = 0, usual = 0, all = 0, cases = 0, missing = 0;
  std::string line = out.substr(begin, out.find('\n', begin) - begin);
  std::erase(line, ',');
  ASSERT_EQ(std::sscanf(line.c_str(),
                        "coverage: %d kinds of reply (command class state of the key): %d rare "
                        "ones and %d of the %d that a run of %d shows; %d not seen",
                        &seen, &rare, &usual, &all, &cases, &missing),
            6)
      << line;
  EXPECT_EQ(rare + usual, seen);
  EXPECT_EQ(usual + missing, all);
}

TEST(Conform, ComparesWithAServerThatRunsAlreadyAndSaysWhatItLeavesOut) {
  const RealServer server;
  const Ran ran = picklock("conform redis --cases 200 --json --address " + at(server));
  ASSERT_EQ(ran.status, 0) << ran.out;
  const Json report = Json::parse(ran.out);
  EXPECT_THAT(report.at("coverage").at("left_out").get<std::string>(), HasSubstr("PTTL"));
  for (const Json& cell : report.at("coverage").at("cells")) EXPECT_NE(cell.at("command"), "pttl");
}

TEST(Conform, RefusesAServerThatHoldsDataUnlessItMayBeEmptied) {
  const RealServer server;
  ASSERT_EQ(told(server, {"SET", "precious", "1"}), "+OK\r\n");
  const std::string arguments = "conform redis --cases 5 --address " + at(server);
  const Ran refused = picklock(arguments);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "picklock: conform: " + at(server) +
                             " holds data; --flush lets every database of it be emptied\n");
  EXPECT_EQ(picklock(arguments + " --flush").status, 0);
}

TEST(Conform, LeavesTheServerEmpty) {
  const RealServer server;
  EXPECT_EQ(picklock("conform redis --cases 20 --address " + at(server)).status, 0);
  EXPECT_EQ(told(server, {"DBSIZE"}), ":0\r\n");
}

TEST(Conform, RefusesAServerThatItCannotCompareWith) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"CONFIG", "SET", "maxmemory", "100mb"}, " may use 104857600 bytes of memory; "},
      {{"CONFIG", "SET", "requirepass", "secret"}, " wants a password, which conform cannot give"},
      {{"REPLICAOF", "127.0.0.1", "1"}, " is a replica"}};
  for (const auto& [words, complaint] : cases) {
    const RealServer server;
    ASSERT_EQ(told(server, words), "+OK\r\n");
    const Ran ran = picklock("conform redis --cases 5 --flush --address " + at(server));
    EXPECT_EQ(ran.status, 2) << ran.out;
    EXPECT_THAT(ran.out, StartsWith("picklock: conform: " + at(server) + complaint));
    EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << ran.out;
  }
}

TEST(Conform, SaysInOneLineThatThereIsNoServer) {
  const std::pair<const char*, const char*> cases[] = {
      {"conform redis --address 127.0.0.1:1", "127.0.0.1:1: Connection refused"},
      {"conform redis --address nowhere", "--address: must be HOST:PORT"},
      {"conform redis --address host:0", "--address: must be HOST:PORT"},
      {"conform redis --flush", "--flush: needs --address"},
      {"conform redis --cases 0", "--cases: must be a whole number"},
      {"conform zookeeper --address 127.0.0.1:1", "no ZooKeeper answers at 127.0.0.1:1"},
      {"conform zookeeper --address nowhere", "--address: must be HOST:PORT"},
      {"conform zookeeper --flush", "--flush: only for redis; of a ZooKeeper"},
      {"conform mysql --address 127.0.0.1:1", "127.0.0.1:1: "},
      {"conform mysql --address nowhere", "--address: must be HOST:PORT"},
      {"conform mysql --flush", "--flush: only for redis; of a MySQL"},
      {"conform reddis", "there is no server `reddis`; did you mean `redis`?"}};
  for (const auto& [arguments, complaint] : cases) {
    const Ran ran = picklock(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_THAT(ran.out, HasSubstr(complaint)) << arguments;
    EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << ran.out;
  }
}

TEST(Conform, FindsNoDifferenceBetweenTheModelAndAMariaDb) {
  if (tests_are_short()) GTEST_SKIP() << "conform_test compares the same";
  const Ran ran = picklock("conform mysql --cases 200 --json");
  ASSERT_EQ(ran.status, 0) << ran.out;
  const auto report = nlohmann::json::parse(ran.out);
  EXPECT_EQ(report["differences"], 0);
  EXPECT_EQ(report["cases"], 200);
  EXPECT_GT(report["commands"], 2'000);
  EXPECT_LT(report["coverage"]["empty"].size(), 60) << report["coverage"]["empty"];
}

TEST(Conform, FindsNoDifferenceBetweenTheModelAndAZooKeeper) {
  if (tests_are_short()) GTEST_SKIP() << "conform_test compares the same";
  const Ran ran = picklock("conform zookeeper --cases 300 --json");
  ASSERT_EQ(ran.status, 0) << ran.out;
  const auto report = nlohmann::json::parse(ran.out);
  EXPECT_EQ(report["differences"], 0);
  EXPECT_EQ(report["cases"], 300);
  EXPECT_GT(report["commands"], 5'000);
  EXPECT_LT(report["coverage"]["empty"].size(), 12) << report["coverage"]["empty"];
}

TEST(Conform, SaysThatRedisServerIsNotInstalled) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  FILE* pipe = popen("'" PICKLOCK_PROGRAM "' conform redis 2>&1", "r");
  std::array<char, 1000> text{};
  const std::size_t read = fread(text.data(), 1, text.size() - 1, pipe);
  const int status = pclose(pipe);
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_THAT(std::string(text.data(), read), HasSubstr("redis-server is not installed"));
}

// A program under way, and the server it has started.
class UnderWay {
 public:
  UnderWay() {
    program_ = fork();
    if (program_ == 0) {
      dup2(fileno(said_), STDOUT_FILENO);
      dup2(fileno(said_), STDERR_FILENO);
      execl(PICKLOCK_PROGRAM, PICKLOCK_PROGRAM, "conform", "redis", "--cases", "100000000",
            "--json", static_cast<char*>(nullptr));
      _exit(99);
    }
    for (int i = 0; i < 1000 && server_ == 0; ++i) {
      usleep(10'000);
      std::ifstream children("/proc/" + std::to_string(program_) + "/task/" +
                             std::to_string(program_) + "/children");
      children >> server_;
    }
  }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  ~UnderWay() { fclose(said_); }

  int end_by(int signal) {
    kill(program_, signal);
    return ended();
  }
  int ended() {
    int status = 0;
    waitpid(program_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::string said() {
    std::rewind(said_);
    std::string all;
    for (int letter = 0; (letter = std::fgetc(said_)) != EOF;) all += static_cast<char>(letter);
    return all;
  }
  pid_t server() const { return server_; }
  bool server_runs() const { return server_ != 0 && kill(server_, 0) == 0; }
  bool server_ends() const {
    for (int i = 0; i < 500; ++i) {
      if (!server_runs()) return true;
      usleep(10'000);
    }
    return false;
  }

 private:
  pid_t program_ = 0;
  pid_t server_ = 0;
  FILE* said_ = std::tmpfile();
};

// Until sequences are under way.
constexpr useconds_t kAWhile = 1'500'000;

TEST(Conform, TakesItsServerWithItHoweverItEnds) {
  for (const int signal : {SIGKILL, SIGTERM, SIGINT}) {
    UnderWay conform;
    ASSERT_TRUE(conform.server_runs());
    const int status = conform.end_by(signal);
    EXPECT_EQ(status, signal == SIGKILL ? 128 + SIGKILL : 130);
    EXPECT_TRUE(conform.server_ends());
  }
}

TEST(Conform, SaysThatItWasInterrupted) {
  UnderWay conform;
  usleep(kAWhile);
  EXPECT_EQ(conform.end_by(SIGINT), 130);
  const Json report = Json::parse(conform.said());
  EXPECT_EQ(report.at("interrupted"), true);
  EXPECT_GT(report.at("cases"), 0);
}

TEST(Conform, IsInterruptedAtOnceWhereItsServerDoesNotAnswer) {
  UnderWay conform;
  usleep(kAWhile);
  kill(conform.server(), SIGSTOP);
  usleep(kAWhile);
  const std::time_t before = std::time(nullptr);
  EXPECT_EQ(conform.end_by(SIGTERM), 130);
  EXPECT_LE(std::time(nullptr) - before, 5);
  EXPECT_EQ(Json::parse(conform.said()).at("differences"), 0);
  EXPECT_TRUE(conform.server_ends());
}

TEST(Conform, SaysInOneLineThatItsServerHasEnded) {
  const std::pair<int, const char*> cases[] = {
      {SIGKILL, "redis-server ended unexpectedly (signal 9) in the sequence of --seed "},
      {SIGSEGV, " crashed by signal: 11"}};
  for (const auto& [signal, complaint] : cases) {
    UnderWay conform;
    usleep(kAWhile);
    kill(conform.server(), signal);
    // A server that crashes writes a report, and may stand still in it.
    const bool ends = conform.server_ends();
    if (!ends) kill(conform.server(), SIGKILL);
    EXPECT_EQ(conform.ended(), 2);
    const std::string said = conform.said();
    EXPECT_THAT(said, StartsWith("picklock: conform: redis-server ended unexpectedly (signal "));
    if (ends) {
      EXPECT_THAT(said, HasSubstr(complaint));
    }
    if (signal == SIGKILL) {
      EXPECT_TRUE(std::isdigit(*(said.end() - 2))) << said;
    }
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }
}

}  // namespace
}  // namespace picklock::cli
