// `picklock serve` with an ensemble of ZooKeeper, and clients outside that speak its protocol.
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conform/server_process.h"
#include "conform/socket.h"
#include "conform/zookeeper/real_line.h"
#include "models/zookeeper/socket_wire.h"
#include "models/zookeeper/wire.h"
#include "testing/program.h"

namespace picklock::cli {
namespace {

using conform::zookeeper::RealSocket;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using zookeeper::Code;
using zookeeper::ConnectRequest;
using zookeeper::ConnectResponse;
using zookeeper::Event;
using zookeeper::EventType;
using zookeeper::OpCode;
using zookeeper::Request;

constexpr int kPatience = 20'000;  // milliseconds, for an answer
constexpr std::int32_t kEphemeral = 1;
constexpr std::int32_t kSequential = 3;  // and ephemeral
const std::string kNoPassword(zookeeper::kPasswordSize, '\0');

template <typename Record>
std::string bytes_of(const Record& record) {
  sim::Payload out;
  write(record, out);
  return std::string(out.view());
}

struct Session {
  std::int64_t id = 0;
  std::string password = kNoPassword;
  std::int32_t timeout = 0;
};

// A connection to one server.
class Visit {
 public:
  explicit Visit(const conform::Address& server) { socket_.dial(server); }

  // Session 0: the server has closed the connection, or knows no such session.
  Session connect(const Session& session = {}, std::int32_t timeout = 40'000, bool old = false) {
    socket_.send(bytes_of(ConnectRequest{
        .timeout = timeout, .session = session.id, .password = session.password, .old = old}));
    ConnectResponse response;
    if (!receive() || !read(bytes_, response)) return {};
    EXPECT_EQ(response.old, old);
    return {response.session, std::string(response.password), response.timeout};
  }

  // The views of the answer are good until the next message.
  zookeeper::Reply ask(Request request) {
    if (request.xid == 0) request.xid = ++xids_;
    socket_.send(bytes_of(request));
    zookeeper::Reply reply{.op = request.op};
    if (!receive() || !read(bytes_, reply))
      return {.op = request.op, .code = Code::connection_loss};
    EXPECT_EQ(reply.xid, request.xid);
    return reply;
  }
  Code create(std::string_view path, std::int32_t flags = 0) {
    return ask({.op = OpCode::create, .path = path, .data = "", .flags = flags}).code;
  }
  Code watch(std::string_view path) {
    return ask({.op = OpCode::exists, .path = path, .watch = true}).code;
  }

  std::string event() {
    Event event;
    if (!receive() || !read(bytes_, event)) return "none";
    return std::to_string(static_cast<int>(event.type)) + " " + std::string(event.path);
  }
  static std::string event_of(EventType type, std::string_view path) {
    return std::to_string(static_cast<int>(type)) + " " + std::string(path);
  }

  // Nothing more comes.
  bool ends() { return !socket_.receive(bytes_, kPatience) && !socket_.open(); }
  void hang_up() { socket_.hang_up(); }

 private:
  bool receive() { return socket_.receive(bytes_, kPatience); }

