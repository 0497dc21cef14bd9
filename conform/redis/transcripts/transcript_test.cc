// Runs our locks on real servers in the situations in which lock libraries were recorded. They must
// send the same commands as the library, word by word and in the same order, and calls must have
// the same outcomes. kNodeRedlock and kRedisPy are the lists of situations.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "models/locks/catalogue.h"
#include "testing/conform/conducted.h"
#include "testing/conform/monitor.h"

namespace picklock::conform::redis::transcripts {
namespace {

using namespace std::chrono_literals;
using namespace models;
using namespace models::locks;
using real::RealWorld;

// ---------------------------------------------------------------- transcripts

// By situation: the calls and commands, without the library's words for the outcome of a call.
using Sections = std::map<std::string, std::string>;

// Our locks extend by the whole lease; node-redlock was told to extend by half of it.
std::string by_whole_leases(std::string line) {
  constexpr std::string_view kHalf = " 30000";
  const std::size_t at = line.find(kHalf);
  return at == std::string::npos ? line : line.replace(at, kHalf.size(), " 60000");
}

Sections sections_of(std::istream& transcript) {
  Sections sections;
  std::string* section = nullptr;
  for (std::string line; std::getline(transcript, line);) {
    if (line.empty() || line.starts_with("#")) continue;
    if (line.starts_with("[")) {
      section = &sections[line.substr(1, line.size() - 2)];
      continue;
    }
    if (section == nullptr) throw std::runtime_error("a transcript begins with a situation");
    if (line.starts_with("> ")) line = line.substr(0, line.find(" | "));
    *section += by_whole_leases(line) + "\n";
  }
  return sections;
}

// ---------------------------------------------------------------- a client in a situation

// A library, and our lock that models it.
struct Library {
  std::string_view transcript;
  std::string_view algorithm;
  ScriptNames scripts;
};

struct Terms {
  Duration ttl = 60s;
  std::uint32_t tries = 1;
};

class Stage {
 public:
  Stage(picklock::Client& real, Recording& recording, std::string_view algorithm)
      : real_(real), self_(real, conductor_), recording_(recording), algorithm_(algorithm) {}

  // With the library's defaults and a thread that renews; renewed() decides when.
  std::unique_ptr<Lock> lock(const Terms& terms = {}) const {
    const Algorithm& algorithm = *named(algorithm_);
    LockOptions options = as_it_comes(algorithm);
    options.ttl = terms.ttl;
    options.command_timeout = RealWorld::kCommandTimeout;
    options.retry_every = 400ms;
    options.retry_jitter = {};
    options.renew = Renew::conditional;
    if (options.attempts > 0) {
      options.attempts = terms.tries;
    } else {
      // Another attempt would be too late.
      options.acquire_timeout = terms.tries * options.retry_every - 200ms;
    }
    return make_lock(algorithm, options);
  }

  Acquired acquire(Lock& lock) {
    return acquire([&] { return lock.acquire(self_, kKey); });
  }
  Acquired try_acquire(Lock& lock) {
    return acquire([&] { return lock.try_acquire(self_, kKey); });
  }
  void release(Lock& lock, const Acquired& acquired) {
    if (!acquired) return;
    recording_.call("release", [&] {
      return lock.release(self_, acquired.lease()) == Released::ok ? "ok" : "not-held";
    });
  }
  // Lets the renewing thread renew once.
  void renewed(std::string_view verb) {
    while (!conductor_->waits) real_.sleep(1ms);
    recording_.call(verb, [&] {
      conductor_->waits = false;
      conductor_->turn->release();
      while (!conductor_->waits && !conductor_->lost) real_.sleep(1ms);
      return conductor_->lost ? "not-held" : "ok";
    });
  }
  // Nothing is sent, because there is no such thread.
  void not_renewed(std::string_view verb) {
    recording_.call(verb, [&] {
      real_.sleep(10ms);
      return conductor_->waits ? "ok" : "not-held";
    });
  }
  void check_held(Lock& lock, const Acquired& acquired) {
    if (!acquired) return;
    recording_.call("owned", [&] {
      return dynamic_cast<HolderCheck&>(lock).check_held(self_, acquired.lease()) == Held::yes
                 ? "yes"
                 : "no";
    });
  }

  void another(std::size_t server, const Words& words) { recording_.another(server, words); }
  void another_takes(std::size_t server) { another(server, {"SET", kKey, "another"}); }
  void another_deletes(std::size_t server) { another(server, {"DEL", kKey}); }
  // Once the next call has tried twice.
  void another_deletes_after_two_tries(std::vector<std::size_t> servers) {
    conductor_->on_pause = [this, servers = std::move(servers)](int pauses) {
      if (pauses != 2) return;
      for (const std::size_t server : servers) another_deletes(server);
    };
  }
  void next_token(std::string token) { conductor_->next_token = std::move(token); }
  void forget() { recording_.forget(); }
  // On every server, and on the client's clocks.
  void lease_ends(const Lock& lock) {
    while (recording_.exists(kKey)) real_.sleep(5ms);
    conductor_->now += lock.settings().ttl;
  }

