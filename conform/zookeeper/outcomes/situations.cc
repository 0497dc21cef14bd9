#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "conform/zookeeper/outcomes/client.h"
#include "conform/zookeeper/outcomes/situation.h"

namespace picklock::conform::zookeeper::outcomes {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kPath = "/a";
constexpr std::string_view kLost = "/b";  // writes to it are lost
constexpr std::string_view kEphemeral = "/e";

// Less than it takes to notice by silence that a server is gone.
constexpr Duration kAtOnce = (kLongSyncLimit - 5) * kTick;
// Longer than an election takes, even on a busy machine.
constexpr Duration kElection = 25 * kTick;

struct Servers {
  ServerId leader = 0;
  std::array<ServerId, 2> followers{};
};

Servers servers_of(Side& side) {
  Servers servers;
  std::size_t followers = 0;
  for (ServerId server = 1; server <= kServers; ++server) {
    if (side.role(server) == Role::leader) {
      servers.leader = server;
    } else if (followers < servers.followers.size()) {
      servers.followers[followers++] = server;
    }
  }
  return servers;
}

std::string fresh_or_stale(const std::string& read, int last) {
  if (read == std::to_string(last)) return "fresh";
  return read == std::to_string(last - 1) ? "stale" : read;
}

std::string in_time(Duration took, Duration least, Duration most) {
  return took >= least && took <= most ? "in time" : fmt::format("after {} ms", took.count());
}

std::string name(Role role) {
  constexpr std::array<std::string_view, 3> kNames = {"none", "leader", "follower"};
  return std::string(kNames[static_cast<std::size_t>(role)]);
}

// The server's own statement once it serves, if it ever does.
std::string role_at_last(Side& side, ServerId server) {
  const Duration until = side.now() + kPatience;
  while (side.role(server) == Role::none && side.now() < until) side.pass(kTick);
  return name(side.role(server));
}

// ---------------------------------------------------------------- no server fails

Outcome write_anywhere(Side& side) {
  constexpr int kRounds = 10;
  const Servers servers = servers_of(side);
  Outcome seen;
  std::array<Client, kServers> clients = {Client(side, 0), Client(side, 1), Client(side, 2)};
  for (ServerId server = 1; server <= kServers; ++server)
    seen["connect"].insert(clients[server - 1].connect(server));
  int last = 0;
  seen["create"].insert(clients[0].create(kPath, std::to_string(last)));
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t writer = 0; writer < kServers; ++writer) {
      seen["write"].insert(clients[writer].set(kPath, std::to_string(++last)));
      for (std::size_t i = 1; i <= kServers; ++i) {
        Client& reader = clients[(writer + i) % kServers];
        seen["sync"].insert(reader.sync(kPath));
        const bool leads = (writer + i) % kServers + 1 == servers.leader;
        seen[leads ? "read at the leader" : "read at a follower"].insert(
            fresh_or_stale(reader.get(kPath), last));
      }
    }
  }
  return seen;
}

Outcome read_at_a_follower(Side& side) {
  constexpr int kRounds = 100;
  const Servers servers = servers_of(side);
  Outcome seen;
  Client writer(side, 0);
  std::array<Client, 2> readers = {Client(side, 1), Client(side, 2)};
  seen["connect"].insert(writer.connect(servers.leader));
  for (std::size_t i = 0; i < readers.size(); ++i)
    seen["connect"].insert(readers[i].connect(servers.followers[i]));
  seen["create"].insert(writer.create(kPath, "0"));
  for (Client& reader : readers) seen["sync"].insert(reader.sync(kPath));
  for (int round = 1; round <= kRounds; ++round) {
    Client& reader = readers[static_cast<std::size_t>(round) % readers.size()];
    seen["write at the leader"].insert(writer.set(kPath, std::to_string(round)));
    seen["read at once"].insert(fresh_or_stale(reader.get(kPath), round));
    for (Client& each : readers) {
      seen["sync"].insert(each.sync(kPath));
      seen["read after it"].insert(fresh_or_stale(each.get(kPath), round));
    }
  }
  return seen;
}

