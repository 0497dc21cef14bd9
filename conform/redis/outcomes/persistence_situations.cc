#include <string>

#include "conform/redis/outcomes/situations.h"

namespace picklock::conform::redis::outcomes {
namespace {

using namespace std::chrono_literals;

constexpr Deed kill = Deed::kill;
constexpr Deed restart = Deed::restart;

Situation killed_with_log(const std::string& policy) {
  return {.title = "A killed process keeps what it acknowledged with appendfsync " + policy,
          .facts = "R95",
          .group = {.settings = {"appendfsync " + policy}, .append_only = true},
          .steps = {
              Ask{"A", "master", {"SET", "k", "A", "NX", "PX", "60000"}, "first grant"},
              Do{kill, "master"},
              Do{restart, "master"},
              Repeat{.client = "B",
                     .node = "master",
                     .words = {"SET", "k", "B", "NX"},
                     .until = "nil",
                     .as = "second grant"},
          }};
}

// On a busy disk, everysec puts the write itself off, and a log that is torn then has lost more.
const Group kWrittenAtOnce{.settings = {"appendfsync always"}, .append_only = true};

Situation loading() {
  Situation situation{.title = "A server that loads answers nothing but that",
                      .facts = "R100",
                      // Loading a key takes 50 ms, and the server looks at its sockets after every
                      // kilobyte.
                      .group = {.settings = {"key-load-delay 50000", "rdbcompression no",
                                             "loading-process-events-interval-bytes 1024"}},
                      .steps = {}};
  constexpr int kKeys = 300;
  const std::string kilobyte(1024, 'x');
  for (int i = 0; i < kKeys; ++i)
    situation.steps.emplace_back(Ask{"A", "master", {"SET", "k" + std::to_string(i), kilobyte}});
  const std::vector<Step> rest = {
      Ask{"A", "master", {"SAVE"}, "SAVE"},
      Do{kill, "master"},
      Do{restart, "master"},
      Ask{"B", "master", {"PING"}, "PING"},
      Ask{"B", "master", {"GET", "k1"}, "GET"},
      Ask{"B", "master", {"SET", "k1", "B", "NX"}, "SET"},
      Ask{"B", "master", {"EVAL", "return 1", "0"}, "EVAL"},
      Ask{"B", "master", {"PUBLISH", "c", "m"}, "PUBLISH"},
      Ask{"B", "master", {"WAIT", "0", "0"}, "WAIT"},
      Ask{"B", "master", {"MULTI"}, "MULTI"},
      Ask{"B", "master", {"GET", "k1"}, "GET in MULTI"},
      Ask{"B", "master", {"EXEC"}, "EXEC"},
      Ask{"B", "master", {"INFO", "persistence"}, "INFO", {}, "loading"},
      Ask{"C", "master", {"SUBSCRIBE", "c"}, "SUBSCRIBE"},
      Ask{"B", "master", {"CONFIG", "SET", "key-load-delay", "0"}, "CONFIG"},
      Repeat{.client = "B",
             .node = "master",
             .words = {"PING"},
             .until = "PONG",
             .within = 20s,
             .as = "PING in the end"},
      Ask{"B", "master", {"SET", "k1", "B", "NX"}, "SET in the end"},
  };
  situation.steps.insert(situation.steps.end(), rest.begin(), rest.end());
  return situation;
}

}  // namespace

std::vector<Situation> persistence_situations() {
  return {
      killed_with_log("no"),
      killed_with_log("everysec"),
      killed_with_log("always"),
      {.title = "A killed process without a log comes back empty",
       .facts = "R97",
       .steps =
           {
               Ask{"A", "master", {"SET", "k", "A", "NX", "PX", "60000"}, "first grant"},
               Do{kill, "master"},
               Do{restart, "master"},
               Ask{"B", "master", {"SET", "k", "B", "NX"}, "second grant"},
           }},
      {.title = "Snapshots now and then do not outlive a kill, but a shutdown",
       .facts = "R97",
       .group = {.settings = {"save 3600 1"}},
       .steps =
           {
               Ask{"A", "master", {"SET", "killed", "A", "NX"}, "first grant"},
               Do{kill, "master"},
               Do{restart, "master"},
               Ask{"B", "master", {"SET", "killed", "B", "NX"}, "second grant"},
               Ask{"B", "master", {"SET", "shut-down", "A", "NX"}, "another"},
               Ask{"B", "master", {"SHUTDOWN"}, "SHUTDOWN"},
               Do{restart, "master"},
               Ask{"C", "master", {"SET", "shut-down", "C", "NX"}, "second grant of that"},
           }},
      {.title = "Deadlines are instants also in a log",
       .facts = "R98",
       .group = {.append_only = true, .clocks_stand = true},
       .steps =
           {
               Ask{"A", "master", {"SET", "k", "A", "PX", "5000"}},
               Ask{"A", "master", {"SET", "due", "A", "PX", "1000"}},
               Do{kill, "master"},
               Skew{"", 1001ms},
               Do{restart, "master"},
               Repeat{.client = "B", .node = "master", .words = {"PING"}, .until = "PONG"},
               Ask{"B", "master", {"PEXPIRETIME", "k"}, "deadline"},
               Ask{"B", "master", {"PTTL", "k"}, "PTTL"},
               Ask{"B", "master", {"SET", "due", "B", "NX"}, "second grant"},
           }},
      {.title = "A torn log loses its last command",
       .facts = "R99",
       .group = kWrittenAtOnce,
       .steps =
           {
               Ask{"A", "master", {"SET", "k", "A"}},
               Ask{"A", "master", {"SET", "last", "A"}},
               Do{kill, "master"},
               Do{Deed::tear, "master"},
               Do{restart, "master"},
               Repeat{.client = "B", .node = "master", .words = {"PING"}, .until = "PONG"},
               Ask{"B", "master", {"GET", "k"}, "k"},
               Ask{"B", "master", {"GET", "last"}, "last"},
           }},
      {.title = "A torn log loses its last script or transaction whole",
       .facts = "R99",
       .group = kWrittenAtOnce,
       .steps =
           {
               Ask{"A", "master", {"MULTI"}},
               Ask{"A", "master", {"SET", "k", "A"}},
               Ask{"A", "master", {"SET", "l", "A"}},
               Ask{"A", "master", {"EXEC"}, "EXEC"},
               Ask{"A",
                   "master",
                   {"EVAL", "redis.call('set', 'm', 'A') return redis.call('set', 'n', 'A')", "0"},
                   "EVAL"},
               Do{kill, "master"},
               Do{Deed::tear, "master"},
               Do{restart, "master"},
               Repeat{.client = "B", .node = "master", .words = {"PING"}, .until = "PONG"},
               Ask{"B", "master", {"MGET", "k", "l", "m", "n"}, "k, l, m, n"},
           }},
      loading(),
  };
}

}  // namespace picklock::conform::redis::outcomes
