// Kinds of processes of a scenario as data: their words, and the faults that can hit them. A kind
// is known by its address: there is one object for each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "models/servers/specs.h"
#include "picklock/lock.h"
#include "sim/fault.h"

namespace picklock::servers {

// The copies of the lock's entries that a process of this kind keeps.
enum class Standing : std::uint8_t {
  none,
  primary,           // each has entries of its own
  replica,           // a copy of what its primary has
  peer,              // any of them may lead
  first_is_primary,  // the first leads, and the others are its replicas
};

struct Refusal {
  sim::Verb verb{};
  std::string_view reason;
};

struct ProcessKind {
  std::string_view name;      // in the reference and the tables of fault classes
  std::string_view singular;  // in messages: "there are no replicas"
  Standing standing = Standing::none;
  bool takes_steps = false;     // uses the lock server, so that faults can be anchored to its steps
  bool hears_clients = true;    // some step of a client is a message to it
  bool after_resource = false;  // such processes are declared after the resource
  bool elects = false;          // the others replace one that has crashed, by themselves
  bool returns = false;         // a random plan always starts one again that it has crashed
  std::uint16_t port = 0;       // on which its product listens; 0: on none
  std::string_view forgets{};   // why it always keeps all its data; empty: it may lose some
  FaultClasses drawn{};         // the classes whose faults hit such processes
  FaultClasses drawn_at_messages{};    // the classes whose faults hit messages to them
  std::string_view failover_word{};    // the target of a failover; empty: the name
  std::span<const sim::Verb> bears{};  // the rare verbs that hit this kind
  std::span<const Refusal> refuses{};  // why other verbs do not hit it
  // What such a process finds on its disk after a random plan drew `drawn`; nullptr: the same.
  sim::Keeps (*keeps)(const Specs& specs, std::string_view process, sim::Keeps drawn) = nullptr;
  // The class of a crash or restart of such a process; nullptr: FaultClass::crash.
  FaultClass (*crash_class)(const Specs& specs, const sim::Fault& fault) = nullptr;

  bool operator==(const ProcessKind& other) const { return this == &other; }
};

inline constexpr FaultClasses kFaultsAtRequests = {FaultClass::late_command,
                                                   FaultClass::lost_reply};

// Whether the process starts again after this crash or restart.
inline bool starts_again(const sim::Fault& fault) {
  return fault.verb == sim::Verb::restart || fault.lasts.has_value();
}

struct ProcessSpec {
  std::string name;
  const ProcessKind* kind = nullptr;
  std::uint32_t group = 0;  // of servers that have copies of the same entries: redis-1 has 0
};

}  // namespace picklock::servers
