// Our locks in the situations in which lock libraries were recorded, on real servers: what they
// send must be what the library sends, command by command.
#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "models/locks/catalogue.h"
#include "models/locks/transcripts/monitor.h"

namespace picklock::models::locks {
namespace {

using namespace std::chrono_literals;
using redis::real::RealWorld;

// ---------------------------------------------------------------- transcripts

// By situation: the calls and commands, without the words in which the library tells what a call
// came to.
using Sections = std::map<std::string, std::string>;

// The options of SET have no order.
std::string in_one_order(std::string line) {
  const std::size_t nx = line.find(" NX");
  if (line.find(" SET ") == std::string::npos || nx == std::string::npos) return line;
  line.erase(nx, 3);
  return line + " NX";
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
    *section += in_one_order(line) + "\n";
  }
  return sections;
}

Sections sections_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return sections_of(stream);
}

Sections stored(std::string_view name) {
  std::ifstream file("models/locks/transcripts/" + std::string(name) + ".txt");
  EXPECT_TRUE(file) << name;
  return sections_of(file);
}

// ---------------------------------------------------------------- situations

// A lock that is compared with a library, and how to set it up as that library is.
struct Preset {
  std::string_view algorithm;
  LockOptions options;
  ScriptNames scripts;
  // What it sends once it has tried twice: a command, and how often.
  std::string asks = "SET";
  std::size_t asked = 2;
};

class Stage {
 public:
  Stage(models::Client& self, Recording& recording, const Preset& preset)
      : self_(self), recording_(recording), preset_(preset) {}

