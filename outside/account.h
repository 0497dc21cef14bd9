// The deeds of clients outside as the history of a lock. They only send commands. Which of them
// request a lock, renew or release it follows from their changes at the servers. A command that
// names the key of a lock without changing it may have tried any of these: its role is `command`.
// Beside them there may be clients of picklock, whose roles and beliefs are known.
//
// A client begins a tenure when it creates the entry of a lock while it has none left of the tenure
// before. It is granted when a quorum of the servers has its entry. Its accesses to the resource
// belong to the tenure that was granted to it last. Its
// beliefs are known only if it says ENTER and LEAVE, to the resource or as marks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.h"
#include "sim/trace.h"

namespace picklock::outside {

inline constexpr std::string_view kEnter = "ENTER";
inline constexpr std::string_view kLeave = "LEAVE";

inline constexpr sim::ProcessId kNobody = ~sim::ProcessId{0};

// The senders of messages, and the numbers that processes have in the account.
struct Cast {
  // By the tag of a message: the client that sent it; kNobody: no client outside.
  std::vector<sim::ProcessId> client_of;
  std::vector<sim::ProcessId> number_of;  // by process of the simulation
  // Of messages that nobody asked for, by their numbers: the client that has received each, where
  // its process stands for several.
  std::map<std::uint32_t, sim::ProcessId> receiver_of{};
  sim::ProcessId first_server = 0;  // of the simulation: those before it are clients
  std::uint32_t clients = 0;        // of the account
  // By client: whether it is one of picklock's own, with a tag for each of its tenures. Empty:
  // none.
  std::vector<bool> own{};
  // How many groups of servers make a grant together, and the group of each process of the
  // simulation; empty: each is alone.
  std::uint32_t quorum = 1;
  std::vector<std::uint32_t> group_of{};
  sim::ProcessId resource = 0;  // of the simulation
  // Its parts. In the account each is a process: the first that of the resource, and the
  // others from this number on.
  std::span<const std::string> things;
  sim::ProcessId second_thing = 0;
  // The names of the keys of the history.
  std::span<const std::string> keys{};
  // Changes of keys that are no lock's are left out. Locks are the first `named` keys, and those
  // that some request takes as a lock does (servers::Kind); nullptr: every key is a lock's.
  std::vector<std::string_view> (*takes)(std::string_view request) = nullptr;
  std::size_t named = 0;

  sim::ProcessId client(sim::Tag tag) const {
    return tag < client_of.size() ? client_of[tag] : kNobody;
  }
  bool is_own(sim::ProcessId client) const { return client < own.size() && own[client]; }
};

// An entry that is there at the end.
struct Left {
  history::KeyId key = 0;
  sim::ProcessId server = 0;
  sim::ProcessId client = 0;  // that owns it
  sim::Instant until = sim::kNever;
};

// A client removes its own entry. The server tells those that listen or watch, also with what the
// client sends next, before it takes a lock again.
struct Release {
  sim::Instant at{};
  history::KeyId key = 0;
  sim::ProcessId server = 0;
  sim::ProcessId client = 0;
  std::vector<sim::ProcessId> woken{};  // other clients, each once, in the order in which they hear
  std::uint32_t lost = 0;               // messages that have reached no client
};

// A client sends what renews the lock that it has released.
struct LateRenewal {
  sim::Instant at{};
  history::KeyId key = 0;
  sim::ProcessId client = 0;
  sim::Instant released{};
};

struct Account {
  history::History history;
  sim::Trace trace;
  std::vector<Left> left;
  std::vector<Release> releases;
  std::vector<LateRenewal> late_renewals;
  std::vector<history::KeyId> other_keys;  // that clients have changed and that are no lock's
};

Account account_of(const history::History& history, const sim::Trace& trace, const Cast& cast);

}  // namespace picklock::outside
