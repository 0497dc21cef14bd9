// The lengths that matter to a lock: it breaks, if at all, when something takes about as long as
// its lease, as its session may be idle, or as somebody waits.
#pragma once

#include <string>
#include <vector>

#include "scenarios/scenario.h"
#include "sim/time.h"

namespace picklock::explore {

using sim::Duration;

// Those of one scenario, each at most a year. 0: it has no such length.
struct CriticalLengths {
  Duration lease{};    // or the timeout of a session
  Duration retry{};    // of a refused client
  Duration section{};  // a critical section
  Duration another{};  // a lease, two retries and a section: others have been and gone
  Duration renewal{};
  Duration command_timeout{};
  Duration write_timeout{};
  Duration acquire_timeout{};
  Duration idle{};       // a session that is idle for so long ends
  Duration replacing{};  // until the servers have replaced a lost primary or leader by themselves
};

CriticalLengths critical_lengths(const scenarios::Scenario& scenario);

struct CriticalLength {
  std::string name;  // "lease"
  Duration length{};
  // Only a client that is paused is silent for so long; others would retry all the time.
  bool of_pauses = false;
};

// Each once, from the shortest; equal ones under the name of the first.
std::vector<CriticalLength> listed(const CriticalLengths& lengths, bool leases_are_sessions);

// Just under or just over a length: by a twentieth, rounded so that it is short to read.
Duration just_under(Duration length);
Duration just_over(Duration length);
// Exact enough to fall just under or just over a lease, and short to read.
Duration rounded(Duration length);

}  // namespace picklock::explore