  // As the preset has it but for the lease and how long it tries, every half a second.
  std::unique_ptr<Lock> lock(Duration ttl = 60s, Duration acquire_timeout = 60s) const {
    LockOptions options = preset_.options;
    options.ttl = ttl;
    options.retry_every = kPause;
    options.retry_jitter = {};
    options.acquire_timeout = acquire_timeout;
    return named(preset_.algorithm)->make(options);
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
  void look(Lock& lock, const Acquired& acquired) {
    if (!acquired) return;
    recording_.call("owned",
                    [&] { return lock.look(self_, acquired.lease()) == Held::yes ? "yes" : "no"; });
  }
  void another(std::size_t server, const Words& words) { recording_.another(server, words); }
  void forget() { recording_.forget(); }

  // Until no server has the key any more.
  void await_end_of_lease() {
    while (recording_.exists(kKey)) self_.sleep(5ms);
  }
  // Once the call that follows has tried twice: long before it tries again.
  void after_two_attempts(Words words) {
    self_.spawn([&recording = recording_, &preset = preset_,
                 words = std::move(words)](models::Client& self) {
      while (recording.sent(0, preset.asks) < preset.asked) self.sleep(5ms);
      recording.another(0, words);
    });
  }

 private:
  static constexpr const char* kKey = "lock";
  static constexpr Duration kPause = 500ms;

  template <typename Run>
  Acquired acquire(Run&& run) {
    Acquired acquired = std::nullopt;
    recording_.call("acquire", [&] {
      acquired = run();
      return acquired ? "granted" : "refused";
    });
    return acquired;
  }

  models::Client& self_;
  Recording& recording_;
  const Preset& preset_;
};

// What a situation is called in transcripts, and how one of our locks gets into it.
struct Situation {
  std::string_view name;
  std::size_t servers = 1;
  void (*play)(Stage& stage) = nullptr;
};

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

void refused_without_waiting(Stage& stage) {
  stage.another(0, {"SET", "lock", "another"});
  stage.try_acquire(*stage.lock());
}

// Half a second apart: three attempts, or two.
constexpr Duration kThreeAttempts = 1490ms;
constexpr Duration kTwoAttempts = 990ms;

void refused_for_good(Stage& stage) {
  stage.another(0, {"SET", "lock", "another"});
  stage.acquire(*stage.lock(60s, kThreeAttempts));
}

void acquired_at_the_third_attempt(Stage& stage) {
  stage.another(0, {"SET", "lock", "another"});
  const auto lock = stage.lock();
  stage.after_two_attempts({"DEL", "lock"});
  stage.release(*lock, stage.acquire(*lock));
}

void released_after_its_lease(Stage& stage) {
  const auto lock = stage.lock(100ms);
  const Acquired acquired = stage.acquire(*lock);
  stage.await_end_of_lease();
  stage.release(*lock, acquired);
}

void released_after_another_has_taken_it(Stage& stage) {
  const auto lock = stage.lock();
  const Acquired acquired = stage.acquire(*lock);
  stage.another(0, {"SET", "lock", "another"});
  stage.release(*lock, acquired);
}

void released_twice(Stage& stage) {
  const auto lock = stage.lock();
  const Acquired acquired = stage.acquire(*lock);
  stage.release(*lock, acquired);
  stage.release(*lock, acquired);
}

void over_when_it_is_granted(Stage& stage) { stage.try_acquire(*stage.lock(2ms)); }

void looked_at(Stage& stage) {
  const auto lock = stage.lock();
  const Acquired acquired = stage.acquire(*lock);
  stage.look(*lock, acquired);
  stage.another(0, {"SET", "lock", "another"});
  stage.look(*lock, acquired);
}

void a_majority_grants(Stage& stage) {
  stage.another(1, {"SET", "lock", "another"});
  acquired_and_released(stage);
}

void a_minority_grants_for_good(Stage& stage) {
  for (const std::size_t server : {1u, 2u}) stage.another(server, {"SET", "lock", "another"});
  stage.acquire(*stage.lock(60s, kTwoAttempts));
}

void one_of_two_does_not_grant(Stage& stage) {
  stage.another(1, {"SET", "lock", "another"});
  stage.acquire(*stage.lock(60s, kTwoAttempts));
}

void a_minority_has_lost_it(Stage& stage) {
  const auto lock = stage.lock();
  const Acquired acquired = stage.acquire(*lock);
  stage.another(1, {"DEL", "lock"});
  stage.release(*lock, acquired);
}

void a_majority_has_lost_it(Stage& stage) {
  const auto lock = stage.lock();
  const Acquired acquired = stage.acquire(*lock);
  for (const std::size_t server : {1u, 2u}) stage.another(server, {"DEL", "lock"});
  stage.release(*lock, acquired);
}

constexpr Situation kSituations[] = {
    {"a free lock is acquired and released", 1, acquired_and_released},
    {"once more: the servers know the scripts", 1, once_more},
    {"once more: the server knows the script", 1, once_more},
    {"refused without waiting", 1, refused_without_waiting},
    {"refused while another holds it, then acquired", 1, acquired_at_the_third_attempt},
    {"refused for good", 1, refused_for_good},
    {"released after its lease", 1, released_after_its_lease},
    {"released after another has taken it", 1, released_after_another_has_taken_it},
    {"released twice", 1, released_twice},
    {"owned, and then another's", 1, looked_at},
    {"a lease that is over when it is granted", 1, over_when_it_is_granted},
    {"three servers: a majority grants", 3, a_majority_grants},
    {"three servers: a minority grants, for good", 3, a_minority_grants_for_good},
    {"three servers: released after a minority has lost it", 3, a_minority_has_lost_it},
    {"three servers: released after a majority has lost it", 3, a_majority_has_lost_it},
    {"two servers: one does not grant", 2, one_of_two_does_not_grant},
};

std::string play(const Situation& situation, const Preset& preset) {
  RealWorld world(1, situation.servers);
  Recording recording(situation.servers, preset.scripts);
  world.client(1, [&](RealWorld&, models::Client& self) {
    Stage stage(self, recording, preset);
    situation.play(stage);
  });
  world.run();
  return recording.text();
}

// In every situation that the transcript has, of those that a lock can be put into. A machine that
// stands still may change how often a lock tries: then once more.
void expect_same(const Sections& sections, const Preset& preset) {
  constexpr int kAttempts = 3;
  int played = 0;
  for (const Situation& situation : kSituations) {
    const auto section = sections.find(std::string(situation.name));
    if (section == sections.end()) continue;
    ++played;
    std::string text;
    for (int i = 0; i < kAttempts && text != section->second; ++i)
      text = sections_of("[ours]\n" + play(situation, preset)).at("ours");
    EXPECT_EQ(text, section->second) << situation.name;
  }
  EXPECT_GT(played, 0);
}

// ---------------------------------------------------------------- the tests

constexpr std::string_view kLuaCheckDelete = R"(
[a free lock is acquired and released]
> acquire -> granted
redis-1 SET lock VALUE-1 NX PX 60000
> release -> ok
redis-1 EVAL SCRIPT(release) 1 lock VALUE-1
redis-1 lua GET lock
redis-1 lua DEL lock

[refused without waiting]
another on redis-1: SET lock another
> acquire -> refused
redis-1 SET lock VALUE-1 NX PX 60000

[refused while another holds it, then acquired]
another on redis-1: SET lock another
> acquire -> granted
redis-1 SET lock VALUE-1 NX PX 60000
redis-1 SET lock VALUE-1 NX PX 60000
another on redis-1: DEL lock
redis-1 SET lock VALUE-1 NX PX 60000
> release -> ok
redis-1 EVAL SCRIPT(release) 1 lock VALUE-1
redis-1 lua GET lock
redis-1 lua DEL lock

[refused for good]
another on redis-1: SET lock another
> acquire -> refused
redis-1 SET lock VALUE-1 NX PX 60000
redis-1 SET lock VALUE-1 NX PX 60000
redis-1 SET lock VALUE-1 NX PX 60000

[released after its lease]
> acquire -> granted | in the library's words
redis-1 SET lock VALUE-1 NX PX 100
> release -> not-held | in the library's words
redis-1 EVAL SCRIPT(release) 1 lock VALUE-1
redis-1 lua GET lock

[released after another has taken it]
> acquire -> granted
redis-1 SET lock VALUE-1 NX PX 60000
another on redis-1: SET lock another
> release -> not-held
redis-1 EVAL SCRIPT(release) 1 lock VALUE-1
redis-1 lua GET lock
)";

