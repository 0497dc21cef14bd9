// The requests of a run, sent again over ports at the same times: the servers do the same, event by
// event.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "keys/duration_text.h"
#include "scenarios/document.h"
#include "scenarios/runner.h"
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

std::vector<Change> changes_of(const Json& history) {
  std::vector<Change> all;
  for (const Json& event : history) {
    if (!event.contains("key")) continue;
    all.emplace_back(static_cast<std::int64_t>(event.at("seconds").get<double>() * 1e6 + 0.5),
                     event.at("what"), event.at("process"), event.at("key"), event.at("cause"));
  }
  return all;
}

class Replay : public testing::TestWithParam<const char*> {
 protected:
  void send(const Served& served, const Sent& one, const std::string& server) {
    // A connection with subscriptions takes no other commands.
    const bool subscribes = one.bytes.find("SUBSCRIBE") != std::string::npos;
    auto& connection = connections_[{one.client, one.server, subscribes}];
    if (connection == nullptr) {
      connection = std::make_unique<tcp::socket>(io_);
      connection->connect({boost::asio::ip::address_v4::loopback(), served.port(server)});
    }
    boost::asio::write(*connection, boost::asio::buffer(one.bytes));
    std::array<char, 4096> answer{};
    if (one.answered) connection->read_some(boost::asio::buffer(answer));
  }

 private:
  boost::asio::io_context io_;
  std::map<std::tuple<sim::ProcessId, sim::ProcessId, bool>, std::unique_ptr<tcp::socket>>
      connections_;
};

TEST_P(Replay, TheServersDoOverPortsWhatTheyDoInTheRun) {
  // Over a port an answer comes at once, or when time is advanced: here, at once.
  const std::vector<std::string> changes = {"servers.redis.service=0s"};
  const std::string file = std::string("scenarios/") + GetParam() + ".toml";
  scenarios::Document document = scenarios::Document::from_file(file);
  for (const std::string& change : changes) document.set(scenarios::change_from(change));
  const scenarios::Scenario scenario = document.scenario(scenarios::shipped_vocabulary());
  scenarios::Runner runner;
  const scenarios::Run run = runner.run(scenario, scenario.seed, true);

  const Served served(file, changes);
  for (const sim::Fault& fault : scenario.faults) ASSERT_EQ(served.port(fault.target), 0);
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
  const std::vector<Change> expected = changes_in(run, served);
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(changes_of(served.ask("GET", "/history")), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Scenarios, Replay,
    testing::Values("redis/ttl-expiry-blind-delete", "plain/lua-check-delete",
                    "plain/redisson-lock", "plain/redlock", "redis/setnx-then-expire-crash",
                    "redis/check-then-delete-gap", "redisson/pubsub-message-lost",
                    "redlock/redlock-pause-before-elapsed-check", "redisson/holder-never-unlocks"),
    [](const auto& one) {
      std::string name = one.param;
      for (char& c : name) c = c == '/' || c == '-' ? '_' : c;
      return name;
    });

}  // namespace
}  // namespace picklock::cli
