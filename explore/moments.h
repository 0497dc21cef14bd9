// The moments of a run at which a fault can strike: immediately before or after a client's step or
// mark (architecture "Trigger").
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "explore/happenings.h"
#include "scenarios/world.h"
#include "sim/fault.h"

namespace picklock::explore {

struct Moment {
  sim::Trigger trigger;  // with `by`
  sim::ProcessId client = 0;
  std::optional<sim::ProcessId> server{};  // of a step
  bool fresh = false;    // the history has had an event since the moment that is listed before it
  bool at_once = false;  // of a request that was answered the instant it came, unlike GET_LOCK
  // When a fault strikes there, and how many happenings of the course come before. nullopt: the
  // trace does not say, as of an answer, which a client reads later than it comes.
  sim::Instant at{};
  std::optional<std::size_t> happened_before{};

  // Whether it is a step of one of them with another, or a mark of one.
  bool is_among(const std::vector<sim::ProcessId>& some) const;
  // Whether it is just after the step that the other one is just before.
  bool is_just_after(const Moment& other) const;
};

// A run as it looks to a fault that is added to its plan.
struct Course {
  // In their order, from the moment at which the last fault of the plan fired, or all if there is
  // none.
  std::vector<Moment> moments;
  Happenings happenings;  // of the whole run
  // Pairs of processes that sent each other messages, the smaller number first.
  std::set<std::pair<sim::ProcessId, sim::ProcessId>> talks;
  // Processes whose wall clock nobody has read.
  std::set<sim::ProcessId> timeless;
  // Other orders in which the network may deliver: each of these lets one message come just after
  // something else that happens where it arrives, or as late as its link allows. None unless
  // `network.order` is any.
  std::vector<sim::Fault> late;
};

// The course of the last run of the world, which was traced.
//
// `alike`: with the moments that differ from an earlier one by time alone. Without them, a command
// that a client repeats while nothing happens is listed once, such as forty refused attempts. The
// moment just after a request has been sent is left out too, because nothing happens until it
// arrives. The one just after it was applied is not: its answer can still be lost with the server.
Course course(const scenarios::World& world, bool alike);

}  // namespace picklock::explore
