// Every fault that a complete search knows: each way in which a class acts, at each process, with
// each length out of the critical ones. A finite list for each moment of a run.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "explore/critical_lengths.h"
#include "explore/moments.h"
#include "explore/ways.h"
#include "sim/fault.h"
#include "sim/random.h"

namespace picklock::explore {

class Vocabulary {
 public:
  // Requires: every class is possible. `alike`: also faults that differ from another one by time
  // alone.
  Vocabulary(Ways ways, FaultClasses classes, bool alike);

  // Every fault that can be added to a plan whose run took this course.
  std::vector<sim::Fault> after(const Course& course, const sim::Plan& plan) const;

  // Any of these, each class as likely as another; nullopt: there is none, or none has come up.
  std::optional<sim::Fault> any_after(const Course& course, const sim::Plan& plan,
                                      sim::Random& chance) const;

  const Ways& ways() const { return ways_; }
  const std::vector<CriticalLength>& lengths() const { return lengths_; }
  // Each once, in the order of the reference.
  std::vector<std::string> verbs() const;

 private:
  using Faults = std::vector<sim::Fault>;

  // Faults without their moments. Those on messages are of the messages that go to `server`.
  struct Shape {
    sim::Fault fault{};
    sim::ProcessId target = 0;
    std::vector<sim::ProcessId> sides;  // the target, and whom it cannot talk to
    const ProcessKind* server = nullptr;

    bool may_cut(const Happening& one) const;
  };

  void add(const Way& way, FaultClass fault_class);
  void add_amounts(Faults& faults) const;
  void add_sides(Faults& faults, sim::ProcessId target) const;
  bool is_possible(const Shape& shape, const Course& course, const sim::Plan& plan) const;
  bool can_strike(const Shape& shape, const Moment& moment) const;
  bool is_blind_to(const Moment& step, const Shape& shape, const sim::Plan& plan) const;
  static bool is_repeated(const Shape& shape, const Moment& moment, const Moment* before,
                          const Course& course);
  static sim::Fault placed(const Shape& shape, const Moment& moment);
  void add_ends(Faults& faults, const ProcessKind& target) const;

  Ways ways_;
  FaultClasses classes_;
  bool alike_;
  std::vector<CriticalLength> lengths_;
  std::vector<Duration> around_;         // just under and just over each of them
  std::vector<Duration> pauses_;         // the same, of paused clients
  std::vector<Shape> shapes_;            // class by class
  std::vector<std::size_t> class_ends_;  // in these
};

}  // namespace picklock::explore
