// The runs of a search and their results, as they go between its processes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "explore/plan_fields.h"
#include "explore/span.h"
#include "explore/tally.h"
#include "explore/violation.h"
#include "scenarios/scenario.h"
#include "sim/fault.h"

namespace picklock::explore {

// Consecutive runs whose plans a strategy draws from one basis.
struct Batch {
  Span runs;
  Span part{};              // of the search, which the batch is of (strategies/strategy.h)
  std::uint64_t first = 0;  // the number of the first run that is drawn from the basis
  sim::Plan basis{};        // which the strategy changes; empty: nothing
  std::uint64_t seed = 0;   // of the run that was made of the basis
  scenarios::Ties ties = scenarios::Ties::arrival;
  bool as_it_is = false;  // its run is that of the basis

  template <typename Archive>
  friend void fields(Archive& archive, Batch& batch) {
    archive(batch.runs, batch.part, batch.first, batch.basis, batch.seed, batch.ties,
            batch.as_it_is);
  }
};

// A task of a pool of workers can be divided by its runs.
inline Span& span_of(Batch& batch) { return batch.runs; }

// A run with a violation that the search reports.
struct Sighting {
  std::uint64_t run = 0;  // counted from 0
  Violation violation;
  Batch batch{};       // it is of this one
  bool limit = false;  // the lock of a comparison violates the property as well

  template <typename Archive>
  friend void fields(Archive& archive, Sighting& sighting) {
    archive(sighting.run, sighting.violation, sighting.batch, sighting.limit);
  }
};

// A word of those that a strategy wants to know of a run.
struct Sign {
  std::uint64_t run = 0;
  std::uint64_t word = 0;

  template <typename Archive>
  friend void fields(Archive& archive, Sign& sign) {
    archive(sign.run, sign.word);
  }
};

// A plan that a strategy may make others of: that of a run, without the faults that changed
// nothing.
struct Candidate {
  std::uint64_t run = 0;
  sim::Plan plan{};
  std::uint64_t seed = 0;
  scenarios::Ties ties = scenarios::Ties::arrival;

  template <typename Archive>
  friend void fields(Archive& archive, Candidate& one) {
    archive(one.run, one.plan, one.seed, one.ties);
  }
};

// Consecutive runs and their results. The first run with a violation has a sighting of it; in
// blocks that were added, so may others.
struct Block {
  Tally tally;
  std::vector<Sighting> sightings;      // in the order of the runs
  std::vector<Sign> signs;              // of the runs that were judged, in their order
  std::vector<Candidate> candidates{};  // the same
  std::vector<std::uint64_t> known{};   // runs with a known violation, for each exception

  bool has(const Violation& violation, bool limit) const {
    return std::any_of(sightings.begin(), sightings.end(), [&](const Sighting& one) {
      return one.violation == violation && one.limit == limit;
    });
  }
  bool has_limit(Property property) const {
    return std::any_of(sightings.begin(), sightings.end(), [&](const Sighting& one) {
      return one.limit && one.violation.property == property;
    });
  }

  void add(const Block& next) {
    tally.add(next.tally);
    sightings.insert(sightings.end(), next.sightings.begin(), next.sightings.end());
    signs.insert(signs.end(), next.signs.begin(), next.signs.end());
    candidates.insert(candidates.end(), next.candidates.begin(), next.candidates.end());
    known.resize(std::max(known.size(), next.known.size()));
    for (std::size_t i = 0; i < next.known.size(); ++i) known[i] += next.known[i];
  }

  template <typename Archive>
  friend void fields(Archive& archive, Block& block) {
    archive(block.tally, block.sightings, block.signs, block.candidates, block.known);
  }
};

}  // namespace picklock::explore