// ---------------------------------------------------------------- the leader dies

Outcome leader_killed(Side& side) {
  const Servers servers = servers_of(side);
  Outcome seen;
  std::array<Client, kServers> clients = {Client(side, 0), Client(side, 1), Client(side, 2)};
  seen["connect"].insert(clients[0].connect(servers.leader));
  for (std::size_t i = 0; i < servers.followers.size(); ++i)
    seen["connect"].insert(clients[i + 1].connect(servers.followers[i]));
  seen["write before"].insert(clients[0].create(kPath, "before"));
  side.act(Deed::kill, servers.leader);
  const Duration killed = side.now();
  seen["its own client"].insert(clients[0].outcome(kAtOnce));
  for (std::size_t i = 0; i < servers.followers.size(); ++i)
    seen["clients of followers"].insert(clients[i + 1].outcome(killed + kAtOnce - side.now()));
  seen["write to the others"].insert(clients[0].set_at_last(servers.followers, kPath, "after"));
  seen["it took"].insert(in_time(side.now() - killed, 0ms, kElection));
  side.act(Deed::start, servers.leader);
  seen["the old leader, started again"].insert(role_at_last(side, servers.leader));
  seen["connect to it"].insert(clients[1].connect_at_last({&servers.leader, 1}));
  seen["sync"].insert(clients[1].sync(kPath));
  seen["read after it"].insert(clients[1].get(kPath));
  return seen;
}

Outcome session_moves(Side& side) {
  const Servers servers = servers_of(side);
  Outcome seen;
  Client owner(side, 0);
  seen["connect"].insert(owner.connect(servers.leader));
  seen["create"].insert(owner.create(kEphemeral, "", CreateMode::ephemeral));
  side.act(Deed::kill, servers.leader);
  seen["after the leader's death"].insert(owner.outcome(kPatience));
  seen["the same session elsewhere"].insert(owner.connect_at_last(servers.followers));
  seen["sync"].insert(owner.sync(kEphemeral));
  seen["the ephemeral"].insert(owner.owner(kEphemeral));
  return seen;
}

// The leader dies when half of that time is over.
Outcome session_ends(Side& side) {
  const Servers servers = servers_of(side);
  Outcome seen;
  Client gone(side, 0);
  Client watcher(side, 1);
  seen["connect"].insert(gone.connect(servers.followers[0]));
  seen["create"].insert(gone.create(kEphemeral, "", CreateMode::ephemeral));
  side.pass(kTimeout / 2);
  side.act(Deed::kill, servers.leader);
  const Duration killed = side.now();
  seen["after the leader's death"].insert(gone.outcome(kPatience));
  seen["connect another"].insert(watcher.connect_at_last(servers.followers));
  seen["the ephemeral by then"].insert(watcher.owner(kEphemeral));
  std::string owner;
  do {
    side.pass(kTick / 10);
    owner = watcher.owner(kEphemeral);
  } while (owner == "another's" && side.now() < killed + 2 * kTimeout + kElection);
  seen["the ephemeral at last"].insert(owner);
  seen["it went"].insert(in_time(side.now() - killed, kTimeout, kTimeout + kElection + 2 * kTick));
  return seen;
}

// ---------------------------------------------------------------- the leader is paused