// What is compared here is the comparison itself. A lock that is to be like a library is held
// against what was recorded of it: expect_same(stored("redis-py"), {.algorithm = ...}).
const Preset kOurs{.algorithm = "lua-check-delete", .options = {}, .scripts = {{"del", "release"}}};

TEST(Transcripts, OfLuaCheckDeleteAreWhatItSends) {
  expect_same(sections_of(kLuaCheckDelete), kOurs);
}

TEST(Transcripts, TellALockThatSendsSomethingElse) {
  const Sections sections = sections_of(kLuaCheckDelete);
  const Preset blind{.algorithm = "set-px-blind-delete", .options = {}, .scripts = {}};
  const std::string text = play(kSituations[0], blind);
  EXPECT_EQ(text,
            "> acquire -> granted\nredis-1 SET lock VALUE-1 NX PX 60000\n"
            "> release -> ok\nredis-1 DEL lock\n");
  EXPECT_NE(sections_of("[x]\n" + text).at("x"), sections.at(std::string(kSituations[0].name)));
}

// They part where redis-py names its script by a digest.
TEST(Transcripts, OfRedisPyAreWhatLuaCheckDeleteSendsUntilItReleases) {
  Sections sections = stored("redis-py");
  std::erase_if(sections,
                [](const auto& one) { return one.second.find("release") != std::string::npos; });
  expect_same(sections, kOurs);
}

TEST(Transcripts, OfSeveralServersGoServerByServer) {
  const std::string text = play({"", 2, one_of_two_does_not_grant}, kOurs);
  EXPECT_EQ(text,
            "another on redis-2: SET lock another\n"
            "> acquire -> granted\nredis-1 SET lock VALUE-1 NX PX 60000\n");
}

// Else a section that is named anew would be compared with nothing.
TEST(Transcripts, OfLibrariesHaveTheSituationsThatOurLocksArePutInto) {
  for (const std::string_view library : {"node-redlock", "redis-py"}) {
    const Sections sections = stored(library);
    EXPECT_GE(sections.size(), 18u) << library;
    for (const auto& [name, section] : sections) EXPECT_NE(section, "") << library << ": " << name;
  }
  const Sections node = stored("node-redlock");
  const Sections python = stored("redis-py");
  for (const Situation& situation : kSituations) {
    const std::string name(situation.name);
    EXPECT_TRUE(node.contains(name) || python.contains(name)) << name;
  }
}

TEST(Transcripts, ReadALineOfMonitorWithWhateverBytesItHas) {
  const Heard one =
      heard(R"(1700000000.123456 [0 127.0.0.1:4711] "set" "a \"b\\" "\x00\xff\n" "")");
  EXPECT_EQ(one.who, "127.0.0.1:4711");
  EXPECT_THAT(one.words, testing::ElementsAre("SET", "a \"b\\", std::string("\0\xff\n", 3), ""));
  EXPECT_EQ(heard(R"(1700000000.123456 [0 lua] "get" "lock")").who, "lua");
}

}  // namespace
}  // namespace picklock::models::locks
