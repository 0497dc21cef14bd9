// The measures of one cell: the runs of one lock under one column of faults, with one kind of
// fencing. Measures of different runs of a cell can be added in any order. So a cell can be made in
// parts, and continuing after an interruption gives the same result.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "compare/histogram.h"
#include "explore/violation.h"
#include "picklock/lock.h"

namespace picklock::compare {

// Whether a violation is harm to what the lock protects: a stale write, the operations of two
// holders mixed, an update lost.
constexpr bool harms_resource(Property property) {
  return property == Property::no_stale_write || property == Property::resource_exclusion ||
         property == Property::no_lost_update;
}

// The run that breaks a property with the fewest faults; before all others one in which that was
// promised.
struct Sighting {
  bool broken = false;       // although promised, on a premise that was kept
  std::uint32_t faults = 0;  // that struck
  std::uint64_t run = 0;
  explore::Violation violation;

  bool operator<(const Sighting& that) const {
    if (broken != that.broken) return broken;
    return faults != that.faults ? faults < that.faults : run < that.run;
  }
  bool operator==(const Sighting&) const = default;
};

struct PropertyCount {
  std::uint64_t violations = 0;  // runs
  std::uint64_t broken = 0;      // of these, with it promised
  std::optional<Sighting> smallest;

  void add(const PropertyCount& other);
};

// The cost of a lock, from runs without disturbance.
struct Price {
  Histogram latency;   // from the request to the grant
  Histogram free;      // the same, if no other client held or requested the lock
  Histogram handover;  // from the end of a section to the grant of one that waited
  std::uint64_t wakeups = 0;
  std::uint64_t releases = 0;
  std::uint64_t overtaking = 0;  // the most that any waiter was overtaken
  // From the runs that were traced:
  std::uint64_t grants = 0;
  std::uint64_t messages = 0;  // between clients and the lock's servers
  std::uint64_t commands = 0;  // of these, requests

  void add(const Price& other);
};

struct Measures {
  std::uint64_t made = 0;       // runs
  std::uint64_t idle = 0;       // judged, but no fault struck, where some should
  std::uint64_t cut_short = 0;  // too long to be judged
  std::uint64_t crashed = 0;    // ended the process they were made in
  std::uint64_t faults = 0;     // that struck
  std::uint64_t left_out = 0;   // that the lock has no counterpart for
  // From the runs that count:
  std::uint64_t unsafe = 0;  // with harm to the resource
  std::uint64_t asked = 0;   // acquires of clients that did not crash before the outcome
  std::uint64_t granted = 0;
  std::array<PropertyCount, kPropertyCount> properties{};
  Price price;
  // After the crash of a holder, if that is all that happens: until somebody who waited is granted.
  Histogram recovery;
  std::uint64_t never_recovered = 0;

  // Runs that count: they were judged, and met what their column is about.
  std::uint64_t counted() const { return made - idle - cut_short - crashed; }

  void add(const Measures& other);
};

nlohmann::ordered_json to_json(const Measures& measures);
Measures measures_from(const nlohmann::ordered_json& json);

nlohmann::ordered_json to_json(const Sighting& sighting);
Sighting sighting_from(const nlohmann::ordered_json& json);

// Between which chances `hits` of `runs` are not surprising, at 95% (E. B. Wilson, 1927).
struct Interval {
  double low = 0;
  double high = 1;
};
Interval wilson_95(std::uint64_t hits, std::uint64_t runs);

}  // namespace picklock::compare