Outcome leader_stopped(Side& side) {
  const Servers servers = servers_of(side);
  Outcome seen;
  Client at_leader(side, 0);
  Client at_follower(side, 1);
  Client idle(side, 2);
  seen["connect"].insert(at_leader.connect(servers.leader));
  seen["connect"].insert(at_follower.connect(servers.followers[0]));
  seen["connect"].insert(idle.connect(servers.leader));
  seen["write before"].insert(at_leader.create(kPath, "before"));
  seen["write before"].insert(at_leader.create(kLost, "before"));
  side.act(Deed::stop, servers.leader);
  const Duration stopped = side.now();
  at_leader.begin_set(kLost, "lost");
  seen["write at a follower"].insert(at_follower.set(kLost, "lost"));
  seen["write to the others"].insert(at_follower.set_at_last(servers.followers, kPath, "after"));
  // The followers' last message from it may be half a tick older.
  seen["it took"].insert(in_time(side.now() - stopped, (kShortSyncLimit - 1) * kTick,
                                 kShortSyncLimit * kTick + kElection));
  seen["write at the leader"].insert(at_leader.outcome(0ms));
  seen["another client of it"].insert(idle.outcome(0ms));
  side.act(Deed::go_on, servers.leader);
  const Duration went_on = side.now();
  seen["write at the leader, once it goes on"].insert(at_leader.outcome(kAtOnce));
  seen["another client of it, once it goes on"].insert(
      idle.outcome(went_on + kAtOnce - side.now()));
  seen["the old leader"].insert(role_at_last(side, servers.leader));
  for (ServerId server = 1; server <= kServers; ++server) {
    seen["connect anywhere"].insert(at_leader.connect_at_last({&server, 1}));
    seen["sync"].insert(at_leader.sync(kPath));
    seen["read after it"].insert(at_leader.get(kPath));
    seen["read of what was written in between"].insert(at_leader.get(kLost));
  }
  return seen;
}

// ---------------------------------------------------------------- the quorum is lost

// Two of three servers are killed, and one of them restarts.
Outcome left_alone(Side& side, ServerId alone, const std::array<ServerId, 2>& others) {
  Outcome seen;
  Client client(side, 0);
  Client newcomer(side, 1);
  seen["connect"].insert(client.connect(alone));
  seen["write before"].insert(client.create(kPath, "before"));
  for (const ServerId other : others) side.act(Deed::kill, other);
  const Duration killed = side.now();
  client.begin_set(kPath, "pending");
  seen["write"].insert(client.outcome(kPatience));
  seen["it took"].insert(in_time(side.now() - killed, 0ms, kAtOnce));
  for (int i = 0; i < 5; ++i) {
    seen["new connection"].insert(newcomer.connect(alone));
    seen["says it is"].insert(name(side.role(alone)));
    side.pass(kTick);
  }
  side.act(Deed::start, others[0]);
  const std::array<ServerId, 2> both = {alone, others[0]};
  seen["connect when one is back"].insert(newcomer.connect_at_last(both));
  seen["sync"].insert(newcomer.sync(kPath));
  seen["read after it"].insert(newcomer.get(kPath));
  seen["write when one is back"].insert(newcomer.set_at_last(both, kPath, "after"));
  return seen;
}

Outcome leader_left_alone(Side& side) {
  const Servers servers = servers_of(side);
  return left_alone(side, servers.leader, servers.followers);
}

Outcome follower_left_alone(Side& side) {
  const Servers servers = servers_of(side);
  return left_alone(side, servers.followers[0], {servers.followers[1], servers.leader});
}

// The steps that must succeed, and those that may end otherwise.
Outcome ok(std::initializer_list<std::string> steps, Outcome others) {
  for (const std::string& step : steps) others[step] = {"ok"};
  return others;
}

}  // namespace

