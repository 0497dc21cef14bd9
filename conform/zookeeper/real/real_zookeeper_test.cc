#include "conform/zookeeper/real/real_zookeeper.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/zookeeper/wire.h"
#include "testing/conform/real_zookeeper_world.h"

namespace picklock::conform::zookeeper::real::real_zookeeper_tests {
namespace {

using namespace std::chrono_literals;

// A longer wait means that the awaited event never comes.
constexpr Duration kLong = 100s;

bool await(picklock::Client& self, const std::function<bool()>& condition) {
  for (const Duration begun = self.monotonic_now(); !condition(); self.sleep(1ms)) {
    if (self.monotonic_now() - begun > kLong) return false;
  }
  return true;
}

// A path that no earlier test has used.
std::string fresh_path() {
  static int used = 0;
  return "/real-zookeeper-" + std::to_string(++used);
}

TEST(RealZooKeeper, AnswersEachThreadItsOwnOverOneConnection) {
  RealWorld world(1);
  const std::string path = fresh_path();
  std::vector<std::optional<std::string>> answers(20);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    world.client(1, [&, i](RealWorld&, picklock::Client& self) {
      const std::string own = path + "-" + std::to_string(i);
      self.connection<picklock::zookeeper::Client>().create(own, std::to_string(i),
                                                            CreateMode::ephemeral);
      answers[i] = self.connection<picklock::zookeeper::Client>().get_data(own).data;
    });
  }
  world.run();
  for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i], std::to_string(i));
  EXPECT_THAT(world.onlooker.ephemerals(path + "-7"), testing::ElementsAre(path + "-7"));
}