 private:
  static constexpr const char* kKey = "lock";

  template <typename Run>
  Acquired acquire(Run&& run) {
    Acquired acquired = std::nullopt;
    recording_.call("acquire", [&] {
      acquired = run();
      return acquired ? "granted" : "refused";
    });
    return acquired;
  }

  picklock::Client& real_;
  std::shared_ptr<Conductor> conductor_ = std::make_shared<Conductor>();
  Conducted self_;
  Recording& recording_;
  std::string_view algorithm_;
};

// ---------------------------------------------------------------- situations

void acquired_and_released(Stage& stage) {
  const auto lock = stage.lock();
  stage.release(*lock, stage.acquire(*lock));
}

void once_more(Stage& stage) {
  acquired_and_released(stage);
  stage.forget();
  acquired_and_released(stage);
  acquired_and_released(stage);
}

void without_a_lease(Stage& stage) {
  const auto lock = stage.lock({.ttl = 0s});
  const Acquired acquired = stage.acquire(*lock);
  for (const char* verb : {"extend", "reacquire"}) stage.not_renewed(verb);
  stage.release(*lock, acquired);
}

void acquired_for_60001_and_a_half(Stage& stage) {
  stage.acquire(*stage.lock({.ttl = 60'001'500us}));
}

void acquired_with_a_given_token(Stage& stage) {
  stage.next_token("a token of ours");
  acquired_and_released(stage);
}

void refused_without_waiting(Stage& stage) {
  stage.another_takes(0);
  stage.try_acquire(*stage.lock());
}

void acquired_at_the_third_try(Stage& stage) {
  stage.another_takes(0);
  const auto lock = stage.lock({.tries = 10});
  stage.another_deletes_after_two_tries({0});
  stage.release(*lock, stage.acquire(*lock));
}

void refused_three_times(Stage& stage) {
  stage.another_takes(0);
  stage.acquire(*stage.lock({.tries = 3}));
}

void acquired_again(Stage& stage) {
  const auto lock = stage.lock();
  const Acquired acquired = stage.acquire(*lock);
  stage.try_acquire(*lock);
  stage.release(*lock, acquired);
}

void over_when_it_is_granted(Stage& stage) { stage.acquire(*stage.lock({.ttl = 2ms})); }

void extended(Stage& stage) {
  const auto lock = stage.lock();
  const Acquired acquired = stage.acquire(*lock);
  stage.renewed("extend");
  stage.release(*lock, acquired);
}

void extended_after_its_lease(Stage& stage) {
  const auto lock = stage.lock({.ttl = 100ms});
  stage.acquire(*lock);
  stage.lease_ends(*lock);
  stage.renewed("extend");
}

void renewed_after_another_has_taken_it(Stage& stage, std::string_view verb) {
  const auto lock = stage.lock();
  stage.acquire(*lock);
  stage.another_takes(0);
  stage.renewed(verb);
}

void extended_after_another_has_taken_it(Stage& stage) {
  renewed_after_another_has_taken_it(stage, "extend");
}

void reacquired(Stage& stage) {
  const auto lock = stage.lock();
  const Acquired acquired = stage.acquire(*lock);
  stage.renewed("reacquire");
  stage.release(*lock, acquired);
}

void reacquired_after_another_has_taken_it(Stage& stage) {
  renewed_after_another_has_taken_it(stage, "reacquire");
}

void released_after_its_lease(Stage& stage) {
  const auto lock = stage.lock({.ttl = 100ms});
  const Acquired acquired = stage.acquire(*lock);
  stage.lease_ends(*lock);
  stage.release(*lock, acquired);
}

void released_after_another_has_taken_it(Stage& stage) {
  const auto lock = stage.lock();
  const Acquired acquired = stage.acquire(*lock);
  stage.another_takes(0);
  stage.release(*lock, acquired);
}

void released_twice(Stage& stage) {
  const auto lock = stage.lock();
  const Acquired acquired = stage.acquire(*lock);
  stage.release(*lock, acquired);
  stage.release(*lock, acquired);
}

void looked_at(Stage& stage) {
  const auto lock = stage.lock();
  const Acquired acquired = stage.acquire(*lock);
  stage.check_held(*lock, acquired);
  stage.another_takes(0);
  stage.check_held(*lock, acquired);
}

void the_second_server_refuses(Stage& stage) {
  stage.another_takes(1);
  acquired_and_released(stage);
}

void the_second_server_refuses_twice(Stage& stage) {
  stage.another_takes(1);
  stage.acquire(*stage.lock({.tries = 2}));
}

void two_servers_refuse_twice(Stage& stage) {
  for (const std::size_t server : {1u, 2u}) stage.another_takes(server);
  stage.acquire(*stage.lock({.tries = 2}));
}

void two_servers_refuse_and_then_grant(Stage& stage) {
  for (const std::size_t server : {1u, 2u}) stage.another_takes(server);
  const auto lock = stage.lock({.tries = 10});
  stage.another_deletes_after_two_tries({1, 2});
  stage.release(*lock, stage.acquire(*lock));
}

void released_where_one_has_lost_it(Stage& stage) {
  const auto lock = stage.lock();
  const Acquired acquired = stage.acquire(*lock);
  stage.another_deletes(1);
  stage.release(*lock, acquired);
}

void released_where_two_have_lost_it(Stage& stage) {
  const auto lock = stage.lock();
  const Acquired acquired = stage.acquire(*lock);
  for (const std::size_t server : {1u, 2u}) stage.another_deletes(server);
  stage.release(*lock, acquired);
}

// A section of a transcript, and how our lock reproduces it, or why it cannot.
struct Situation {
  std::string_view name;
  std::size_t servers = 0;
  void (*play)(Stage& stage) = nullptr;
  std::string_view why_not = {};
};

void PrintTo(const Situation& situation, std::ostream* out) { *out << situation.name; }

const Library kNodeRedlockLibrary{
    .transcript = "node-redlock",
    .algorithm = "node-redlock-v4",
    .scripts = {{"'exists'", "acquire"}, {"'del'", "release"}, {"'set'", "extend"}}};

constexpr Situation kNodeRedlock[] = {
    {"a free lock is acquired and released", 1, acquired_and_released},
    {"once more: the servers know the scripts", 1, once_more},
    {"refused while another holds it, then acquired", 1, acquired_at_the_third_try},
    {"refused for good", 1, refused_three_times},
    {"extended", 1, extended},
    {"extended after its lease", 1, extended_after_its_lease},
    {"extended after another has taken it", 1, extended_after_another_has_taken_it},
    {"released after its lease", 1, released_after_its_lease},
    {"released after another has taken it", 1, released_after_another_has_taken_it},
    {"released twice", 1, released_twice},
    {"a lease that is over when it is granted", 1, over_when_it_is_granted},
    {.name = "two keys at once", .why_not = "a lock of ours is one key"},
    {.name = "two keys at once, and another holds one", .why_not = "a lock of ours is one key"},
    {"three servers: acquired, extended and released", 3, extended},
    {"three servers: a majority grants", 3, the_second_server_refuses},
    {"three servers: a minority grants, for good", 3, two_servers_refuse_twice},
    {"three servers: a minority grants, then all", 3, two_servers_refuse_and_then_grant},
    {"three servers: released after a minority has lost it", 3, released_where_one_has_lost_it},
    {"three servers: released after a majority has lost it", 3, released_where_two_have_lost_it},
    {"two servers: one does not grant", 2, the_second_server_refuses_twice},
};

const Library kRedisPyLibrary{.transcript = "redis-py",
                              .algorithm = "redis-py-lock",
                              .scripts = {{"'del'", "release"}, {"'pexpire'", "reacquire"}}};

constexpr std::string_view kRenewsOtherwise = "ours is renewed as `reacquire` does it";

constexpr Situation kRedisPy[] = {
    {"a free lock is acquired and released", 1, acquired_and_released},
    {"once more: the server knows the script", 1, once_more},
    {"without a timeout", 1, without_a_lease},
    {"a timeout that is no whole number of milliseconds", 1, acquired_for_60001_and_a_half},
    {"a token that is given", 1, acquired_with_a_given_token},
    {"refused without waiting", 1, refused_without_waiting},
    {"refused while another holds it, then acquired", 1, acquired_at_the_third_try},
    {"refused for good", 1, refused_three_times},
    {"acquired again by its holder", 1, acquired_again},
    {.name = "extended", .why_not = kRenewsOtherwise},
    {.name = "extended after its lease", .why_not = kRenewsOtherwise},
    {.name = "extended after another has taken it", .why_not = kRenewsOtherwise},
    {"reacquired", 1, reacquired},
    {"reacquired after another has taken it", 1, reacquired_after_another_has_taken_it},
    {"released after its lease", 1, released_after_its_lease},
    {"released after another has taken it", 1, released_after_another_has_taken_it},
    {"released twice", 1, released_twice},
    {"owned, and then another's", 1, looked_at},
    {.name = "owned and locked", .why_not = "ours cannot be asked whether anybody holds it"},
};

// ---------------------------------------------------------------- the comparison

std::string played(const Situation& situation, std::string_view algorithm,
                   const ScriptNames& scripts) {
  RealWorld world(1, situation.servers);
  Recording recording(situation.servers, scripts);
  std::unique_ptr<Stage> stage;
  world.client(1, [&](RealWorld&, picklock::Client& self) {
    stage = std::make_unique<Stage>(self, recording, algorithm);
    situation.play(*stage);
  });
  world.run();
  return recording.text();
}

const Sections& stored(std::string_view transcript) {
  static std::map<std::string, Sections, std::less<>> all;
  const auto known = all.find(transcript);
  if (known != all.end()) return known->second;
  std::ifstream file("conform/redis/transcripts/" + std::string(transcript) + ".txt");
  EXPECT_TRUE(file) << transcript;
  return all.emplace(transcript, sections_of(file)).first->second;
}

// A lease of 2 ms may expire before it is undone, and only the server's clock decides: then the
// test is repeated.
void expect_same(const Situation& situation, const Library& library) {
  constexpr int kTimes = 10;
  const std::string& expected = stored(library.transcript).at(std::string(situation.name));
  std::string ours;
  for (int i = 0; i < kTimes && ours != expected; ++i)
    ours = played(situation, library.algorithm, library.scripts);
  EXPECT_EQ(ours, expected);
}

std::vector<Situation> playable(std::span<const Situation> situations) {
  std::vector<Situation> some;
  std::copy_if(situations.begin(), situations.end(), std::back_inserter(some),
               [](const Situation& one) { return one.play != nullptr; });
  return some;
}

std::string test_name(const testing::TestParamInfo<Situation>& one) {
  std::string name;
  for (const char letter : one.param.name) {
    if (letter == ' ') name += '_';
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) name += letter;
  }
  return name;
}

class NodeRedlockV4 : public testing::TestWithParam<Situation> {};
INSTANTIATE_TEST_SUITE_P(Transcripts, NodeRedlockV4, testing::ValuesIn(playable(kNodeRedlock)),
                         test_name);
TEST_P(NodeRedlockV4, SendsWhatTheLibrarySends) { expect_same(GetParam(), kNodeRedlockLibrary); }

class RedisPyLock : public testing::TestWithParam<Situation> {};
INSTANTIATE_TEST_SUITE_P(Transcripts, RedisPyLock, testing::ValuesIn(playable(kRedisPy)),
                         test_name);
TEST_P(RedisPyLock, SendsWhatTheLibrarySends) { expect_same(GetParam(), kRedisPyLibrary); }

// Otherwise a renamed or new section would be compared with nothing.
void expect_listed(std::span<const Situation> situations, const Library& library) {
  std::vector<std::string> listed;
  for (const Situation& one : situations) {
    listed.emplace_back(one.name);
    EXPECT_NE(one.play == nullptr, one.why_not.empty()) << one.name;
  }
  std::vector<std::string> recorded;
  for (const auto& [name, section] : stored(library.transcript)) {
    recorded.push_back(name);
    EXPECT_NE(section, "") << name;
  }
  EXPECT_THAT(listed, testing::UnorderedElementsAreArray(recorded));
}

TEST(Transcripts, HaveExactlyTheSituationsThatAreListedHere) {
  expect_listed(kNodeRedlock, kNodeRedlockLibrary);
  expect_listed(kRedisPy, kRedisPyLibrary);
}

TEST(Transcripts, TellALockThatSendsSomethingElse) {
  const std::string text = played(kRedisPy[0], "set-px-blind-delete", {});
  EXPECT_EQ(text,
            "> acquire -> granted\nredis-1 SET lock VALUE-1 NX PX 60000\n"
            "> release -> ok\nredis-1 DEL lock\n");
  EXPECT_NE(text, stored("redis-py").at(std::string(kRedisPy[0].name)));
}

TEST(Transcripts, OfSeveralServersGoServerByServer) {
  EXPECT_EQ(played({"", 2, the_second_server_refuses_twice}, "lua-check-delete", {}),
            "another on redis-2: SET lock another\n"
            "> acquire -> granted\nredis-1 SET lock VALUE-1 NX PX 60000\n");
}

TEST(Transcripts, ReadALineOfMonitorWithWhateverBytesItHas) {
  const Heard one =
      heard(R"(1700000000.123456 [0 127.0.0.1:4711] "set" "a \"b\\" "\x00\xff\n" "")");
  EXPECT_EQ(one.who, "127.0.0.1:4711");
  EXPECT_THAT(one.words, testing::ElementsAre("SET", "a \"b\\", std::string("\0\xff\n", 3), ""));
  EXPECT_EQ(heard(R"(1700000000.123456 [0 lua] "get" "lock")").who, "lua");
}

}  // namespace
}  // namespace picklock::conform::redis::transcripts