std::vector<Situation> all_situations() {
  return {
      {.title = "What is written at any server is read at every follower after sync",
       .facts = "Z40 Z47",
       .tell = write_anywhere,
       .allowed = ok({"connect", "create", "write", "sync"},
                     {{"read at a follower", {"fresh"}}, {"read at the leader", {"fresh"}}}),
       .real_too = {{"read at the leader", {"stale"}}},
       .quick = true},
      {.title = "A read at a follower may be stale, and is not after sync",
       .facts = "Z41",
       .tell = read_at_a_follower,
       .allowed = ok({"connect", "create", "write at the leader", "sync"},
                     {{"read at once", {"fresh", "stale"}}, {"read after it", {"fresh"}}}),
       .quick = true},
      {.title = "A leader dies, every client is hung up on at once, and another leads soon",
       .facts = "Z42",
       .tell = leader_killed,
       .allowed = ok({"connect", "write before", "write to the others", "connect to it", "sync"},
                     {{"its own client", {"hung up"}},
                      {"clients of followers", {"hung up"}},
                      {"it took", {"in time"}},
                      {"the old leader, started again", {"follower"}},
                      {"read after it", {"after"}}})},
      {.title = "A session outlives the leader, and goes on at another server",
       .facts = "Z43",
       .tell = session_moves,
       .allowed = ok({"connect", "create", "the same session elsewhere", "sync"},
                     {{"after the leader's death", {"hung up"}}, {"the ephemeral", {"its own"}}})},
      {.title = "A new leader gives the session of a client that is gone all its time anew",
       .facts = "Z43",
       .tell = session_ends,
       .allowed =
           ok({"connect", "create", "connect another"}, {{"after the leader's death", {"hung up"}},
                                                         {"the ephemeral by then", {"another's"}},
                                                         {"the ephemeral at last", {"NoNode"}},
                                                         {"it went", {"in time"}}})},
      {.title = "A leader that stands still is waited for, replaced, and loses what it was told",
       .facts = "Z44",
       .tell = leader_stopped,
       .allowed = ok({"connect", "write before", "write to the others", "connect anywhere", "sync"},
                     {{"write at a follower", {"hung up"}},
                      {"it took", {"in time"}},
                      {"write at the leader", {"no answer"}},
                      {"another client of it", {"no answer"}},
                      {"write at the leader, once it goes on", {"hung up"}},
                      {"another client of it, once it goes on", {"hung up"}},
                      {"the old leader", {"follower"}},
                      {"read after it", {"after"}},
                      {"read of what was written in between", {"before"}}}),
       .sync_limit = kShortSyncLimit},
      {.title = "A leader left alone serves nobody until it has a follower again",
       .facts = "Z45 Z46",
       .tell = leader_left_alone,
       .allowed = ok({"connect", "write before", "connect when one is back", "sync",
                      "write when one is back"},
                     {{"write", {"hung up"}},
                      {"it took", {"in time"}},
                      {"new connection", {"hung up"}},
                      {"says it is", {"none"}},
                      {"read after it", {"before", "pending"}}})},
      {.title = "A follower left alone serves nobody until there is another server",
       .facts = "Z45",
       .tell = follower_left_alone,
       .allowed = ok({"connect", "write before", "connect when one is back", "sync",
                      "write when one is back"},
                     {{"write", {"hung up"}},
                      {"it took", {"in time"}},
                      {"new connection", {"hung up"}},
                      {"says it is", {"none"}},
                      {"read after it", {"before"}}})},
  };
}

bool allows(const Outcome& allowed, const Outcome& outcome) {
  return allowed.size() == outcome.size() &&
         std::all_of(outcome.begin(), outcome.end(), [&allowed](const auto& step) {
           const auto found = allowed.find(step.first);
           return found != allowed.end() &&
                  std::includes(found->second.begin(), found->second.end(), step.second.begin(),
                                step.second.end());
         });
}

Outcome allowed_of_real(const Situation& situation) {
  Outcome all = situation.allowed;
  for (const auto& [step, words] : situation.real_too) all[step].insert(words.begin(), words.end());
  return all;
}

std::string shown(const Outcome& outcome) {
  std::string text;
  for (const auto& [step, words] : outcome) {
    text += step + ":";
    for (const std::string& word : words) text += (word == *words.begin() ? " " : " | ") + word;
    text += "\n";
  }
  return text;
}

}  // namespace picklock::conform::zookeeper::outcomes
