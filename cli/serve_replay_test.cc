// The requests of a run, sent again over ports at the same times: the servers do the same, event by
// event.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "keys/duration_text.h"
#include "models/mysql/packets.h"
#include "models/mysql/sql.h"
#include "models/mysql/wire.h"
#include "scenarios/document.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"
#include "scenarios/writer.h"
#include "serve/asking.h"

namespace picklock::cli {
namespace {

using Json = nlohmann::json;
using boost::asio::ip::tcp;
using scenarios::Run;

// `picklock serve` as a child process.
class Served {
 public:
  Served(const std::string& scenario, const std::vector<std::string>& changes) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    child_ = fork();
    if (child_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      std::vector<std::string> words = {PICKLOCK_PROGRAM, "serve",  scenario,
                                        "--manual",       "--json", "--die-with-parent"};
      for (const std::string& change : changes) words.insert(words.end(), {"--set", change});
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(ends[1]);
    std::string line;
    for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';) line += c;
    close(ends[0]);
    ports_ = Json::parse(line);
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;
  ~Served() {
    kill(child_, SIGTERM);
    waitpid(child_, nullptr, 0);
  }

  std::uint16_t port(const std::string& server) const {
    for (const Json& one : ports_.at("servers")) {
      if (one.at("name") == server) return one.at("port").get<std::uint16_t>();
    }
    return 0;
  }

  Json ask(const std::string& method, const std::string& target, const Json& body = {}) const {
    const serve::Answer answer = serve::ask({.port = ports_.at("control").dump(),
                                             .token = {},
                                             .method = method,
                                             .target = target,
                                             .body = body.is_null() ? "" : body.dump()});
    EXPECT_TRUE(answer.good) << answer.body;
    return Json::parse(answer.body);
  }

 private:
  pid_t child_ = 0;
  Json ports_;
};

struct Sent {
  sim::Instant at{};  // when it reached its server
  sim::ProcessId client = 0;
  sim::ProcessId server = 0;
  std::string bytes;
  bool answered = false;  // at the same instant
};

// The requests that reached servers which have ports.
std::vector<Sent> sent_in(const Run& run, const Served& served) {
  std::map<std::uint32_t, std::string> bytes;
  std::map<std::uint32_t, std::size_t> places;
  std::vector<Sent> all;
  for (const sim::TraceRecord& record : run.trace.records) {
    if (record.kind == sim::TraceKind::sent && record.reply) {
      const auto place = places.find(record.answers);
      if (place != places.end() && all[place->second].at == record.at)
        all[place->second].answered = true;
      continue;
    }
    const bool from_client = run.processes[record.process].starts_with("client-");
    if (!from_client || record.reply || served.port(run.processes[record.peer]) == 0) continue;
    if (record.kind == sim::TraceKind::sent)
      bytes[record.message] = std::string(run.trace.payload(record));
    if (record.kind != sim::TraceKind::delivered || places.contains(record.message)) continue;
    places[record.message] = all.size();
    all.push_back({record.at, record.process, record.peer, bytes[record.message], false});
  }
  return all;
}

// The changes of entries at the servers, with connections by the order in which they came.
using Change = std::tuple<std::int64_t, std::string, std::string, std::string, std::string>;

std::vector<Change> changes_in(const Run& run, const Served& served) {
  std::vector<Change> all;
  for (const history::HistoryEvent& event : run.history) {
    const bool of_entry =
        event.what >= history::What::entry_created && event.what <= history::What::entry_removed;
    const std::string& server = run.processes[event.process];
    if (!of_entry || served.port(server) == 0) continue;
    all.emplace_back((event.at - sim::kStart) / std::chrono::microseconds(1),
                     history::name(event.what), server, run.keys[event.key],
                     history::name(event.cause));
  }
  return all;
}

// Those of the locks of the run, whose keys may be paths.
std::vector<Change> changes_of(const Json& history, const std::vector<std::string>& keys) {
  std::vector<Change> all;
  for (const Json& event : history) {
    std::string key = event.value("key", std::string());
    if (key.starts_with('/')) key.erase(0, 1);
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) continue;
    all.emplace_back(static_cast<std::int64_t>(event.at("seconds").get<double>() * 1e6 + 0.5),
                     event.at("what"), event.at("process"), key, event.at("cause"));
  }
  return all;
}

// A request of the run as a client outside sends it.
using Framing = std::string (*)(const std::string& bytes);

std::string as_they_are(const std::string& bytes) { return bytes; }

std::string behind_its_length(const std::string& record) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes += static_cast<char>(record.size() >> static_cast<unsigned>(shift) & 0xff);
  return bytes + record;
}

std::string packet(std::uint8_t number, const std::string& payload) {
  std::string out;
  mysql::packets::Answers(out, number).packet(payload);
  return out;
}

std::string as_query(const std::string& bytes) {
  return packet(0, "\x03" + mysql::sql(*mysql::read_statement(bytes)));
}

// The answer to the greeting of a MySQL server.
std::string handshake() {
  std::string payload;
  mysql::packets::put_number(payload,
                             mysql::packets::kProtocol41 | mysql::packets::kSecureConnection, 4);
  payload.append(4 + 1 + 23, '\0');
  return packet(1, payload + std::string("app\0\0", 5));
}

struct Case {
  const char* name;
  const char* scenario;
  // Over a port an answer comes at once, or when time is advanced: here, at once.
  const char* service;
  Framing framing = as_they_are;
  bool greets = false;     // the server speaks first
  const char* fault = "";  // as a table of the file; empty: none
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class Replay : public testing::TestWithParam<Case> {
 protected:
  void send(const Served& served, const Sent& one, const std::string& server) {
    // A connection with subscriptions takes no other commands.
    const bool subscribes = one.bytes.find("SUBSCRIBE") != std::string::npos;
    auto& connection = connections_[{one.client, one.server, subscribes}];
    if (connection == nullptr || has_ended(*connection)) {
      connection = std::make_unique<tcp::socket>(io_);
      connection->connect({boost::asio::ip::address_v4::loopback(), served.port(server)});
      if (GetParam().greets) {
        read(*connection);
        boost::asio::write(*connection, boost::asio::buffer(handshake()));
        read(*connection);
      }
    }
    boost::asio::write(*connection, boost::asio::buffer(GetParam().framing(one.bytes)));
    if (one.answered) return read(*connection);
    // The control port is another socket, so without an answer time might go on before the server
    // has read this: it reads what is there between two questions.
    for (int question = 0; question < 2; ++question) served.ask("GET", "/faults");
  }

 private:
  static void read(tcp::socket& connection) {
    std::array<char, 4096> answer{};
    connection.read_some(boost::asio::buffer(answer));
  }

  // Throws away what has come that was not asked for.
  static bool has_ended(tcp::socket& connection) {
    std::array<char, 4096> bytes{};
    boost::system::error_code error;
    connection.non_blocking(true);
    while (!error) connection.read_some(boost::asio::buffer(bytes), error);
    connection.non_blocking(false);
    return error != boost::asio::error::would_block;
  }

  boost::asio::io_context io_;
  std::map<std::tuple<sim::ProcessId, sim::ProcessId, bool>, std::unique_ptr<tcp::socket>>
      connections_;
};

// The fault of the table as the control port takes it.
Json struck(const sim::Fault& fault) {
  return {{fault.verb == sim::Verb::pause ? "pause" : "crash", fault.target},
          {"at", keys::to_text(*fault.trigger.at - sim::kStart)},
          {"for", keys::to_text(*fault.lasts)}};
}

TEST_P(Replay, TheServersDoOverPortsWhatTheyDoInTheRun) {
  const std::vector<std::string> changes = {GetParam().service};
  const std::string file = std::string("scenarios/") + GetParam().scenario + ".toml";
  scenarios::Document document = scenarios::Document::from_file(file);
  for (const std::string& change : changes) document.set(scenarios::change_from(change));
  scenarios::Scenario scenario = document.scenario(scenarios::shipped_vocabulary());
  if (*GetParam().fault != '\0') {
    scenario = scenarios::parse(file_text(scenario) + "\n[[fault]]\n" + GetParam().fault, file,
                                scenarios::shipped_vocabulary());
  }
  scenarios::Runner runner;
  const scenarios::Run run = runner.run(scenario, scenario.seed, true);

  const Served served(file, changes);
  for (const sim::Fault& fault : scenario.faults) {
    if (served.port(fault.target) != 0) served.ask("POST", "/faults", struck(fault));
  }
  sim::Instant now = sim::kStart;
  const auto advance_to = [&](sim::Instant at) {
    if (at > now) served.ask("POST", "/advance", {{"by", keys::to_text(at - now)}});
    now = std::max(now, at);
  };
  const std::vector<Sent> all = sent_in(run, served);
  ASSERT_GT(all.size(), 3U);
  for (const Sent& one : all) {
    advance_to(one.at);
    send(served, one, run.processes[one.server]);
  }
  advance_to(run.ended);
  for (const Json& fault : served.ask("GET", "/faults")) EXPECT_FALSE(fault.at("struck").is_null());
  const std::vector<Change> expected = changes_in(run, served);
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(changes_of(served.ask("GET", "/history"), run.keys), expected);
}

constexpr const char* kRedis = "servers.redis.service=0s";
constexpr const char* kZooKeeper = "servers.zookeeper.service=0s";
constexpr const char* kMySql = "servers.mysql.service=0s";
constexpr const char* kCrash = "crash = \"redis-1\"\nat = \"6s\"\nfor = \"500ms\"";

INSTANTIATE_TEST_SUITE_P(
    Scenarios, Replay,
    testing::Values(Case{"BlindDelete", "redis/ttl-expiry-blind-delete", kRedis},
                    Case{"CheckDelete", "plain/lua-check-delete", kRedis},
                    Case{"Redisson", "plain/redisson-lock", kRedis},
                    Case{"Redlock", "plain/redlock", kRedis},
                    Case{"SetnxThenExpire", "redis/setnx-then-expire-crash", kRedis},
                    Case{"GapBeforeDelete", "redis/check-then-delete-gap", kRedis},
                    Case{"LostMessage", "redisson/pubsub-message-lost", kRedis},
                    Case{"PauseInRedlock", "redlock/redlock-pause-before-elapsed-check", kRedis},
                    Case{"NeverUnlocks", "redisson/holder-never-unlocks", kRedis},
                    Case{"RedisCrashes", "plain/lua-check-delete", kRedis, as_they_are, false,
                         kCrash},
                    Case{"ZooKeeper", "plain/zk-sequential", kZooKeeper, behind_its_length},
                    Case{"Curator", "plain/curator-mutex", kZooKeeper, behind_its_length},
                    Case{"ExpiredSession", "zookeeper/zk-session-expiry-during-pause", kZooKeeper,
                         behind_its_length},
                    Case{"FollowerCrashes", "plain/zk-sequential", kZooKeeper, behind_its_length,
                         false, "crash = \"zookeeper-3\"\nat = \"6s\"\nfor = \"500ms\""},
                    Case{"GetLock", "plain/mysql-get-lock", kMySql, as_query, true},
                    Case{"RowLock", "plain/mysql-row-lock", kMySql, as_query, true},
                    Case{"InsertLock", "plain/mysql-insert-lock", kMySql, as_query, true},
                    Case{"MySqlCrashes", "plain/mysql-insert-lock", kMySql, as_query, true,
                         "crash = \"mysql-1\"\nat = \"6s\"\nfor = \"500ms\""}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace picklock::cli
