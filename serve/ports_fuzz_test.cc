// The servers survive any bytes that come to their ports, and serve a client that behaves
// afterwards.
// PICKLOCK_FUZZ_INPUTS: how many connections write bytes that were changed by chance (400).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "outside/stream.h"
#include "scenarios/document.h"
#include "scenarios/shipped.h"
#include "serve/deployment.h"
#include "sim/random.h"
#include "testing/mutation.h"

namespace picklock::serve {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using fuzz::big_endian;
using fuzz::Mutation;

using Texts = std::vector<std::string>;

struct Port {
  std::string name;
  std::string servers;  // of a scenario file
  std::string first;    // what every client sends first; empty: nothing
  Texts requests;
  std::string healthy;  // a request
  std::string answer;   // to it, somewhere in what comes
  bool resource = false;
};

std::string little_endian(std::uint64_t number, int bytes) {
  const std::string out = big_endian(number, bytes);
  return {out.rbegin(), out.rend()};
}

std::string resp(std::initializer_list<std::string_view> words) {
  std::string out = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string_view word : words)
    out += "$" + std::to_string(word.size()) + "\r\n" + std::string(word) + "\r\n";
  return out;
}

Port redis() {
  return {.name = "Redis",
          .servers =
              "lock.algorithm = \"redis-program\"\n"
              "servers.redis = {masters = 1, replicas = 1, sentinels = 3}\n",
          .first = "",
          .requests = {resp({"SET", "lock:1", "a", "NX", "PX", "10000"}),
                       resp({"GET", "lock:1"}),
                       resp({"DEL", "lock:1"}),
                       resp({"EVAL", "return redis.call('get', KEYS[1])", "1", "lock:1"}),
                       resp({"EVALSHA", "ffffffffffffffffffffffffffffffffffffffff", "0"}),
                       resp({"SCRIPT", "LOAD", "return {1, 2, ARGV[1]}"}),
                       resp({"HSET", "h", "field", "1", "other", "2"}),
                       resp({"HINCRBYFLOAT", "h", "field", "0.5"}),
                       resp({"LPUSH", "l", "a", "b"}),
                       resp({"BLPOP", "l", "0.1"}),
                       resp({"SUBSCRIBE", "channel"}),
                       resp({"PUBLISH", "channel", "word"}),
                       resp({"MULTI"}),
                       resp({"EXEC"}),
                       resp({"WATCH", "lock:1"}),
                       resp({"HELLO", "3"}),
                       resp({"HELLO", "2", "SETNAME", "me"}),
                       resp({"CLIENT", "SETNAME", "me"}),
                       resp({"CLIENT", "LIST"}),
                       resp({"SCAN", "0", "MATCH", "*", "COUNT", "10"}),
                       resp({"SORT", "l", "ALPHA", "LIMIT", "0", "1"}),
                       resp({"ZADD", "z", "1.5", "member", "-inf", "other"}),
                       resp({"ZRANGEBYSCORE", "z", "-inf", "(3"}),
                       resp({"SETBIT", "bits", "7", "1"}),
                       resp({"WAIT", "1", "10"}),
                       resp({"INFO", "replication"}),
                       resp({"CONFIG", "GET", "*"}),
                       resp({"SENTINEL", "get-master-addr-by-name", "mymaster"}),
                       resp({"MONITOR"}),
                       "SET inline value\r\n",
                       "PING\r\n"},
          .healthy = resp({"PING"}),
          .answer = "+PONG\r\n"};
}

std::string frame(const std::string& body) { return big_endian(body.size(), 4) + body; }
std::string jute(std::string_view text) { return big_endian(text.size(), 4) + std::string(text); }

