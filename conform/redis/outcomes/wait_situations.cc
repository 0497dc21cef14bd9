#include "conform/redis/outcomes/situations.h"

namespace picklock::conform::redis::outcomes {
namespace {

using namespace std::chrono_literals;

}  // namespace

std::vector<Situation> wait_situations() {
  return {
      {.title = "WAIT counts who has acknowledged, and undoes nothing",
       .facts = "R51 R53",
       .group = {.replicas = 2},
       .steps =
           {
               Ask{"A", "master", {"SET", "k", "A"}},
               Ask{"A", "master", {"WAIT", "2", "5000"}, "WAIT 2"},
               Ask{"A", "master", {"WAIT", "1", "0"}, "WAIT 1"},
               Ask{"A", "master", {"WAIT", "0", "0"}, "WAIT 0"},
               Ask{"A", "master", {"WAIT", "-1", "0"}, "WAIT -1"},
               Ask{"A", "master", {"WAIT", "1", "-1"}, "WAIT 1 -1"},
               Ask{.client = "A",
                   .node = "master",
                   .words = {"WAIT", "5", "50"},
                   .as = "WAIT 5",
                   .time_as = "ms of WAIT 5",
                   .time_scale = {50}},
               Do{Deed::stop, "replica-2"},
               Ask{"A", "master", {"SET", "k", "AA"}},
               Ask{.client = "A",
                   .node = "master",
                   .words = {"WAIT", "2", "500"},
                   .as = "WAIT 2, one stopped",
                   .time_as = "ms of that",
                   .time_scale = {500}},
               Ask{"A", "master", {"GET", "k"}, "GET after it"},
           }},
      // A connection waits for the offset after its own last command.
      {.title = "WAIT is about all that was written before the last command of its connection",
       .facts = "R52",
       .group = {.replicas = 1},
       .steps =
           {
               Ask{"B", "master", {"PING"}},
               Ask{"C", "master", {"PING"}},
               Do{Deed::stop, "replica-1"},
               Ask{"A", "master", {"SET", "k", "A"}},
               Ask{"A", "master", {"WAIT", "1", "100"}, "WAIT of the writer"},
               Ask{"B", "master", {"WAIT", "1", "100"}, "WAIT of another"},
               Ask{"C", "master", {"PING"}},
               Ask{"C", "master", {"WAIT", "1", "100"}, "WAIT of one that has read since"},
           }},
      {.title = "WAIT does not wait in MULTI, nor in a script, nor on a replica",
       .facts = "R54",
       .group = {.replicas = 1},
       .steps =
           {
               Ask{"A", "master", {"SET", "k", "A"}},
               Ask{"A", "master", {"WAIT", "1", "5000"}, "WAIT"},
               Do{Deed::stop, "replica-1"},
               Ask{"A", "master", {"SET", "k", "A"}},
               Ask{"A", "master", {"MULTI"}},
               Ask{"A", "master", {"SET", "k", "AA"}},
               Ask{"A", "master", {"WAIT", "1", "5000"}},
               Ask{"A", "master", {"EXEC"}, "EXEC after a write"},
               Ask{"B", "master", {"MULTI"}},
               Ask{"B", "master", {"SET", "k", "B"}},
               Ask{"B", "master", {"WAIT", "1", "5000"}},
               Ask{"B", "master", {"EXEC"}, "EXEC of a fresh connection"},
               Do{Deed::go_on, "replica-1"},
               Ask{"A", "master", {"EVAL", "return redis.call('wait', 1, 0)", "0"}, "EVAL"},
               Ask{"A", "replica-1", {"WAIT", "1", "0"}, "on the replica"},
           }},
      {.title = "An acknowledgement says nothing of a disk",
       .facts = "R55",
       .group = {.replicas = 1},
       .steps =
           {
               Ask{"A", "master", {"SET", "k", "A"}},
               Ask{"A", "master", {"WAIT", "1", "5000"}, "WAIT"},
               Do{Deed::kill, "master"},
               Do{Deed::kill, "replica-1"},
               Do{Deed::restart, "replica-1"},
               Ask{"B", "replica-1", {"GET", "k"}, "on the replica"},
           }},
      {.title = "A master without good replicas takes writes for a while, and then not even DEL",
       .facts = "R56 R57",
       .group = {.replicas = 1,
                 .master_settings = {"min-replicas-to-write 1", "min-replicas-max-lag 2"}},
       .steps =
           {
               Ask{"A", "master", {"SET", "k", "A"}, "SET"},
               Do{Deed::stop, "replica-1"},
               Repeat{.client = "A",
                      .node = "master",
                      .words = {"SET", "k", "AA"},
                      .as_long_as = "OK",
                      .every = 20ms,
                      .within = 20s,
                      .as = "SET in the end",
                      .count_as = "writes before",
                      .time_as = "ms until then",
                      .time_scale = {1000}},
               Ask{"A", "master", {"DEL", "k"}, "DEL"},
               Ask{"A", "master", {"PEXPIRE", "none", "1000"}, "PEXPIRE"},
               Ask{"A", "master", {"GET", "k"}, "GET"},
               Ask{"A", "master", {"EVAL", "return redis.call('get', 'k')", "0"}, "reads only"},
               Ask{"A", "master", {"EVAL", "return redis.call('del', 'k')", "0"}, "EVAL"},
               Ask{"A", "master", {"PUBLISH", "c", "m"}, "PUBLISH"},
               Do{Deed::go_on, "replica-1"},
               Repeat{.client = "A",
                      .node = "master",
                      .words = {"DEL", "k"},
                      .until = "1",
                      .within = 20s,
                      .as = "DEL when it goes on"},
           }},
  };
}

}  // namespace picklock::conform::redis::outcomes
