// Makes a find of a sighting: the run is repeated, shrunk to the shortest story of the same
// violation, and written as a scenario with its expected result. The find depends only on the lead,
// so any process can make it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "explore/runs.h"
#include "explore/violation.h"
#include "scenarios/scenario.h"

namespace picklock::explore {

// A violation to be followed up.
struct Lead {
  std::uint64_t run = 0;  // of the search, from 0, that led to it
  Violation violation;
  std::string file{};  // a scenario that shows it; empty: the run itself does
  Batch batch{};       // of the run
  bool limit = false;  // that the lock of a comparison violates as well
};

// The shortest story of a violation.
struct Find {
  Violation violation;
  std::uint64_t run = 0;        // counted from 1; 0: the run without faults
  bool slipped = false;         // seen while another violation of that run was shrunk
  std::size_t faults = 0;       // that fired before it was shrunk
  bool minimal = false;         // no single step makes the story simpler
  std::uint64_t shrunk_in = 0;  // runs
  std::string text;             // of its file, with the expected result
  scenarios::Scenario story;    // that the file says
  bool promised = false;        // on a premise that was kept
  bool unprovoked = false;      // not promised, but broken without any fault
  bool limit = false;           // the lock of a comparison violates the property as well
  std::uint32_t missed = 0;     // faults of the story that never strike that lock
  std::uint64_t moved = 0;      // other moments of its faults at which that lock keeps the property
};

// "run 7", or "the run without faults".
std::string run_of(const Find& find);

// Between processes (explore/workers/wire.h).
template <typename Archive>
void fields(Archive& archive, Lead& lead) {
  archive(lead.run, lead.violation, lead.file, lead.batch, lead.limit);
}

// Without its story, which its text says.
template <typename Archive>
void fields(Archive& archive, Find& find) {
  archive(find.violation, find.run, find.slipped, find.faults, find.minimal, find.shrunk_in,
          find.text, find.promised, find.unprovoked, find.limit, find.missed, find.moved);
}

class Keeper {
 public:
  // Other violations that were seen while shrinking; unknown ones are followed up as well.
  struct Kept {
    Find find;
    std::vector<Lead> slipped;

    template <typename Archive>
    friend void fields(Archive& archive, Kept& kept) {
      archive(kept.find, kept.slipped);
    }
  };

  explicit Keeper(Runs& runs) : runs_(runs) {}

  // `enough`: called now and then; once it returns true, the story is not shrunk further.
  // Throws NotDeterministic.
  Kept keep(const Lead& lead, const std::function<bool()>& enough);

 private:
  scenarios::Scenario start_of(const Lead& lead);
  scenarios::Scenario with_late_messages(scenarios::Scenario scenario, const Violation& violation);
  RunMemory::Result shown_by(const scenarios::Scenario& scenario, scenarios::World& world);
  bool is_compared(const Find& find) const;
  // Requires: there is another lock to compare with.
  bool is_to_be_kept(const scenarios::Scenario& scenario, const scenarios::World& world,
                     const Violation& one, bool limit);
  void finish(scenarios::Scenario shortest, Find& find);

  Runs& runs_;
};

// The scenario of a find: `text` read back. `base`: what was searched, which knows its lock.
scenarios::Scenario story_from(const std::string& text, Property property,
                               const scenarios::Scenario& base);

}  // namespace picklock::explore