Port zookeeper() {
  const auto request = [](std::uint32_t number, std::uint32_t kind, const std::string& body) {
    return frame(big_endian(number, 4) + big_endian(kind, 4) + body);
  };
  const std::string anyone = big_endian(1, 4) + big_endian(31, 4) + jute("world") + jute("anyone");
  const std::string create = jute("/a") + jute("data") + anyone + big_endian(3, 4);
  return {
      .name = "ZooKeeper",
      .servers = "lock.algorithm = \"zookeeper-program\"\nservers.zookeeper.servers = 3\n",
      .first = frame(big_endian(0, 4) + big_endian(0, 8) + big_endian(10'000, 4) +
                     big_endian(0, 8) + jute(std::string(16, '\0')) + "\0"s),
      .requests = {request(1, 1, create), request(2, 15, create),
                   request(3, 2, jute("/a") + big_endian(UINT32_MAX, 4)),
                   request(4, 3, jute("/a") + "\1"), request(5, 4, jute("/") + "\1"),
                   request(6, 5, jute("/a") + jute("more") + big_endian(0, 4)),
                   request(7, 8, jute("/") + "\1"), request(8, 12, jute("/") + "\0"s),
                   request(9, 9, jute("/")), request(UINT32_MAX - 1, 11, ""),
                   request(10, 14,
                           big_endian(1, 4) + "\0"s + big_endian(UINT32_MAX, 4) + create +
                               big_endian(UINT32_MAX, 4) + "\1" + big_endian(UINT32_MAX, 4)),
                   request(UINT32_MAX - 7, 101,
                           big_endian(0, 8) + big_endian(1, 4) + jute("/a") + big_endian(0, 4) +
                               big_endian(0, 4)),
                   request(UINT32_MAX - 3, 100, big_endian(0, 4) + jute("digest") + jute("a:b")),
                   request(11, static_cast<std::uint32_t>(-11), ""), "stat", "mntr"},
      .healthy = "ruok",
      .answer = "imok"};
}

std::string packet(std::uint8_t sequence, const std::string& body) {
  return little_endian(body.size(), 3) + static_cast<char>(sequence) + body;
}

Port mysql() {
  const auto query = [](const std::string& text) { return packet(0, "\3" + text); };
  const std::string login = packet(1, little_endian(0x00'0a'a2'8d, 4) + little_endian(1 << 24, 4) +
                                          "\x2d" + std::string(23, '\0') + "root\0"s + "\0"s +
                                          "test\0"s + "mysql_native_password\0"s);
  return {.name = "MySQL",
          .servers = "lock.algorithm = \"mysql-program\"\nservers.mysql.replicas = 1\n",
          .first = login,
          .requests = {query("SELECT GET_LOCK('a', 1)"), query("SELECT RELEASE_LOCK('a')"),
                       query("SELECT IS_FREE_LOCK('a'), @@wait_timeout"),
                       query("SET autocommit = 0"), query("START TRANSACTION"),
                       query("INSERT INTO locks (name, owner) VALUES ('a', 'me')"),
                       query("SELECT owner FROM locks WHERE name = 'a' FOR UPDATE"),
                       query("UPDATE locks SET owner = 'you' WHERE name = 'a'"),
                       query("DELETE FROM locks WHERE name = 'a'"), query("COMMIT"),
                       query("ROLLBACK"), packet(0, "\x16SELECT GET_LOCK(?, ?)"),
                       packet(0, "\x17" + little_endian(1, 4) + "\0"s + little_endian(1, 4) +
                                     "\0\1"s + "\xfd\0\x08\0"s + "\1a" + little_endian(1, 8)),
                       packet(0, "\x19" + little_endian(1, 4)), packet(0, "\x0e"),
                       packet(0, "\x1f"), packet(0, "\2test"), packet(0, "\1")},
          .healthy = login + query("SELECT GET_LOCK('healthy', 0)"),
          .answer = "healthy"};
}

Port resource() {
  Port port = redis();
  port.name = "TheResource";
  port.resource = true;
  port.requests = {
      "GET /resource/orders HTTP/1.1\r\nHost: a\r\n\r\n",
      "PUT /resource/orders HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
      "Fencing-Token: 7\r\nIf-Match: \"2\"\r\n\r\nnew",
      "DELETE / HTTP/1.0\r\n\r\n",
      "PUT /resource/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nnew\r\n0\r\n\r\n",
      resp({"READ", "orders"}),
      resp({"WRITE", "orders", "value", "TOKEN", "3"}),
      resp({"WRITE", "orders", "value", "IF-VERSION", "1"}),
      "ENTER\r\n",
      "LEAVE\r\n"};
  port.healthy = "GET /resource/orders HTTP/1.1\r\nHost: a\r\n\r\n";
  port.answer = "HTTP/1.1 ";
  return port;
}

class Client final : public outside::Stream {
 public:
  Client(Deployment& deployment, std::size_t server)
      : deployment_(deployment), caller_(deployment.admit()) {
    dial(deployment.simulation(), deployment.clients(), deployment.door(server),
         deployment.open_wire(server), deployment.caller(caller_).connection);
  }

  const std::string& read() const { return in_; }
  void leave() {
    if (is_up()) close();
    forget();
    if (!std::exchange(gone_, true)) deployment_.gone(caller_);
  }

 private:
  sim::Tag sender(const std::optional<std::string>& name) override {
    if (name) caller_ = deployment_.renamed(caller_, *name);
    return caller_;
  }
  void pushed(std::uint32_t message) override { deployment_.pushed(message, caller_); }
  void readable(std::string_view bytes) override {
    if (in_.size() < 4096) in_ += bytes;
  }
  void ended(bool) override {}
  void overrun() override { leave(); }

  Deployment& deployment_;
  sim::Tag caller_ = 0;
  std::string in_;
  bool gone_ = false;
};

class PortsFuzz : public testing::TestWithParam<Port (*)()> {
 protected:
  PortsFuzz()
      : port_(GetParam()()),
        deployment_(scenario_from(port_)),
        server_count_(port_.resource ? 1 : deployment_.size() - 1) {
    std::vector<std::uint16_t> ports;
    for (std::size_t i = 0; i < deployment_.size(); ++i)
      ports.push_back(static_cast<std::uint16_t>(7000 + i));
    deployment_.set_ports(ports);
  }

  static scenarios::Scenario scenario_from(const Port& port) {
    return scenarios::Document("format = 1\nclients.program = [\"outside\"]\n" + port.servers,
                               "fuzz")
        .scenario(scenarios::shipped_vocabulary());
  }

  // In one run, so that they meet in the servers' memory.
  std::string answer_after(std::uint64_t seed, std::uint64_t inputs) {
    deployment_.build({}, false);
    sim::Scheduler& scheduler = deployment_.simulation().scheduler;
    std::deque<Client> clients;
    std::string healthy;
    scheduler.threads().spawn(
        deployment_.clients(),
        [&] {
          for (std::uint64_t i = 0; i < inputs; ++i) {
            sim::Random random(seed + i, 1);
            write(clients.emplace_back(deployment_, server(random)), scheduler, random);
            // Some stay, and read nothing more or wait.
            if (random.below(8) != 0) clients.back().leave();
          }
          Client& one =
              clients.emplace_back(deployment_, port_.resource ? deployment_.size() - 1 : 0);
          one.write(port_.healthy);
          scheduler.sleep(5s);
          healthy = one.read();
          for (Client& client : clients) client.leave();
          scheduler.stop();
        },
        true);
    scheduler.run();
    EXPECT_FALSE(scheduler.out_of_events());
    return healthy;
  }

  const Port& port() const { return port_; }

 private:
  std::size_t server(sim::Random& random) const {
    return port_.resource ? deployment_.size() - 1 : random.below(server_count_);
  }

  void write(Client& client, sim::Scheduler& scheduler, sim::Random& random) {
    Mutation mutated(random);
    std::string bytes;
    if (random.below(10) != 0) bytes = random.below(4) == 0 ? mutated(port_.first) : port_.first;
    for (std::uint64_t left = 1 + random.below(4); left > 0; --left)
      bytes += mutated(port_.requests[random.below(port_.requests.size())]);
    const std::size_t half = random.below(3) == 0 ? random.below(bytes.size() + 1) : bytes.size();
    client.write(std::string_view(bytes).substr(0, half));
    scheduler.sleep(sim::Duration(static_cast<std::int64_t>(random.below(3'000'000))));
    client.write(std::string_view(bytes).substr(half));
    scheduler.sleep(1ms);
  }

  Port port_;
  Deployment deployment_;
  std::size_t server_count_;
};

TEST_P(PortsFuzz, WhateverComesAClientThatBehavesIsServedAfterwards) {
  const std::uint64_t inputs = fuzz::inputs(400);
  constexpr std::uint64_t kOfOneRun = 200;
  for (std::uint64_t seed = 0; seed < inputs; seed += kOfOneRun) {
    ASSERT_THAT(answer_after(seed, kOfOneRun), testing::HasSubstr(port().answer))
        << "after the inputs from " << seed << " on";
  }
}

INSTANTIATE_TEST_SUITE_P(Of, PortsFuzz, testing::Values(redis, zookeeper, mysql, resource),
                         [](const auto& one) { return one.param().name; });

}  // namespace
}  // namespace picklock::serve