  RealSocket socket_;
  std::string bytes_;
  std::int32_t xids_ = 0;
};

class ServedEnsemble : public Program {
 protected:
  void serve(const std::vector<std::string>& arguments = {"--zookeeper", "servers=3"}) {
    std::vector<std::string> command = {PICKLOCK_PROGRAM, "serve", "--manual", "--json"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    process_.start(command, path("ports"));
    while (!process_.ended() && read("ports").find('\n') == std::string::npos) usleep(1'000);
    ports_ = Json::parse(read("ports"));
  }

  conform::Address server(std::size_t number) const {
    return {"127.0.0.1", ports_.at("servers").at(number - 1).at("port")};
  }
  Json ctl(const std::string& words) const {
    const Ran ran = picklock("ctl --port " + ports_.at("control").dump() + " " + words);
    EXPECT_EQ(ran.status, 0) << words << ran.err;
    return Json::parse(ran.out);
  }
  // "/lock: entry removed by 1 of 2".
  std::vector<std::string> entries() const {
    std::vector<std::string> all;
    for (const Json& one : ctl("history")) {
      if (!one.contains("key")) continue;
      all.push_back(one.at("key").get<std::string>() + ": " + one.at("what").get<std::string>() +
                    " by " + one.at("connection").dump() + " of " + one.at("owner").dump());
    }
    return all;
  }
  // The answer to these bytes up to the end of the connection; nullopt: the server does not end it.
  std::optional<std::string> answer_to(const std::string& bytes) const {
    conform::Socket socket(server(1));
    socket.send(bytes);
    for (int waited = 0; waited < kPatience; waited += conform::Socket::kSoonMs) {
      if (!socket.soon() && socket.ended()) return socket.received();
    }
    return std::nullopt;
  }

 private:
  conform::ServerProcess process_;
  Json ports_;
};

TEST_F(ServedEnsemble, AClientCreatesAndWatchesAndClosesItsSession) {
  serve();
  Visit first(server(1));
  Visit second(server(2));
  EXPECT_EQ(first.connect({}, 10'000).timeout, 10'000);
  EXPECT_NE(second.connect().id, 0);
  EXPECT_EQ(second.watch("/lock"), Code::no_node);
  EXPECT_EQ(first.create("/lock", kEphemeral), Code::ok);
  EXPECT_EQ(second.event(), Visit::event_of(EventType::created, "/lock"));
  EXPECT_EQ(first.ask({.op = OpCode::get_data, .path = "/lock"}).data, "");
  EXPECT_EQ(second.watch("/lock"), Code::ok);
  EXPECT_EQ(first.ask({.op = OpCode::close_session}).code, Code::ok);
  EXPECT_TRUE(first.ends());
  EXPECT_EQ(second.event(), Visit::event_of(EventType::deleted, "/lock"));
  EXPECT_THAT(entries(),
              ElementsAre("/lock: entry created by 1 of 0", "/lock: entry removed by 1 of 1"));
}

TEST_F(ServedEnsemble, FourLettersAreAnsweredWithText) {  // Z68
  serve();
  Visit client(server(1));
  client.connect();
  client.create("/lock", kEphemeral);
  client.watch("/lock");
  EXPECT_EQ(answer_to("ruok"), "imok");
  EXPECT_THAT(answer_to("srvr\n").value_or(""),
              AllOf(HasSubstr("Connections: 2\n"), HasSubstr("Mode: leader\nNode count: 6\n")));
  EXPECT_THAT(answer_to("mntr").value_or(""), HasSubstr("zk_ephemerals_count\t1\n"));
  EXPECT_EQ(answer_to("wchs"), "1 connections watching 1 paths\nTotal watches:1\n");
  EXPECT_EQ(answer_to("conf"), "conf is not executed because it is not in the whitelist.\n");
  ctl("fault crash=zookeeper-2");
  ctl("fault crash=zookeeper-3");
  ctl("advance 10s");
  EXPECT_EQ(answer_to("ruok"), "imok");
  EXPECT_EQ(answer_to("isro"), "null");
  EXPECT_EQ(answer_to("stat"), "This ZooKeeper instance is not currently serving requests\n");
}

TEST_F(ServedEnsemble, ASessionGoesOnAtAnotherServerWhenItsServerHasCrashed) {
  serve();
  Visit before(server(2));
  const Session session = before.connect();
  EXPECT_EQ(before.create("/lock", kEphemeral), Code::ok);
  ctl("fault crash=zookeeper-2");
  EXPECT_TRUE(before.ends());
  Visit after(server(3));
  EXPECT_EQ(after.connect(session).id, session.id);
  EXPECT_EQ(after.ask({.op = OpCode::exists, .path = "/lock"}).stat.ephemeral_owner, session.id);
  Visit down(server(2));
  EXPECT_EQ(down.connect().id, 0);
}

TEST_F(ServedEnsemble, ALockSurvivesTheCrashOfTheLeader) {
  serve();
  Visit before(server(3));
  const Session session = before.connect();
  EXPECT_EQ(before.create("/lock", kEphemeral), Code::ok);
  ctl("fault crash=zookeeper-1");
  EXPECT_TRUE(before.ends());
  Visit between(server(3));
  EXPECT_EQ(between.connect(session).id, 0) << "there is no leader yet";
  ctl("advance 5s");
  Visit after(server(3));
  EXPECT_EQ(after.connect(session).id, session.id);
  EXPECT_EQ(after.create("/lock", kEphemeral), Code::node_exists);
  EXPECT_THAT(entries(), ElementsAre("/lock: entry created by 1 of 0"));
}

TEST_F(ServedEnsemble, ASessionExpiresOnceTimeHasPassed) {
  serve();
  Visit gone(server(2));
  Visit other(server(3));
  const Session session = gone.connect({}, 4'000);
  other.connect();
  EXPECT_EQ(gone.create("/lock", kEphemeral), Code::ok);
  EXPECT_EQ(other.watch("/lock"), Code::ok);
  gone.hang_up();
  ctl("advance 7s");
  EXPECT_EQ(other.event(), Visit::event_of(EventType::deleted, "/lock"));
  Visit late(server(2));
  EXPECT_EQ(late.connect(session, 4'000).timeout, 0);
  EXPECT_TRUE(late.ends());
  EXPECT_THAT(entries(),
              ElementsAre("/lock: entry created by 1 of 0", "/lock: entry removed by 0 of 1"));
}

TEST_F(ServedEnsemble, TheFirstInAQueueOwnsTheEntry) {
  serve({"--zookeeper", "servers=1"});
  Visit first(server(1));
  Visit second(server(1));
  first.connect();
  second.connect();
  EXPECT_EQ(first.create("/queue"), Code::ok);
  EXPECT_EQ(first.create("/queue/a-", kSequential), Code::ok);
  EXPECT_EQ(second.create("/queue/b-", kSequential), Code::ok);
  EXPECT_EQ(second.ask({.op = OpCode::remove, .path = "/queue/a-0000000000"}).code, Code::ok);
  EXPECT_EQ(second.ask({.op = OpCode::remove, .path = "/queue/b-0000000001"}).code, Code::ok);
  EXPECT_THAT(entries(),
              ElementsAre("/queue: entry created by 1 of 0", "/queue: entry removed by 2 of 1",
                          "/queue: entry created by 2 of 0", "/queue: entry removed by 2 of 2"));
}

TEST_F(ServedEnsemble, AScenarioOnZooKeeperIsServed) {
  serve({"plain/zk-sequential", "--set", "servers.zookeeper.servers=1"});
  Visit visit(server(1));
  ctl("fault pause=zookeeper-1 for=1s");
  ctl("advance 2s");
  visit.hang_up();
  EXPECT_THAT(entries(), IsEmpty());
  EXPECT_EQ(ctl("status").at("servers").size(), 1u);
}

TEST_F(ServedEnsemble, BytesThatAreNoRecordEndTheConnection) {
  serve({"--zookeeper", "servers=1"});
  const std::string record(45, 'x');
  EXPECT_EQ(answer_to("GET / HTTP/1.1\r\n\r\n"), "");
  EXPECT_EQ(answer_to("abcd"), "");
  EXPECT_EQ(answer_to(std::string("\xff\xff\xff\xff\0\0\0\x0b", 8)), "");
  EXPECT_EQ(answer_to(std::string("\0\x10\0\0", 4)), "") << "one byte more than jute.maxbuffer";
  EXPECT_EQ(answer_to(std::string("\0\0\0\0", 4)), "");
  EXPECT_EQ(answer_to(std::string("\0\0\0\x2d", 4) + record), "");
  Visit visit(server(1));
  visit.connect();
  EXPECT_EQ(visit.ask({.xid = -1, .op = OpCode::create, .path = std::string(0x100000, 'x')}).code,
            Code::connection_loss);
  EXPECT_TRUE(visit.ends());
}

TEST_F(ServedEnsemble, RequestsThatTheModelLeavesOutAreRefusedOnAConnectionThatGoesOn) {
  serve({"--zookeeper", "servers=1"});
  Visit visit(server(1));
  visit.connect();
  const auto left_out = [](std::int32_t op) { return Request{.op = static_cast<OpCode>(op)}; };
  for (const std::int32_t op : {6, 7, 21, 103, 105, 106})
    EXPECT_EQ(visit.ask(left_out(op)).code, Code::unimplemented) << op;
  EXPECT_EQ(visit.watch("/lock"), Code::no_node);
  EXPECT_EQ(visit.ask(left_out(77)).code, Code::unimplemented) << "no server knows this one";
  EXPECT_TRUE(visit.ends());
}

TEST_F(ServedEnsemble, AnyoneMayAuthenticate) {
  serve({"--zookeeper", "servers=1"});
  Visit visit(server(1));
  visit.connect();
  const auto as = [](std::string_view scheme) {
    return Request{.xid = -4, .op = OpCode::auth, .path = scheme, .data = "me:secret"};
  };
  EXPECT_EQ(visit.ask(as("digest")).code, Code::ok);
  EXPECT_EQ(visit.watch("/lock"), Code::no_node);
  EXPECT_EQ(visit.ask(as("sasl")).code, Code::auth_failed);
  EXPECT_TRUE(visit.ends());
}

TEST_F(ServedEnsemble, AClientLooksForAWatchBeforeItRemovesIt) {
  serve({"--zookeeper", "servers=1"});
  Visit visit(server(1));
  visit.connect();
  const Request check{.op = OpCode::check_watches, .path = "/lock", .flags = 3};
  EXPECT_EQ(visit.ask(check).code, Code::no_watcher);
  visit.watch("/lock");
  EXPECT_EQ(visit.ask(check).code, Code::ok);
  EXPECT_EQ(visit.ask({.op = OpCode::check_watches, .path = "/lock", .flags = 1}).code,
            Code::no_watcher);
}

TEST_F(ServedEnsemble, RequestsThatComeWithTheFirstAreAnsweredAfterIt) {
  serve();
  conform::Socket socket(server(2));
  zookeeper::SocketWire wire;
  std::string sent;
  wire.put(bytes_of(ConnectRequest{.timeout = 4'000, .password = kNoPassword}), sent);
  wire.put(bytes_of(Request{.xid = 1, .op = OpCode::exists, .path = "/lock"}), sent);
  wire.put(bytes_of(Request{.xid = 2, .op = OpCode::close_session}), sent);
  socket.send(sent);
  for (int waited = 0; !socket.ended() && waited < kPatience; waited += conform::Socket::kSoonMs)
    socket.soon();
  std::string_view received = socket.received();
  std::vector<std::size_t> sizes;
  sim::Payload message;
  while (wire.cut(received, message) == servers::Cut::request) {
    sizes.push_back(message.size());
    message.clear();
  }
  EXPECT_THAT(sizes, ElementsAre(37, 16, 16)) << "the session, NoNode, and the end";
}

TEST_F(ServedEnsemble, AClientThatKnowsNoReadOnlyServersIsToldOfNone) {
  serve({"--zookeeper", "servers=1"});
  Visit visit(server(1));
  EXPECT_NE(visit.connect({}, 4'000, true).id, 0);
}

TEST_F(ServedEnsemble, AllClientsAreOneMachineToTheLimitOfConnections) {
  serve({"--zookeeper", "servers=1,max_connections=2"});
  Visit first(server(1));
  Visit second(server(1));
  Visit third(server(1));
  EXPECT_NE(first.connect().id, 0);
  EXPECT_NE(second.connect().id, 0);
  EXPECT_EQ(third.connect().id, 0);
}

TEST_F(ServedEnsemble, KeysAndKindsThatCannotBeAreRefused) {
  expect_refused("serve --zookeeper server=3", "did you mean `servers.zookeeper.servers`?");
  expect_refused("serve --zookeeper servers=10",
                 "key `servers` of --zookeeper: must be from 1 to 9");
  expect_refused("serve --redis masters=1 --zookeeper servers=3",
                 "give --redis or --zookeeper, not both");
  expect_refused("serve plain/zk-sequential --zookeeper servers=3",
                 "give SCENARIO or --zookeeper, not both");
}

}  // namespace
}  // namespace picklock::cli
