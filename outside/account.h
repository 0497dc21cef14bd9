// The deeds of clients outside as the history of a lock. They only send commands. Which of them
// request a lock, renew or release it follows from their changes at the servers.
//
// A client begins a tenure when it creates the entry of a lock while it has none left of the tenure
// before. Its accesses to the resource belong to the tenure that was granted to it last. Its
// beliefs are known only if it says ENTER and LEAVE, to the resource or as marks.
#pragma once

#include <cstdint>
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
  sim::ProcessId first_server = 0;        // of the simulation: those before it are clients
  std::uint32_t clients = 0;              // of the account
  sim::ProcessId resource = 0;            // of the simulation
  // Its parts. In the account each is a process: the first that of the resource, and the
  // others from this number on.
  std::span<const std::string> things;
  sim::ProcessId second_thing = 0;

  sim::ProcessId client(sim::Tag tag) const {
    return tag < client_of.size() ? client_of[tag] : kNobody;
  }
};

// An entry that is there at the end.
struct Left {
  history::KeyId key = 0;
  sim::ProcessId server = 0;
  sim::ProcessId client = 0;  // that owns it
  sim::Instant until = sim::kNever;
};

struct Account {
  history::History history;
  sim::Trace trace;
  std::vector<Left> left;
};

Account account_of(const history::History& history, const sim::Trace& trace, const Cast& cast);

}  // namespace picklock::outside
