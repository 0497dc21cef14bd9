// The plans that a guided search keeps, each because its run showed a place that no run had shown
// before (explore/sights.h), and which of them it changes next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenarios/scenario.h"
#include "scenarios/world.h"
#include "sim/fault.h"
#include "sim/random.h"

namespace picklock::explore {

class Corpus {
 public:
  struct Entry {
    sim::Plan plan{};
    std::uint64_t seed = 0;
    scenarios::Ties ties = scenarios::Ties::arrival;
    std::uint64_t chosen = 0;    // how often
    std::uint64_t children = 0;  // kept plans that were made of it
    std::uint32_t nearest = 0;   // distances in which no run came nearer to a violation
  };

  Corpus();

  // Whether the place is new.
  bool is_new(std::uint32_t place) const { return !shown_[place]; }
  // They are not new any more.
  void mark(std::span<const std::uint32_t> places);
  // Marks the places, and keeps the plan.
  void keep(Entry entry, std::span<const std::uint32_t> places);

  bool empty() const { return size() == 0; }
  const std::vector<Entry>& entries() const { return entries_; }

  // Forgets what was shown. The plans stay, but none of them is changed any more.
  void begin_again();
  // Plans since then.
  std::size_t size() const { return entries_.size() - first_; }

  // Which to change next, and counts it. Plans that were chosen seldom come first, then those that
  // led to others, and those that came nearest to a violation. Requires: it is not
  // empty.
  std::size_t choose(sim::Random& chance);
  void led_to_another(std::size_t entry) { ++entries_[entry].children; }

 private:
  static std::uint64_t weight(const Entry& entry);

  std::vector<bool> shown_;  // by place
  std::vector<Entry> entries_;
  std::size_t first_ = 0;  // that can be changed
  struct Nearest {
    std::uint32_t place = UINT32_MAX;
    std::size_t entry = 0;
  };
  std::vector<Nearest> nearest_;  // by distance
};

// The faults of the plan that changed anything in the run that the world has just made. Others
// would only take their places in a plan that is changed, and a file that has one is not as
// expected.
sim::Plan effective(const sim::Plan& plan, const scenarios::World& world);

}  // namespace picklock::explore
