#include <string>

#include "conform/redis/outcomes/situations.h"

namespace picklock::conform::redis::outcomes {
namespace {

using namespace std::chrono_literals;

const Words kWhereIsMaster = {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", std::string(kGroupName)};

// Asks sentinel-1 until it names another master.
Repeat failover(const std::string& time_as) {
  return {.client = "B",
          .node = "sentinel-1",
          .words = kWhereIsMaster,
          .as_long_as = "master",
          .every = 20ms,
          .within = 60s,
          .as = "new master",
          .time_as = time_as,
          .time_scale = {1000},
          .call = "new master"};
}

// Writes to the old master, which is there again, until it refuses.
Repeat write_to_old_master() {
  return {.client = "A",
          .node = "master",
          .words = {"SET", "n", "1"},
          .as_long_as = "OK",
          .every = 5ms,
          .within = 60s,
          .as = "SET in the end",
          .count_as = "writes until then",
          .time_as = "ms of two masters",
          .time_scale = {5000}};
}

}  // namespace

std::vector<Situation> sentinel_situations() {
  return {
      {.title = "Sentinels replace a dead master, which keeps what all replicas have",
       .facts = "R60 R62 R63 R70",
       .group = {.replicas = 2, .sentinels = 3},
       .steps =
           {
               Ask{"A", "master", {"SET", "k", "A", "NX"}, "first grant"},
               Ask{"A", "master", {"WAIT", "2", "5000"}, "WAIT"},
               Ask{"B", "sentinel-1", kWhereIsMaster, "master"},
               Ask{"B", "sentinel-1", {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "nobody"}, "unknown"},
               Do{Deed::kill, "master"},
               failover("ms until it is named"),
               Ask{"B", "new master", {"SET", "fresh", "B"}, "SET there"},
               Ask{"B", "new master", {"SET", "k", "B", "NX"}, "second grant"},
           }},
      {.title = "A failover loses the lock that no replica has",
       .facts = "R63 R40",
       .group = {.replicas = 2, .sentinels = 3},
       .steps =
           {
               Do{Deed::stop, "replica-1"},
               Do{Deed::stop, "replica-2"},
               Ask{"A", "master", {"CLIENT", "KILL", "TYPE", "replica"}, "links cut"},
               Ask{"A", "master", {"SET", "k", "A", "NX"}, "first grant"},
               Do{Deed::kill, "master"},
               Do{Deed::go_on, "replica-1"},
               Do{Deed::go_on, "replica-2"},
               failover({}),
               Ask{"B", "new master", {"SET", "k", "B", "NX"}, "second grant"},
           }},
      {.title = "A master that was stopped first serves what waits in its sockets",
       .facts = "R67",
       .group = {.replicas = 2, .sentinels = 3, .settings = {"min-replicas-to-write 1"}},
       .steps =
           {
               Ask{"A", "master", {"SET", "n", "0"}, "SET before"},
               Do{Deed::stop, "master"},
               Send{"A", "master", {"SET", "k", "A", "NX"}},
               failover("ms until it is named"),
               Repeat{.client = "B",
                      .node = "new master",
                      .words = {"SET", "k", "B", "NX"},
                      .until = "OK",
                      .within = 20s,
                      .as = "second grant"},
               Do{Deed::go_on, "master"},
               Receive{"A", "master", "first grant"},
               // The master reads the last acknowledgments of its replicas before it sees that they
               // have left.
               Repeat{.client = "A",
                      .node = "master",
                      .words = {"SET", "n", "1"},
                      .as_long_as = "OK",
                      .as = "SET after",
                      .count_as = "writes after",
                      .time_as = "ms of two masters",
                      .time_scale = {2000}},
           }},
      {.title = "A master that was stopped goes on as a second master",
       .facts = "R64 R65 R66",
       .group = {.replicas = 2, .sentinels = 3},
       .steps =
           {
               Ask{"A", "master", {"SET", "n", "0"}, "SET before"},
               Do{Deed::stop, "master"},
               failover("ms until it is named"),
               Ask{"B", "new master", {"SET", "k", "B", "NX"}, "second grant"},
               Do{Deed::go_on, "master"},
               Ask{"A", "master", {"SET", "k", "A", "NX"}, "first grant"},
               write_to_old_master(),
               Await{"master", Condition::caught_up, "follows", 30s},
               Ask{"A", "master", {"GET", "k"}, "k"},
               Ask{"A", "master", {"GET", "n"}, "n"},
               Ask{"A", "master", {"SET", "n", "2"}, "SET at the old master"},
           },
       .slow = true},
      {.title = "A master that is started again is a second master for a while",
       .facts = "R64 R65 R66",
       .group = {.replicas = 2, .sentinels = 3},
       .steps =
           {
               Do{Deed::kill, "master"},
               failover("ms until it is named"),
               Ask{"B", "new master", {"SET", "k", "B", "NX"}, "second grant"},
               Do{Deed::restart, "master"},
               Ask{"A", "master", {"SET", "k", "A", "NX"}, "first grant"},
               write_to_old_master(),
               Await{"master", Condition::caught_up, "follows", 30s},
               Ask{"A", "master", {"GET", "k"}, "k"},
               Ask{"A", "master", {"GET", "n"}, "n"},
           },
       .slow = true},
  };
}

}  // namespace picklock::conform::redis::outcomes