TEST(RealZooKeeper, CarriesAnswersThatComeInManyPieces) {
  RealWorld world(1);
  const std::string path = fresh_path();
  const std::string large(900'000, 'x');
  std::optional<std::string> data;
  world.client(1, [&](RealWorld&, picklock::Client& self) {
    self.connection<picklock::zookeeper::Client>().create(path, large, CreateMode::ephemeral);
    data = self.connection<picklock::zookeeper::Client>().get_data(path).data;
  });
  world.run();
  EXPECT_TRUE(data == large);
}

// Z33: also before the answer to its own write.
TEST(RealZooKeeper, TellsAWatcherBeforeItAnswersWhatShowsTheChange) {
  RealWorld world(1);
  const std::string path = fresh_path();
  EventType told{};
  bool told_first = false;
  world.client(1, [&](RealWorld&, picklock::Client& self) {
    self.connection<picklock::zookeeper::Client>().create(path, "", CreateMode::ephemeral);
    self.connection<picklock::zookeeper::Client>().exists(
        path, [&](const Told& event) { told = event.type; });
    self.connection<picklock::zookeeper::Client>().remove(path);
    told_first = told == EventType::deleted;
  });
  world.run();
  EXPECT_TRUE(told_first);
}

TEST(RealZooKeeper, NegotiatesHowLongASessionLives) {  // Z1
  RealWorld world(1, {.ttl = 100ms});
  Duration timeout{};
  world.client(1, [&](RealWorld&, picklock::Client& self) {
    self.connection<picklock::zookeeper::Client>().exists("/");
    timeout = self.connection<picklock::zookeeper::Client>().session_timeout();
  });
  world.run();
  EXPECT_EQ(timeout, 400ms);
}

// A machine that is too busy loses a session too; then the test is repeated.
TEST(RealZooKeeper, KeepsTheSessionOfAClientThatPings) {
  constexpr Duration kSession = 1s;
  bool kept = false;
  for (int attempt = 0; attempt < 5 && !kept; ++attempt) {
    RealWorld world(1, {.ttl = kSession});
    world.client(1, [&](RealWorld&, picklock::Client& self) {
      kept = self.connection<picklock::zookeeper::Client>().exists("/").ok();
      self.connection<picklock::zookeeper::Client>().listen([&](State) { kept = false; });
      self.sleep(2 * kSession);
    });
    world.run();
  }
  EXPECT_TRUE(kept);
}

// The request is larger than a server accepts, so it closes the connection. The client learns what
// has happened meanwhile once it is connected again; the new connection knows only the watches that
// the client reports (Z34).
TEST(RealZooKeeper, KeepsSessionAndWatchesOfAClientWhoseConnectionItCloses) {
  RealWorld world(2);
  const std::string path = fresh_path();
  const std::string watched = fresh_path();
  Answer refused{.code = Code::ok};
  std::vector<SessionId> sessions;
  Answer there;
  std::vector<EventType> told;
  bool away = false;
  bool removed = false;
  world.client(1, [&](RealWorld&, picklock::Client& self) {
    picklock::zookeeper::Client& zookeeper = self.connection<picklock::zookeeper::Client>();
    zookeeper.create(path, "", CreateMode::ephemeral);
    zookeeper.create(watched, "", CreateMode::persistent);
    zookeeper.get_data(watched, [&](const Told& event) {
      if (event.type != EventType::none) told.push_back(event.type);
    });
    sessions.push_back(zookeeper.session());
    zookeeper.listen([&](State state) { away = away || state == State::suspended; });
    refused = zookeeper.set_data(path, std::string(2'000'000, 'x'));
    await(self, [&] { return removed && !told.empty(); });
    there = zookeeper.exists(path);
    sessions.push_back(zookeeper.session());
  });
  world.client(2, [&](RealWorld&, picklock::Client& self) {
    self.connection<picklock::zookeeper::Client>().exists("/");
    await(self, [&] { return away; });
    removed = self.connection<picklock::zookeeper::Client>().remove(watched).ok();
  });
  world.run();
  EXPECT_TRUE(refused.unknown());
  EXPECT_TRUE(away);
  EXPECT_TRUE(removed);
  EXPECT_THAT(told, testing::ElementsAre(EventType::deleted));
  EXPECT_EQ(sessions[0], sessions[1]);
  EXPECT_EQ(there.stat.ephemeral_owner, sessions[0]);
}

TEST(RealZooKeeper, CannotBeReachedWhereNobodyListens) {
  RealWorld world({{.ttl = RealWorld::kLongSession}}, {"127.0.0.1", 1});
  Answer answer{.code = Code::ok};
  world.client(1, [&](RealWorld&, picklock::Client& self) {
    answer = self.connection<picklock::zookeeper::Client>().exists("/");
  });
  world.run();
  EXPECT_TRUE(answer.unknown());
}

TEST(RealZooKeeper, NeedsANumericAddress) {
  history::RecordedSimulation simulation;
  simulation.reset(1);
  sim::Process& process = simulation.scheduler.processes().add("zookeeper-1");
  EXPECT_THROW(RealZooKeeper(simulation, process, {"localhost", 2181}), std::invalid_argument);
}

// Listens like a server, and sends what a test tells it to.
class Impostor {
 public:
  Impostor() : listens_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof where;
    if (bind(listens_, reinterpret_cast<sockaddr*>(&where), size) != 0 ||
        listen(listens_, 8) != 0 ||
        getsockname(listens_, reinterpret_cast<sockaddr*>(&where), &size) != 0)
      throw std::runtime_error("nobody can listen here");
    address_ = {"127.0.0.1", ntohs(where.sin_port)};
  }
  Impostor(const Impostor&) = delete;
  Impostor& operator=(const Impostor&) = delete;
  ~Impostor() {
    if (talks_ >= 0) close(talks_);
    close(listens_);
  }

  const Address& address() const { return address_; }

  // Whether a client has connected.
  bool accepts() {
    if (talks_ < 0) talks_ = accept(listens_, nullptr, nullptr);
    return talks_ >= 0;
  }
  // Whether so many requests have come in all.
  bool has_heard(std::size_t requests) {
    char some[4096];
    const ssize_t size = recv(talks_, some, sizeof some, MSG_DONTWAIT);
    if (size > 0) heard_.append(some, static_cast<std::size_t>(size));
    std::size_t count = 0;
    for (std::size_t at = 0; at + 4 <= heard_.size(); ++count) {
      at += 4 + static_cast<std::size_t>(xid_of(std::string_view(heard_).substr(at)));
      if (at > heard_.size()) break;
    }
    return count >= requests;
  }
  void say(std::string_view bytes) {
    ASSERT_EQ(send(talks_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

  template <typename Record>
  static std::string framed(const Record& record) {
    sim::Payload payload;
    write(record, payload);
    const auto size = static_cast<std::uint32_t>(payload.size());
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift);
    return bytes + std::string(payload.view());
  }

 private:
  int listens_;
  int talks_ = -1;
  Address address_;
  std::string heard_;
};

// The outcome of a client's first request, if it receives these bytes once connected.
Answer told(const std::string& bytes, bool in_pieces = false) {
  Impostor impostor;
  RealWorld world({{.ttl = RealWorld::kLongSession}}, impostor.address());
  Answer answer{.code = Code::ok};
  const std::string password(kPasswordSize, 'p');
  world.client(1, [&](RealWorld&, picklock::Client& self) {
    self.spawn([&](picklock::Client& server) {
      await(server, [&] { return impostor.accepts() && impostor.has_heard(1); });
      impostor.say(Impostor::framed(
          ConnectResponse{.timeout = 600'000, .session = 7, .password = password}));
      await(server, [&] { return impostor.has_heard(2); });
      if (!in_pieces) impostor.say(bytes);
      for (std::size_t i = 0; in_pieces && i < bytes.size(); ++i) {
        impostor.say(bytes.substr(i, 1));
        server.sleep(1ms);
      }
    });
    answer = self.connection<picklock::zookeeper::Client>().exists("/");
  });
  world.run();
  return answer;
}

TEST(RealZooKeeper, IsUnderstoodInPieces) {
  const Reply reply{.op = OpCode::exists, .xid = 1, .zxid = 5, .stat = {.czxid = 42}};
  const Answer answer = told(Impostor::framed(reply), true);
  EXPECT_TRUE(answer.ok());
  EXPECT_EQ(answer.stat.czxid, 42);
}

TEST(RealZooKeeper, IsLeftWhenItAnswersWhatNobodyHasAsked) {
  EXPECT_TRUE(told(Impostor::framed(Reply{.op = OpCode::exists, .xid = 2})).unknown());
}

TEST(RealZooKeeper, IsLeftWhenItTalksNonsense) {
  EXPECT_TRUE(told("HTTP/1.1 400 Bad Request\r\n\r\n").unknown());
}

}  // namespace
}  // namespace picklock::conform::zookeeper::real::real_zookeeper_tests
